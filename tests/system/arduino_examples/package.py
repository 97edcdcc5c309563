"""Debian's packages `arduino` and `arduino-core-avr`, unpacked below build/ by the set-up of the
tests; never part of the repository."""

from __future__ import annotations

from pathlib import Path

import needed
from takt.paths import BUILD

CATEGORIES = (
    "01.Basics",
    "02.Digital",
    "03.Analog",
    "04.Communication",
    "05.Control",
    "08.Strings",
)
UNPACKED = BUILD / "assets" / "arduino" / "usr" / "share"
EXAMPLES = UNPACKED / "doc" / "arduino" / "examples"
LIBRARIES = UNPACKED / "arduino" / "hardware" / "arduino" / "avr" / "libraries"
OURS = ("Wire", "SPI")  # libraries of the package that Takt has too


def examples() -> Path:
    """The folder of the examples."""
    return _there(EXAMPLES)


def names(folder: Path) -> set[str]:
    """category/sketch of everything in the categories."""
    return {
        f"{category}/{sketch.parent.name}"
        for category in CATEGORIES
        for sketch in (folder / category).glob("*/*.ino")
    }


def library_sketches() -> dict[str, Path]:
    """library/sketch of the examples that come with libraries, and those of the starter kit that
    use Servo, which comes with none."""
    found = {
        f"{library}/{sketch.parent.name}": sketch.parent
        for library in OURS
        for sketch in _there(LIBRARIES).glob(f"{library}/examples/*/*.ino")
    }
    kit = examples() / "10.StarterKit_BasicKit"
    servos = (one for one in kit.glob("*/*.ino") if "Servo.h" in one.read_text())
    return found | {f"Servo/{one.parent.name}": one.parent for one in servos}


def _there(folder: Path) -> Path:
    if not folder.is_dir():
        needed.lacks("Debian's arduino packages are not here: ./takt test fetches them")
    return folder
