"""takt package arduino: Arduino's builder makes of a sketch what takt build makes of it, or fails
with the same words."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import command
import pytest
from boot_loader import connected
from conftest import EXAMPLES, LATE, LATE_LINE, Ran
from takt import boards
from takt.paths import ROOT

SKETCHES = {
    path.stem: path
    for folder in (EXAMPLES, ROOT / "docs/first-hour")
    for path in sorted(folder.glob("*/*.ino"))
    if path.stem != "can-concentrator"  # for a PC
}
REFUSED = {  # by boards whose memory, speed or ports do not suffice, or whose core is another
    "pico": {"lamp-strip"},
    "uno": {
        "collision-avoidance", "dot-display", "find-prime", "knob-motor", "line-follower",
        "night-light", "pipe", "uart-pipe",
    },
}  # fmt: skip
PLATFORM = "hardware/takt/takt"
SIZES = re.compile(r"Sketch uses (\d+) bytes.*Global variables use (\d+) bytes", re.DOTALL)
BLINK = "void setup() {\n  pinMode(13, OUTPUT);\n}\n\nvoid loop() {\n  digitalWrite(13, HIGH);\n}\n"
LEAST = 20  # sketches that each board builds
PROPERTIES = """name=First
version=1.0.0
author=Takt
maintainer=Takt
sentence=One more than the second.
paragraph=
category=Other
url=
architectures=*
"""


def properties(file: Path) -> dict[str, str]:
    lines = (line for line in file.read_text().splitlines() if line and line[0] != "#")
    return {key: value for key, _, value in (line.partition("=") for line in lines)}


def sketch(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / f"{folder.name}.ino"
    file.write_text(text)
    return file


def by_takt(board: str, folder: Path, out: Path, *more: str | Path) -> Ran:
    words = ("build", folder, "--board", board, "--no-trace", "--json", "--out", out, *more)
    done = command.takt(*words)
    return Ran(done.returncode, done.stdout, done.stderr)


def test_the_index_describes_the_archive(arduino: Path, tmp_path: Path) -> None:
    index = json.loads((arduino / "package_takt_index.json").read_text())
    (package,) = index["packages"]
    (version,) = package["platforms"]
    archive = arduino / version["archiveFileName"]
    assert version["url"] == archive.as_uri()
    assert int(version["size"]) == archive.stat().st_size
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    assert version["checksum"] == f"SHA-256:{digest}"
    with tarfile.open(archive) as tar:
        tar.extractall(tmp_path, filter="data")
    (root,) = tmp_path.iterdir()
    assert contents(root) == contents(arduino / PLATFORM) != {}
    assert (root / "tools/takt-recipe").stat().st_mode & 0o111
    names = {board["name"] for board in version["boards"]}
    assert {boards.load(name).description for name in ("uno", "pico")} <= names


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize("board", ["pico", "uno"])
def test_what_cannot_keep_its_promises_fails(
    board: str, arduino_builder: Callable[..., Ran], tmp_path: Path
) -> None:
    file, out = sketch(tmp_path / "late", LATE.replace("50", "5")), tmp_path / "out"
    built = arduino_builder(board, file, out)
    assert built.code == 0, built.err
    sizes = SIZES.search(built.out)
    assert sizes and (out / "late.ino.elf").is_file()
    file.write_text(LATE)
    refused = arduino_builder(board, file, out)
    assert refused.code != 0 and not list(out.glob("late.ino.*"))
    said = by_takt(board, file.parent, tmp_path / "takt")
    error = json.loads(said.out)["error"]
    assert error["where"] == f"{file}:{LATE_LINE}" and "deadline" in error["what"]
    assert f"{file}:{LATE_LINE}: error: {error['what']}\n" in refused.err
    assert f"  fix: {error['fix']}\n" in refused.err


@pytest.mark.wide
@pytest.mark.parametrize("board", ["pico", "uno"])
@pytest.mark.parametrize("name", SKETCHES)
def test_an_example(
    name: str, board: str, arduino_builder: Callable[..., Ran], tmp_path: Path
) -> None:
    out, book = tmp_path / "out", SKETCHES[name].parent / "libraries"
    more = ("-libraries", book) if book.is_dir() else ()  # of the sketch: Arduino has no such thing
    built = arduino_builder(board, SKETCHES[name], out, *more)
    own = by_takt(board, SKETCHES[name].parent, tmp_path / "takt")
    said = json.loads(own.out)
    assert ("error" in said) == (name in REFUSED[board])
    if "error" in said:
        assert built.code != 0 and said["error"]["what"] in built.err
        return
    assert built.code == 0, built.err
    for kind, file in said["files"].items():
        assert (out / f"{name}.ino.{kind}").read_bytes() == Path(file).read_bytes(), kind
    sizes = SIZES.search(built.out)
    assert sizes and [int(size) for size in sizes.groups()] == [
        said["flash_bytes"],
        said["ram_bytes"],
    ]


@pytest.mark.parametrize("board", REFUSED)
def test_there_are_enough_examples(board: str) -> None:
    assert SKETCHES.keys() >= REFUSED[board]
    assert len(SKETCHES.keys() - REFUSED[board]) >= LEAST


@pytest.mark.wide
def test_libraries_of_the_sketchbook(arduino_builder: Callable[..., Ran], tmp_path: Path) -> None:
    """One in each layout, the second asked for by the first, and one of Takt's own."""
    book = tmp_path / "libraries"
    files = {
        "First/library.properties": PROPERTIES,
        "First/src/First.h": "#include <Second.h>\ninline int first() { return second() + 1; }\n",
        "Second/Second.h": "#include <Wire.h>\nint second();\n",
        "Second/Second.cpp": '#include "Second.h"\nint second() { return 6; }\n',
    }
    for name, text in files.items():
        (book / name).parent.mkdir(parents=True, exist_ok=True)
        (book / name).write_text(text)
    text = "#include <First.h>\nvoid setup() { Serial.begin(9600); }\n"
    file = sketch(tmp_path / "asks", text + "void loop() { Serial.println(first()); }\n")
    built = arduino_builder("pico", file, tmp_path / "out", "-libraries", book)
    assert built.code == 0, built.err
    own = by_takt("pico", file.parent, tmp_path / "takt", "--library", book)
    image = Path(json.loads(own.out)["files"]["bin"])
    assert (tmp_path / "out/asks.ino.bin").read_bytes() == image.read_bytes()


