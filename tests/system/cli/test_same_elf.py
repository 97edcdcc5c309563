"""A program is the same, byte for byte, wherever its sketch, its libraries and Takt itself lie."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from takt import boards
from takt.build.build import build
from takt.errors import UserError
from takt.paths import ROOT

SKETCH = """#include <Takt.h>
#include <Beeper.h>
static Beeper beeper;
extern "C" int turned(int);
void setup() { Serial.begin(115200); }
void loop(1, 5, 100) { Serial.println(turned(beeper.beeps())); delay(10); }
"""
TAB = "int counted() { static int count; return ++count; }\n"
SOURCE = "int turned(int value) { return -value; }\n"
HEADER = "#pragma once\nclass Beeper { public: Beeper(); int beeps(); private: int count; };\n"
LIBRARY = (
    '#include "Beeper.h"\nBeeper::Beeper() : count(3) {}\nint Beeper::beeps() { return count++; }\n'
)
NAMED = "const char *where() { return __FILE__; }\nString place(where());\n"
HELD = """#include <Held.h>
void setup() {}
void loop(1, 1, 5) { delay(5); }
void loop(2, 30, 100) { hold(); }
"""
HOLDS = """#pragma once
#include <Takt.h>
extern volatile long n;
inline void hold()
{
    Critical all;
    for (long i = n; i; i--)
        n = i;
}
"""
SWITCH = ROOT / "lab" / "elli" / "switch"
GOOD_BOARDS = ("pico", "uno", "pc")


def sketch(folder: Path, board: str) -> Path:
    """A sketch with two tabs, a C file, a library, and where they are in its text; avr-gcc 5.4
    knows no way to leave that out."""
    library = folder / "libraries" / "Beeper"
    library.mkdir(parents=True)
    (folder / "beeps.ino").write_text(SKETCH + ("" if board == "uno" else NAMED))
    (folder / "counted.ino").write_text(TAB)
    (folder / "turned.c").write_text(SOURCE)
    (library / "Beeper.h").write_text(HEADER)
    (library / "Beeper.cpp").write_text(LIBRARY)
    return folder


@pytest.mark.parametrize("board", GOOD_BOARDS)
def test_wherever_the_sketch_lies(board: str, tmp_path: Path) -> None:
    folders = [tmp_path / "beeps", tmp_path / "another place" / "deeper" / "beeps"]
    elves = [
        build(sketch(folder, board), boards.load(board), trace=False).elf.read_bytes()
        for folder in folders
    ]
    assert elves[0] == elves[1]
    assert os.fsencode(tmp_path) not in elves[0] and os.fsencode(ROOT) not in elves[0]


def test_optimised_at_link_time(tmp_path: Path) -> None:
    elves = []
    for name in ("one", "other"):
        shutil.copytree(SWITCH, folder := tmp_path / name / "switch")
        for header in SWITCH.parent.glob("*.h"):
            shutil.copyfile(header, folder.parent / header.name)
        elves.append(build(folder, boards.load("pico"), False, lto=True).elf.read_bytes())
    assert elves[0] == elves[1]


@pytest.mark.parametrize("board", ["pico", "uno"])
def test_messages_name_the_file_where_it_is(
    board: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by the program's debug information, which has another name for the folder."""
    folder, library = tmp_path / "held", tmp_path / "others" / "Held"
    folder.mkdir()
    library.mkdir(parents=True)
    (library / "Held.h").write_text(HOLDS)
    (folder / "held.ino").write_text(HELD)
    (folder / "n.cpp").write_text("volatile long n = 300000;\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError) as refused:
        build(folder, boards.load(board), extra_libs=[library.parent])
    assert str(refused.value).startswith("others/Held/Held.h:6: ")


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Takt elsewhere, where nothing is built yet."""
    folder = tmp_path_factory.mktemp("elsewhere") / "takt"
    at_top = {".git", ".venv", "build", "lab", "docs"}
    without = {str(ROOT): at_top}
    return shutil.copytree(ROOT, folder, ignore=lambda at, _: without.get(at, {"node_modules"}))


@pytest.mark.wide
@pytest.mark.parametrize("board", GOOD_BOARDS)
def test_wherever_takt_lies(board: str, clone: Path, tmp_path: Path) -> None:
    folder = sketch(tmp_path / "beeps", board)
    command = [sys.executable, "-m", "takt", "build", str(folder), "--board", board]
    elves = []
    for root in (ROOT, clone):
        environment = os.environ | {"PYTHONPATH": str(root / "tools")}
        subprocess.run(command, env=environment, check=True, capture_output=True)
        elves.append((folder / "build" / board / "beeps.elf").read_bytes())
        shutil.rmtree(folder / "build")
    assert elves[0] == elves[1]
