"""A sketch has one ordinary loop(), or loops with budgets, not both; and what follows from that."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from takt.boards import Board
from takt.build import kernel
from takt.build.features import Features
from takt.build.nm import Names
from takt.errors import UserError
from takt.paths import shown

if TYPE_CHECKING:
    from takt.build.linker import Linker

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


def find_used(linker: Linker, objects: list[Path], own: Names) -> tuple[Features, bool]:
    """What the program uses of the kernel, and whether an ordinary loop() shares the CPU with what
    has a budget. Tells the linker what is linked for that."""
    plain = is_plain(own, shown(linker.compiler.sketch.main_file))
    used, company, linker.first = Features(), False, []
    if plain:
        linker.instead = in_interrupt(own, linker.board)
        used = linker.features(objects, own, [ALONE])
        company = bool(used & SHARED)
    if company or not plain:
        linker.instead = {}
        used = linker.features(objects, own, [BUDGETED_PLAIN] if plain else [])
    target, variant = linker.target, linker.compiler.variant
    if target.alone and kernel.is_of_one_thread(target, variant, used):
        linker.first = [target.alone]  # which use less
        used = linker.features(objects, own, linker.threads)
    return used, company
