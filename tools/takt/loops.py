"""A sketch has one ordinary loop(), or loops with budgets, not both."""

from __future__ import annotations

import subprocess
from pathlib import Path

from takt.cmake import Target
from takt.errors import UserError

PLAIN = "_Z4loopv"
PLAIN_THREAD = "takt_thread_loop"  # arduino/plain_loop.cpp: the thread that calls it
BUDGETED = "takt_sketch_has_loops"  # arduino/loops.h: in every object with a loop(id, C, T)


def uses(target: Target, objects: list[Path], symbol: str) -> bool:
    """Whether the sketch and its libraries refer to a function of Takt."""
    return symbol in _symbols(target, objects, "-u")


def wanted(target: Target, objects: list[Path], where: str) -> list[str]:
    """What has to be linked for an ordinary loop(), which jobs and tasks beside it do not ask for.
    Raises when it would never run."""
    defined = _symbols(target, objects, "--defined-only")
    if {PLAIN, BUDGETED} <= defined:
        raise UserError(
            "the sketch has both loop() and loop(id, C, T)",
            where,
            "give loop() an id, a budget and a period too, or remove it",
        )
    return [PLAIN_THREAD] if PLAIN in defined else []


def _symbols(target: Target, objects: list[Path], which: str) -> set[str]:
    command = [target.tool("nm"), which, *map(str, objects)]
    listing = subprocess.run(command, capture_output=True, text=True).stdout
    return {line.split()[-1] for line in listing.splitlines() if line.strip()}
