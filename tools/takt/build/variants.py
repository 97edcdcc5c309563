"""Variants of a program: with the trace, without it, and without it but optimised at link time.

What can be optimised so has threads, semaphores and mutexes only: with budgets, tasks or the
Arduino API it is the dispatcher that switches threads, and that does not become part of its
callers. It may even be linked too late to be seen: what assembler refers to in a program is looked
for after that has been optimised.
"""

from __future__ import annotations

import re

from takt import boards
from takt.boards import Board
from takt.build.features import Features
from takt.build.sketch import Sketch
from takt.code.elf import Program
from takt.errors import UserError
from takt.paths import ROOT, shown

INLINED = ("takt_sem_wait", "takt_sem_signal")  # port/armv6m/sem_lto.c
SWITCHED = {"BUDGETS", "TASKS"}  # features with which the dispatcher switches threads
SUFFIX = {"trace": "", "plain": "-no-trace", "lto": "-lto"}  # of the folder of the outputs
PORT = re.compile(r"^set\(TAKT_PORT (\w+)\)", re.MULTILINE)


def choose(found: Sketch, board: Board, trace: bool, lto: bool) -> str:
    """The one to build, as cmake.target_libraries() calls it; raises where it cannot be had."""
    if lto:
        _require_lto(found, board)
        return "lto"
    return "trace" if trace else "plain"


def check(program: Program, variant: str, used: Features, where: str) -> list[str]:
    """Raises where another semaphore is linked than the one that is inlined; warns of what has not
    been inlined: the compiler does that where it is called in one place only, more or less."""
    if variant != "lto":
        return []
    if used & SWITCHED:
        raise UserError(
            "--lto is of no use for a program with budgets or tasks: threads are switched by the "
            "dispatcher, which stays as it is",
            where,
            "do without; it is for programs of threads and semaphores",
        )
    functions = {symbol.name.split(".")[0] for symbol in program.functions}
    return [
        f"{name}() is called in several places and has not become part of them: that is slower "
        "than without --lto"
        for name in INLINED
        if name in functions
    ]


def all_of(board: Board) -> list[str]:
    """What there can be for a board."""
    return [variant for variant in SUFFIX if variant != "lto" or has_lto(board)]


def has_lto(board: Board) -> bool:
    """Whether its port has the source for it (cmake/target.cmake)."""
    base = board.raw.get("base")
    folder = boards.FOLDER / base if base else board.folder
    port = PORT.search((folder / "board.cmake").read_text(encoding="utf-8"))
    return bool(port and list((ROOT / "port" / port[1]).glob("*_lto.c")))


def _require_lto(found: Sketch, board: Board) -> None:
    if not has_lto(board):
        able = ", ".join(name for name in boards.names() if has_lto(boards.load(name)))
        raise UserError(
            f"programs for {board.name} cannot be optimised at link time",
            "--lto",
            f"do without, or choose another board: {able}",
            2,
        )
    if board.compiler != boards.GCC:
        raise UserError("--lto is for GCC, which links", "--compiler", "leave one of them out", 2)
    if found.tabs:
        raise UserError(
            "--lto is of no use for a sketch: with the Arduino API threads are switched by the "
            "dispatcher, which stays as it is",
            shown(found.main_file),
            "do without; it is for C programs of threads and semaphores",
            2,
        )