@pytest.mark.wide
def test_upload_to_the_uno(
    arduino: Path, arduino_builder: Callable[..., Ran], tmp_path: Path
) -> None:
    file, out = sketch(tmp_path / "blinks", BLINK), tmp_path / "out"
    built = arduino_builder("uno", file, out)
    assert built.code == 0, built.err
    values = properties(arduino / PLATFORM / "platform.txt")
    known = properties(arduino / PLATFORM / "boards.txt")
    tool = known["uno.upload.tool"]
    values |= {k.removeprefix("uno."): v for k, v in known.items() if k.startswith("uno.")}
    values |= {"build.path": str(out), "build.project_name": file.name}
    with connected() as (loader, port):
        values["serial.port"] = port
        pattern = values[f"tools.{tool}.upload.pattern"]
        words = shlex.split(re.sub(r"\{([\w.]+)\}", lambda m: values[m[1]], pattern))
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    image = (out / "blinks.ino.bin").read_bytes()
    assert bytes(loader.flash[: len(image)]) == image and loader.written >= len(image)


def recipe_with(arduino: Path, folder: Path, script: str) -> tuple[Path, Path]:
    """The recipe, and the folder of a command `takt` that is a script."""
    (folder / "takt").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "takt").chmod(0o755)
    return arduino / PLATFORM / "tools/takt-recipe", folder


def test_libraries_are_looked_for_by_several_at_a_time(arduino: Path, tmp_path: Path) -> None:
    recipe, takt = recipe_with(arduino, tmp_path, "sleep 0.1; echo true")
    words = [recipe, "preprocess", takt, tmp_path / "build", "uno"]
    each = [subprocess.Popen(words, stderr=subprocess.PIPE, text=True) for _ in range(8)]
    assert [(one.communicate()[1], one.returncode) for one in each] == [("", 0)] * 8
    assert [file.name for file in (tmp_path / "build/takt").iterdir()] == ["preprocessor"]


def test_libraries_keep_their_order(arduino: Path, tmp_path: Path) -> None:
    recipe, takt = recipe_with(arduino, tmp_path, f'printf "%s\\n" "$@" >{tmp_path}/words')
    kept = tmp_path / "build" / "takt"
    (kept / "out").mkdir(parents=True)
    (kept / "out" / "s.elf").touch()
    (kept / "includes").write_text("-I/b\n-I/c/src\n-I/a\n-I/b\n")
    words = [recipe, "link", takt, tmp_path / "build", "uno", tmp_path, "s.ino"]
    assert subprocess.run(words, check=False).returncode == 0
    said = (tmp_path / "words").read_text().split()
    assert [said[at + 1] for at, word in enumerate(said) if word == "--library"] == [
        "/b",
        "/c",
        "/a",
    ]


def test_ports_by_which_boards_are_known(arduino: Path) -> None:
    known = properties(arduino / PLATFORM / "boards.txt")
    pairs = {(known[f"uno.vid.{n}"], known[f"uno.pid.{n}"]) for n in range(3)}
    assert pairs == {("0x2341", "0x0043"), ("0x2341", "0x0001"), ("0x2A03", "0x0043")}
    assert (known["pico.vid.0"], known["pico.pid.0"]) == ("0x2E8A", "0x000A")
    assert "galileo.vid.0" not in known


def test_takt_has_moved(arduino: Path, tmp_path: Path) -> None:
    recipe = arduino / PLATFORM / "tools/takt-recipe"
    done = subprocess.run(
        [recipe, "begin", "/nowhere", tmp_path], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0 and "/nowhere: Takt is not there" in done.stderr
    assert "platform.local.txt" in done.stderr


@pytest.mark.parametrize("kind", ["arduino", "platformio"])
def test_folders_that_are_no_packages(kind: str, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("keep")
    refused = command.takt("package", kind, tmp_path)
    assert refused.returncode == 2 and "already there, and no package" in refused.stderr
    refused = command.takt("package", kind, tmp_path / "mine")
    assert refused.returncode == 2 and "not a folder" in refused.stderr
    assert (tmp_path / "mine").read_text() == "keep"
    assert command.takt("package", kind, tmp_path / "new").returncode == 0
    assert command.takt("package", kind, tmp_path / "new").returncode == 0
