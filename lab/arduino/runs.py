"""Sketches of ours that use libraries, run in worlds with the part that the library is for.

Beside each of them, in libraries/<library>/, says.txt has lines that the board must write to its
serial port, in that order; shows.txt lines of pictures that parts must give.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from takt import boards
from takt.build import build
from takt.cli import run
from takt.errors import UserError
from takt.world import world

from . import core

SKETCHES = Path(__file__).parent / "libraries"
SAYS, SHOWS = "says.txt", "shows.txt"
SECONDS = 6
BOARDS = ("pico", "uno")
OUT = core.WORK / "runs"


@dataclass(frozen=True)
class Run:
    library: str
    sketch: Path
    board: str

    @property
    def name(self) -> str:
        return f"{self.library}/{self.sketch.name}"


def of(folder: Path) -> Iterator[Run]:
    """Of the libraries that are in a folder."""
    for sketch in sorted(SKETCHES.glob("*/*/")):
        library = sketch.parent.name
        if (folder / library).is_dir():
            yield from (Run(library, sketch, board) for board in BOARDS)


def failure(one: Run, folder: Path) -> str:
    """Why a run is not as it must be; empty: it is."""
    board = boards.load(one.board)
    try:
        built = build.build(one.sketch, board, out=OUT / one.board / one.name, extra_libs=(folder,))
        told = run.run(built, world.load(one.sketch, board), SECONDS).as_dict()
    except UserError as error:
        return " ".join(str(error).split())
    return _missing(one.sketch / SAYS, told["serial"]) or _missing(
        one.sketch / SHOWS, json.dumps(told["pictures"], ensure_ascii=False), in_order=False
    )


def _missing(expected: Path, text: str, in_order: bool = True) -> str:
    """The first line that is not there."""
    if not expected.is_file():
        return ""
    at = 0
    for line in filter(None, expected.read_text(encoding="utf-8").splitlines()):
        found = text.find(line, at)
        if found < 0:
            return f"{expected.name}: nowhere: {line}"
        at = found + len(line) if in_order else 0
    return ""
