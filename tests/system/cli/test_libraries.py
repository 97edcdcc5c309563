"""Libraries are found by what a sketch includes, in both layouts, and compiled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

SKETCH = """\
#include <Flat.h>
#include "local.h"
void setup() { Serial.begin(115200); }
void loop() { Serial.println(flat() + nested() + LOCAL); delay(10000); }
"""


def library(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_flat_new_and_needed_by_another(takt: Callable, write: Callable, tmp_path: Path) -> None:
    folder = write("uses", SKETCH, local_DOT_h="#define LOCAL 1000\n")
    library(folder / "libraries" / "Flat", {
        "Flat.h": "#pragma once\n#include <Nested.h>\nint flat();\n",
        "Flat.cpp": '#include "Flat.h"\n#include "deep.h"\nint flat() { return DEEP + deep(); }\n',
        "utility/deep.h": "#define DEEP 10\nint deep();\n",
        "utility/deep.cpp": '#include "deep.h"\nint deep() { return 5; }\n',
        "examples/Bad/Bad.cpp": "this is not compiled\n",
    })  # fmt: skip
    library(tmp_path / "more libraries" / "Nested Library", {
        "library.properties": "name=Nested Library\n",
        "src/Nested.h": "#pragma once\nint nested();\n",
        "src/a/nested.cpp": '#include "../Nested.h"\nint nested() { return 300; }\n',
        "Unused.cpp": "neither is this\n",
    })  # fmt: skip
    library(tmp_path / "more libraries" / "Other", {"Other.h": "", "Other.cpp": "nor this\n"})
    ran = takt("run", folder, "--seconds", "1", "--library", tmp_path / "more libraries", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["serial"] == "1315\r\n"


def test_a_single_library_folder_and_warnings_only_when_asked(
    takt: Callable, write: Callable, tmp_path: Path
) -> None:
    source = "#include <One.h>\nvoid setup() { one(); }\nvoid loop() {}\n"
    library(tmp_path / "One", {
        "One.h": "int one();\n",
        "One.cpp": '#include "One.h"\nint one() { int unused; return 1; }\n',
    })  # fmt: skip
    quiet = takt("build", write("quiet", source), "-l", tmp_path / "One")
    assert quiet.code == 0
    assert "unused" not in quiet.err
    loud = takt("build", write("loud", source), "-l", tmp_path / "One", "--verbose")
    assert "unused variable 'unused'" in loud.err


def test_through_any_chain_of_includes(takt: Callable, write: Callable, tmp_path: Path) -> None:
    folder = write(
        "chain",
        "#include <Bus.h>\n"
        "void setup() { Serial.begin(115200); }\n"
        "void loop() { Serial.println(bus()); delay(10000); }\n",
    )
    library(tmp_path / "libs" / "Bus", {
        "Bus.h": "int bus();\n",
        "Bus.cpp": '#include "Bus_detail.h"\nint bus() { return BASE + deep(); }\n',
        "Bus_detail.h": '#include "Bus.h"\n#  include <Deep.h>\n#define BASE 100\n',
    })  # fmt: skip
    library(tmp_path / "libs" / "Deep", {
        "Deep.h": "#include <Settings.h>\n#if !defined(STEPS)\n#error no STEPS\n#endif\n"
                  "int deep();\n",
        "Deep.cpp": '#include "Deep.h"\nint deep() { return STEPS; }\n',
    })  # fmt: skip
    library(tmp_path / "libs" / "Settings", {"Settings.h": "#define STEPS 7\n"})
    library(tmp_path / "libs" / "Unasked", {"Unasked.h": "", "Unasked.cpp": "#error compiled\n"})
    (tmp_path / "libs" / "Deep" / "Deep.h").write_text(
        (tmp_path / "libs" / "Deep" / "Deep.h").read_text()
        + "#ifdef NOT_SO\n#include <Unasked.h>\n#endif\n"
    )
    ran = takt("run", folder, "--seconds", "1", "--library", tmp_path / "libs", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["serial"] == "107\r\n"


def test_of_the_sketchbook_and_of_platformio(
    takt: Callable, write: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(
        "both",
        "#include <Booked.h>\n#include <Fetched.h>\n#include <Servo.h>\n"
        "Servo arm;\n"
        "void setup() { Serial.begin(115200); arm.attach(5); }\n"
        "void loop() { Serial.println(BOOKED + FETCHED + arm.attached()); delay(10000); }\n",
    )
    book = tmp_path / "Arduino"
    monkeypatch.setenv("ARDUINO_DIRECTORIES_USER", str(book))
    library(book / "libraries", {
        "Booked/Booked.h": "#define BOOKED 10\n",
        "Fetched/Fetched.h": "#error what PlatformIO has for the project is nearer\n",
        "Servo/Servo.h": "#error Takt has its own\n",
    })  # fmt: skip
    deps = folder / ".pio" / "libdeps" / "uno"
    library(deps, {"Fetched/library.json": "{}", "Fetched/src/Fetched.h": "#define FETCHED 200\n"})
    ran = takt("run", folder, "--seconds", "1", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["serial"] == "211\r\n"
    assert ran.json["warnings"] == []
    listed = takt("lib", "list", folder, "--json").json["libraries"]
    assert [(one["name"], Path(one["folder"]).name) for one in listed] == [
        ("Booked", "Booked"), ("Fetched", "Fetched"), ("Servo", "Servo")
    ]  # fmt: skip
    assert all(one["asked"] for one in listed)


def test_a_header_that_is_missing(takt: Callable, write: Callable, tmp_path: Path) -> None:
    """By the sketch, or by a library that it uses."""
    loops = "void setup() {}\nvoid loop() {}\n"
    folder = write("missing", "#include <Nothing.h>\n" + loops)
    listed = takt("lib", "list", folder)
    assert listed.code == 1 and "no libraries" not in listed.out
    assert "missing.ino: no header Nothing.h\n" in listed.err and "sketchbook" in listed.err
    library(tmp_path / "Half", {
        "Half.h": '#include "Other_Half.h"\n',
        "library.properties": "name=Half\n",
    })  # fmt: skip
    folder = write("half", "#include <Half.h>\n" + loops)
    for command in (("lib", "list"), ("build",)):
        told = takt(*command, folder, "-l", tmp_path / "Half")
        assert told.code == 1 and "no header Other_Half.h" in told.err and "half.ino" in told.err
    assert "no header Other_Half.h, which the library Half asks for" in told.err
    assert "sketchbook" in told.err


def test_of_a_platformio_project(takt: Callable, tmp_path: Path) -> None:
    """It has no tab: the program is src/main.cpp."""
    project = tmp_path / "project"
    library(project, {
        "platformio.ini": "[platformio]\ndefault_envs = uno\n[env:uno]\nboard = uno ; ours\n"
                          "lib_extra_dirs =\n  ../shared\n  ~/none of this name\n",
        "include/settings.h": "#define SETTING 1000\n",
        "src/main.cpp": "#include <Arduino.h>\n#include <Fetched.h>\n#include <Wire.h>\n"
                        "#include <Own.h>\n#include <Shared.h>\n#include <settings.h>\n"
                        "void setup() { Serial.begin(115200); Wire.begin(); }\n"
                        "void loop() { Serial.println(own() + FETCHED + SHARED + SETTING);"
                        " delay(10000); }\n",
        "lib/Own/src/Own.h": "int own();\n",
        "lib/Own/src/Own.cpp": '#include "Own.h"\nint own() { return 1; }\n',
        "lib/Own/library.json": "{}",
        ".pio/libdeps/uno/Fetched/library.json": "{}",
        ".pio/libdeps/uno/Fetched/src/Fetched.h": "#define FETCHED 200\n",
    })  # fmt: skip
    library(tmp_path / "shared", {"Shared/Shared.h": "#define SHARED 30\n"})
    for place in (project / "src", project):
        ran = takt("run", place, "--board", "uno", "--seconds", "1", "--json")
        assert ran.code == 0, ran.err
        assert ran.json["serial"] == "1231\r\n"
        listed = takt("lib", "list", place, "--board", "uno", "--json").json["libraries"]
        assert {one["name"] for one in listed} == {"Fetched", "Own", "Shared", "Wire"}
        assert {Path(one["asked"]).name for one in listed} == {"main.cpp"}


def test_that_a_macro_asks_for(takt: Callable, write: Callable, tmp_path: Path) -> None:
    text = "#ifdef WANTED\n#include <Asked.h>\n#endif\nvoid setup() {}\nvoid loop() {}\n"
    folder = write("asks", text)
    library(tmp_path, {"Asked/Asked.h": "#define ASKED 1\n"})
    named = ("lib", "list", folder, "--library", tmp_path / "Asked", "--json")
    assert takt(*named).json["libraries"] == []
    assert [one["name"] for one in takt(*named, "-D", "WANTED").json["libraries"]] == ["Asked"]


def test_for_other_chips(takt: Callable, write: Callable, tmp_path: Path) -> None:
    source = "#include <One.h>\nvoid setup() {}\nvoid loop() {}\n"
    library(tmp_path / "One", {
        "One.h": "#define ONE 1\n",
        "library.properties": "name=One\narchitectures=samd, avr\n",
    })  # fmt: skip
    warned = takt("build", write("other", source), "-l", tmp_path / "One", "--board", "pico")
    assert warned.code == 0
    assert "library One: made for samd, avr (library.properties), not for pico" in warned.err
    fits = takt("build", write("fits", source), "-l", tmp_path / "One", "--board", "uno")
    assert fits.code == 0
    assert "made for" not in fits.err
    (tmp_path / "One" / "library.properties").write_text("name=One\narchitectures=\n")
    silent = takt("build", write("silent", source), "-l", tmp_path / "One", "--board", "uno")
    assert silent.code == 0 and "made for" not in silent.err


@pytest.mark.parametrize("board", ["pico", "uno"])
def test_what_is_defined_nowhere_is_told_where_it_is_called(
    takt: Callable, write: Callable, tmp_path: Path, board: str
) -> None:
    """With the names that files have, not those that are in the program."""
    folder = write(
        "uses", "#include <Half.h>\nint own(int);\nvoid setup() { CALL; }\nvoid loop() {}\n"
    )
    library(folder / "libraries" / "Half", {
        "Half.h": "int half(int);\n",
        "Half.cpp": '#include "Half.h"\nint other(int);\n\nint half(int n) { return other(n); }\n',
    })  # fmt: skip
    main, half = folder / "uses.ino", folder / "libraries" / "Half" / "Half.cpp"
    text = main.read_text()
    for call, file, line in (("own(3)", main, 3), ("half(3)", half, 4)):
        main.write_text(text.replace("CALL", call))
        error = takt("build", folder, "--board", board, "--json").json["error"]
        name, _, number = error["where"].partition(":")
        assert Path(name).resolve() == file.resolve() and int(number) == line
