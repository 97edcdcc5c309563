"""What a program's start admits is what takt check admits, to the microsecond of a budget."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from takt.admit import events, layout, pipe_records, verdicts
from takt.admit.locks import Locks
from takt.boards import load
from takt.code.elf import Program
from takt.code.stacks_host import stacks_of

PC = load("pc")
LAST, LONGEST_US = "last", 7000
CASES = {
    "1": (1,),
    "1 that sends": (1, "-DSERIAL"),
    "2": (2, "-DTWO_SHARES"),
    "1 beside threads without a budget": (1, "-DBACKGROUND"),
    "4 beside threads without a budget": (4, "-DTWO_SHARES", "-DLOOPS", "-DBACKGROUND"),
    "4 that send": (4, "-DTWO_SHARES", "-DSERIAL", "-DLOOPS"),
}


def admits(elf: Path, cpus: int, budget_us: int | None = None) -> bool:
    """takt check, of the program; or if `last` had another budget."""
    program = Program(elf)
    threads = layout.threads(program, stacks_of(program, PC))
    if budget_us is not None:
        threads = [
            replace(one, budget_us=budget_us) if one.name == LAST else one for one in threads
        ]
    pins = events.find(threads, PC, program)
    asked = pipe_records.find(program, threads, pins.costs.start_us)
    verdict = verdicts.judge(threads, PC, program, pins, asked, Locks(seen=False), cpus)
    assert verdict
    return verdict.admitted


def largest(elf: Path, cpus: int) -> int:
    """The largest budget that is admitted."""
    good, bad = 1, LONGEST_US
    assert admits(elf, cpus, good) and not admits(elf, cpus, bad)
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if admits(elf, cpus, middle) else (good, middle)
    return good


@pytest.mark.parametrize("case", CASES)
def test_both_draw_the_same_line(start, case: str) -> None:
    cpus, *flags = CASES[case]
    budget = largest(start("pc", "border.c", "-I../qemu", *flags, cpus=cpus).elf, cpus)
    for one, admitted in ((budget, True), (budget + 1, False)):
        run = start("pc", "border.c", "-I../qemu", *flags, cpus=cpus, takt_vcpu_last=one)
        assert admits(run.elf, cpus) == admitted
        assert run.until_done(300) == ("done" if admitted else "halt"), run.text
        assert ("no room for its budget" in run.text) != admitted
