"""A sketch has one ordinary loop(), or loops with budgets, not both."""

from __future__ import annotations

from takt.build.nm import Names
from takt.errors import UserError

PLAIN = "_Z4loopv"
PLAIN_THREAD = "takt_thread_loop"  # arduino/plain_loop.cpp: the thread that calls it
BUDGETED = "takt_sketch_has_loops"  # arduino/loops.h: in every object with a loop(id, C, T)


def wanted(names: Names, where: str) -> list[str]:
    """What has to be linked for an ordinary loop(), which jobs and tasks beside it do not ask for.
    names: of the sketch and its libraries. Raises when it would never run."""
    if {PLAIN, BUDGETED} <= names.defined:
        raise UserError(
            "the sketch has both loop() and loop(id, C, T)",
            where,
            "give loop() an id, a budget and a period too, or remove it",
        )
    return [PLAIN_THREAD] if PLAIN in names.defined else []
