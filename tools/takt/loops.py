"""A sketch has one ordinary loop(), or loops with budgets, not both."""

from __future__ import annotations

import subprocess
from pathlib import Path

from takt.cmake import Target
from takt.errors import UserError

PLAIN = "_Z4loopv"
BUDGETED = "takt_sketch_has_loops"  # arduino/loops.h: in every object with a loop(id, C, T)


def uses(target: Target, objects: list[Path], symbol: str) -> bool:
    """Whether the sketch and its libraries refer to a function of Takt."""
    command = [target.tool("nm"), "-u", *map(str, objects)]
    listing = subprocess.run(command, capture_output=True, text=True).stdout
    return symbol in listing.split()


def check(target: Target, objects: list[Path], where: str) -> None:
    """Raises when an ordinary loop() would never run."""
    command = [target.tool("nm"), "--defined-only", *map(str, objects)]
    listing = subprocess.run(command, capture_output=True, text=True).stdout
    defined = {line.split()[-1] for line in listing.splitlines() if line.strip()}
    if {PLAIN, BUDGETED} <= defined:
        raise UserError(
            "the sketch has both loop() and loop(id, C, T)",
            where,
            "give loop() an id, a budget and a period too, or remove it",
        )
