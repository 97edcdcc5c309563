"""What the instructions of a function take, and where it goes on from each: the ground on which
lengths.py finds the longest way. Cycles are never below what a core takes, on some above."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from takt.code.elf import Symbol

ENDS = -64  # of Step.masks: interrupts are on from here
RESTORES = -1  # they are as they were before


@dataclass(frozen=True)
class Step:
    """An instruction."""

    at: int
    cycles: int
    to: tuple[int, ...] = ()  # addresses in the function
    calls: tuple[int, ...] = ()  # addresses of functions; one that is jumped to comes back there
    pointer: bool = False  # calls what is not known
    argument: int | None = None  # the first of a call, where it is one number
    third: int | None = None  # and the third
    masks: int = 0  # 1: interrupts are off from here; RESTORES; ENDS


Steps = dict[int, Step]


class Stepper(Protocol):
    """Of an instruction set."""

    known: dict[str, int]  # registers that always hold the same number

    def steps(self, symbol: Symbol) -> Steps: ...

    def onward(
        self, step: Step, before: dict[str, int]
    ) -> tuple[tuple[int, ...], dict[str, int]]: ...


def one(numbers: frozenset[int]) -> int | None:
    """The number, if there is one only."""
    return next(iter(numbers)) if len(numbers) == 1 else None
