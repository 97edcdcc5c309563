"""The share of an ordinary loop(): as much as arduino/plain_loop.cpp says, or less, if only less
fits beside the rest of the program. The build writes it into the linked program."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import replace

from takt.admit.admission import Admission
from takt.admit.fixes import PLAIN, boundary, duration
from takt.admit.layout import Thread
from takt.admit.pipes import Pipe
from takt.code.elf import Program

LEAST_US, STEP_US = 1000, 100
Admits = Callable[[list[Thread]], bool]  # is the program admitted with these?


def admitted(verdict: Admission | None, pipes: Sequence[Pipe]) -> bool:
    """Is the program admitted, and every pipe?"""
    return (verdict is None or verdict.admitted) and not any(pipe.refusal for pipe in pipes)


def fitted(threads: list[Thread], admits: Admits) -> list[Thread]:
    """The threads with the share that loop() gets: the largest multiple of STEP_US that is
    admitted. If none is, the least there may be: then it is not for loop() that the program is
    refused."""
    index = next(n for n, thread in enumerate(threads) if thread.name == PLAIN)
    most = threads[index].budget_us or 0

    def given(steps: int) -> list[Thread]:
        changed = replace(threads[index], budget_us=steps * STEP_US)
        return [*threads[:index], changed, *threads[index + 1 :]]

    if admits(threads):
        return threads
    least = LEAST_US // STEP_US
    if not admits(given(least)):
        return given(least)
    return given(boundary(least, -(-most // STEP_US), lambda steps: admits(given(steps))))


def told(before: Sequence[Thread], after: Sequence[Thread]) -> list[str]:
    """What is said of a share that is less than usual."""
    return [
        f"{own.name} gets {duration(own.budget_us or 0)} in every {duration(own.period_us or 0)}: "
        f"what fits beside all else, up to {duration(usual.budget_us or 0)}; "
        "for another share, write void loop(id, C, T)"
        for usual, own in zip(before, after, strict=True)
        if usual.budget_us != own.budget_us
    ]


def in_image(program: Program, threads: Sequence[Thread]) -> dict[int, int]:
    """What the build fills in, bytes by address: the budget of loop(), with which its struct
    takt_vcpu begins."""
    own = next(thread for thread in threads if thread.name == PLAIN)
    at = program.threads()[own.place].vcpu
    return {at + n: byte for n, byte in enumerate(struct.pack("<I", own.budget_us))}
