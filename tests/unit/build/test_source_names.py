"""What folders are called in programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt.code import source_names
from takt.paths import ROOT, shown

SKETCH = Path("/home/me/blink")
OUT = SKETCH / "build" / "pico"
LIBRARY = SKETCH / "libraries" / "Beeper"
NAMES = source_names.names(["-fdebug-prefix-map"], SKETCH, OUT, [("Beeper", LIBRARY)])


def renamed(path: Path, flags: list[str]) -> str:
    """As the compiler does: the last option that fits."""
    for flag in reversed(flags):
        _, folder, name = flag.split("=")
        if str(path).startswith(folder):
            return name + str(path).removeprefix(folder)
    return str(path)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (SKETCH / "blink.ino", "/sketch/blink.ino"),
        (OUT / "obj" / "blink.ino.cpp", "/out/obj/blink.ino.cpp"),
        (LIBRARY / "Beeper.h", "/library/Beeper/Beeper.h"),
        (ROOT / "include" / "takt" / "set.h", "/takt/include/takt/set.h"),
        (Path("/usr/include/stdio.h"), "/usr/include/stdio.h"),
    ],
)
def test_there_and_back(path: Path, name: str) -> None:
    assert renamed(path, NAMES.flags()) == name
    assert NAMES.file(name) == path


def test_takt_within_the_folder_of_a_sketch() -> None:
    above = source_names.names(["-f"], ROOT.parent, ROOT.parent / "build", [])
    assert (
        renamed(ROOT / "kernel" / "core" / "sched.c", above.flags()) == "/takt/kernel/core/sched.c"
    )


def test_a_folder_the_compiler_cannot_be_told() -> None:
    odd = source_names.names(["-f", "-g"], Path("/a=b"), Path("/a=b/build"), [("L", Path("/l"))])
    assert len(odd.flags()) == 4 and not any("a=b" in flag for flag in odd.flags())


def test_what_a_linker_says_names_files_that_are_there() -> None:
    said = (
        "obj/sketch.o: In function `f':\n/sketch/blink.ino:2: undefined reference to `g'\n"
        "(/library/Beeper/Beeper.cpp:3) /home/sketch/other.c /sketches/x.c"
    )
    assert NAMES.told(said) == (
        f"obj/sketch.o: In function `f':\n{shown(SKETCH)}/blink.ino:2: undefined reference to `g'\n"
        f"({shown(LIBRARY)}/Beeper.cpp:3) /home/sketch/other.c /sketches/x.c"
    )
