"""Threads that event flags or a condition wake at once: the more may wait, the longer interrupts
are off."""

from __future__ import annotations

from dataclasses import replace

from takt.boards import Board
from takt.code.elf import Program

TABLE = "takt_table"  # of threads, where they may be created at run time
WAKE = {"takt_flags_set", "takt_flags_set_isr", "takt_cond_signal", "takt_cond_broadcast"}
MORE = 2  # waiters that take as long as the call itself
MOST = 64  # threads, where they may be created at run time


def off_ns(waiter_ns: int, waiters: int) -> int:
    """How long interrupts are off while so many are woken."""
    return waiter_ns * (waiters + MORE)


def known_to(board: Board, program: Program, threads: int) -> Board:
    """The board, its `critical` as long as it is in a program of so many threads."""
    if not WAKE & program.by_name.keys():
        return board
    if TABLE in program.by_name:
        threads = MOST
    off = off_ns(int(board.costs.get("waiter", 0)), threads - 1)
    longest = max(off, int(board.costs.get("critical", 0)))
    return replace(board, costs=board.costs | {"critical": longest})
