"""What threads' accounts say they used, against cycles: those that the thread below did not get, or
that the CPU was awake."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

import pytest
from everywhere import AVR, OURS
from programs import Run

BOARDS = (*OURS, *AVR[:1])
THREADS = ("a", "b", "c")
BEGIN, END = 0.05, 0.25  # s
ALARMS = int((END - BEGIN) * 1e6 * (1 / 900 + 1 / 1300))
WAKES = int(1.6 * ALARMS)  # by a semaphore, too
TOO_MUCH = 8  # cycles of a wake-up that are counted twice, at most
TO_SLEEP = 200  # cycles, at most, that the CPU is awake with no thread ready
AWAKE = {  # cycles of the CPU, as measured: without jitter, with it
    "pico": (1_765_314, 1_217_029),
    "stm32f051": (2_030_276, 1_441_589),
    "uno": (2_287_536, 1_888_173),
}
HALF_A_PERIOD = 1  # of jitter
JITTER = pytest.mark.parametrize("jitter", [0, HALF_A_PERIOD])


@dataclass(frozen=True)
class Seen:
    """At a turn of the thread without budget."""

    cycle: int
    turns: int
    used: float  # cycles, by the accounts of the others


def used(run: Run, thread: str) -> float:
    """Of the budget that the thread began with, in cycles."""
    machine, cycles_per_us = run.machine, run.board.clock_hz / 1e6
    vcpu = machine.symbol(f"takt_vcpu_{thread}")

    def field(name: str) -> int:
        raw = machine.read(vcpu + run.value(f"{name}_at"), 4)
        return int.from_bytes(raw, "little")

    parts = run.value("parts")
    untaken = (field("given") * parts - field("left")) & 0xFFFFFFFF
    return (untaken / parts - field("head_amount")) * cycles_per_us


def seen(run: Run) -> Seen:
    return Seen(run.machine.now, run.value("turns"), sum(used(run, one) for one in THREADS))


def turns(run: Run, until: float) -> Iterator[Seen]:
    """From now on, each."""
    turned = run.machine.symbol("turned")
    run.machine.break_at(turned)
    while run.machine.run(int(until * run.board.clock_hz)).reason == "break":
        yield seen(run)
    run.machine.break_at(turned, False)


@JITTER
@pytest.mark.parametrize("board", BOARDS)
def test_they_have_all_that_the_lowest_thread_has_not(start, board: str, jitter: int) -> None:
    run = start(board, "accounts.c", jitter=jitter)
    run.machine.run(int(BEGIN * run.board.clock_hz))
    few = list(islice(turns(run, END), 100))
    run.machine.break_at(run.machine.symbol("turned"), False)
    run.machine.run(int(END * run.board.clock_hz))
    begin, end = few[-1], next(turns(run, END + 0.1))
    turn = min(b.cycle - a.cycle for a, b in pairwise(few))
    theirs = end.cycle - begin.cycle - (end.turns - begin.turns) * turn
    assert theirs > 0.05 * (end.cycle - begin.cycle)
    assert 0 <= end.used - begin.used - theirs <= TOO_MUCH * WAKES


@JITTER
@pytest.mark.parametrize("board", BOARDS)
def test_they_have_all_that_the_cpu_was_awake(start, board: str, jitter: int) -> None:
    run = start(board, "accounts.c", jitter=jitter, alone=1)
    machine, spent = run.machine, []
    for at in (BEGIN, END):
        machine.run(int(at * run.board.clock_hz))
        spent.append((machine.now - machine.sleep_cycles, seen(run).used))
    (awake, used), (awake_then, used_then) = spent
    print(awake_then - awake)
    assert 0.98 * AWAKE[board][jitter] < awake_then - awake <= AWAKE[board][jitter]
    more = used_then - used - (awake_then - awake)
    assert -TO_SLEEP * ALARMS <= more <= TOO_MUCH * WAKES
