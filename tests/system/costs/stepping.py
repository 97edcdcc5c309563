"""What the kernel and the drivers cost, by stepping through a running program."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field

from takt.code.elf import Program
from takt.machine.machine import Machine

ENTRY = 16  # cycles of an exception before its first instruction, at most
SLEPT = 60  # cycles of one step: no instruction takes as long, so the core slept
PC, XPSR, PRIMASK = 15, 16, 19
DISPATCH = ("takt_block_locked", "takt_preempt")
OTHERS, PENDSV = 2, 3  # priorities


@dataclass
class Profile:
    """Longest times in cycles, and where."""

    handlers: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    dispatches: list[int] = field(default_factory=list)
    masked: tuple[int, str] = (0, "")  # longest stretch with interrupts off


def profile(
    machine: Machine, program: Program, kernel: set[int], priorities: dict[int, int], until: int
) -> Profile:
    """Steps to a cycle. kernel: addresses of kernel and port, whose end ends a dispatch.
    priorities: of interrupts, where they are not OTHERS."""

    def priority(exception: int) -> int:
        return priorities.get(exception - 16, OTHERS) if exception >= 16 else PENDSV

    functions = program.functions
    starts = [f.address for f in functions]
    begin = {program.by_name[name].address for name in DISPATCH}
    found = Profile()
    nest: list[list[int]] = []  # exception, its start, cycles of those that interrupted it
    off: int | None = None
    dispatch: int | None = None
    away = 0
    now = machine.now
    while now < until:
        machine.run(now + 1)
        before, now = now, machine.now
        exception = machine.register(XPSR) & 0x1FF
        pc = machine.register(PC) & ~1
        if now - before > SLEPT:
            off, dispatch = None, None
        if machine.register(PRIMASK):
            off = before if off is None else off
        elif off is not None:
            if now - off > found.masked[0]:
                found.masked = (now - off, functions[bisect_right(starts, pc) - 1].name)
            off = None
        current = nest[-1][0] if nest else 0
        if exception != current:
            if nest and (exception == 0 or priority(exception) >= priority(current)):
                number, start, inner = nest.pop()
                took = now - start - inner
                if number >= 16:
                    found.handlers[number - 16].append(took)
                    away += took + (ENTRY if not nest else 0)
                if nest:
                    nest[-1][2] += took
            if exception and (not nest or nest[-1][0] != exception):
                nest.append([exception, now - ENTRY, 0])
        if exception == 0:
            if pc in begin:
                dispatch, away = before, 0
            elif dispatch is not None and pc not in kernel:
                found.dispatches.append(now - dispatch - away)
                dispatch = None
    return found
