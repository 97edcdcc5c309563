"""Libraries are found by what a sketch includes, in both layouts, and compiled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

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
