"""A sketch has one ordinary loop(), or loops with budgets, not both."""

from __future__ import annotations

from takt.boards import Board
from takt.build.features import Features
from takt.build.nm import Names
from takt.errors import UserError

PLAIN = "_Z4loopv"
ALONE = "takt_thread_loop_alone"  # arduino/loop_alone.cpp: the thread that calls it
BUDGETED_PLAIN = "takt_thread_loop"  # arduino/plain_loop.cpp: the same with a budget
# arduino/start.cpp: runs setup() before any of several threads; to be seen before there is a kernel
# that calls it.
FIRST = "takt_before_jobs"
BUDGETED = "takt_sketch_has_loops"  # arduino/loops.h: in every object with a loop(id, C, T)


# On AVR budgets take two thirds of what flash there is. Where nothing else has one, handlers are
# called in the interrupt there, as by Arduino's core, and tones end in one: these are to be those.
IN_INTERRUPT = {
    "takt_attach_interrupt": "takt_attach_in_interrupt",
    "takt_attach_interrupt_param": "takt_attach_in_interrupt_param",
    "_Z4tonehjm": "takt_tone_isr",
    "_Z6noToneh": "takt_no_tone_isr",
}

# Features with which an ordinary loop() needs a budget: others have one, or run beside it.
SHARED = frozenset({"BUDGETS", "IO", "JOBS", "TASKS"})


def is_plain(names: Names, where: str) -> bool:
    """Is there an ordinary loop()? names: of the sketch and its libraries. Raises when it would
    never run."""
    if {PLAIN, BUDGETED} <= names.defined:
        raise UserError(
            "the sketch has both loop() and loop(id, C, T)",
            where,
            "give loop() an id, a budget and a period too, or remove it",
        )
    return PLAIN in names.defined


def in_interrupt(names: Names, board: Board) -> dict[str, str]:
    """What has a thread with a budget, and what is to be in its place if nothing else has one."""
    return {
        name: other
        for name, other in IN_INTERRUPT.items()
        if board.core == "avr" and name in names.referred
    }


def has_company(used: Features) -> bool:
    """Does loop() need a budget in a program that uses these features without it?"""
    return bool(used & SHARED)
