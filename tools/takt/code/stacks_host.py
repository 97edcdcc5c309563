"""Stacks of programs of any board. Those of a host process (the board sim) and of a PC are simply
large: their functions have no known need, and nothing of them is analysed. On a PC there is a page
below each that is not there, so an overflow is told."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

from takt.boards import Board
from takt.code.deepest import Need
from takt.code.elf import Descriptor, Program
from takt.code.facts import Facts
from takt.code.stacks import Stacks

STACK_BYTES = 128 * 1024  # as TAKT_STACK_BYTES_() adds to what is asked for


class HostStacks:
    """What the build asks of Stacks, where memory is plenty."""

    guard = least = 0

    def __init__(self, program: Program) -> None:
        self.facts = Facts(program)
        self.graph = SimpleNamespace(functions={f.address: f for f in program.functions})

    def thread(self, _: Descriptor) -> Need:
        return Need(STACK_BYTES)

    def interrupts(self) -> Need:
        """Handlers run on the stack of whom they interrupt, or on large ones."""
        return Need(0)

    def jumps(self, _need: Need, _stack: int) -> bool:
        return False

    def guarded(self, stacks: Sequence[int]) -> list[bool]:
        return [True for _ in stacks]

    def count(self, levels: int) -> None:
        """Stacks are large ones."""

    def aligned(self, size: int) -> int:
        return size


def stacks_of(
    program: Program, board: Board, before: Stacks | HostStacks | None = None
) -> Stacks | HostStacks:
    """The needs of a program for a board. before: of the same, with other sizes of stacks."""
    if board.core in ("host", "x86_64"):
        return HostStacks(program)
    graph = before.graph if isinstance(before, Stacks) else None
    return Stacks(program, board.raw.get("priorities", ()), graph)
