"""What board.toml says of costs, against the program by the cycle; what two threads cost."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import pytest
from everywhere import AVR
from programs import Run
from takt.code.elf import Program

GPIOR0, GPIOR2 = 0x80003E, 0x80004B
IN_ISR, ON_STACK = 1, 2  # bits of GPIOR0, see port/avr/port_inline.h
RETI = b"\x18\x95"
OUTSIDE = 40  # cycles of an interrupt before it sets IN_ISR and after it clears it, at most


@dataclass
class Found:
    """In cycles."""

    alarms: list[int] = field(default_factory=list)
    dispatches: list[int] = field(default_factory=list)
    off: int = 0


def code(run: Run, name: str) -> bytes:
    place = Program(run.elf).by_name[name]
    return run.machine.read(place.address, place.size)


def handlers(stores: list[tuple[int, int, int]]) -> list[tuple[int, int]]:
    """When each handler began and ended."""
    found, begun = [], None
    for cycle, _, value in stores:
        if value & IN_ISR and begun is None:
            begun = cycle
        elif not value & IN_ISR and begun is not None:
            found.append((begun, cycle + OUTSIDE))
            begun = None
    return found


def measured(run: Run, seconds: float) -> Found:
    """Stretches between leaving a thread's code and being back in some thread's."""
    machine, found = run.machine, Found()
    end = run.board.clock_hz * (0.3 + seconds)
    machine.run(int(run.board.clock_hz * 0.3))
    alarm = "__vector_11" if run.board.name == "uno" else "__vector_13"
    ins = {machine.symbol(name) for name in (alarm, "takt_sleep")}
    reti = machine.symbol("port_isr") + code(run, "port_isr").index(RETI)
    for address in (*ins, reti, machine.symbol("napped")):
        machine.break_at(address)
    machine.log_write(GPIOR0)
    machine.log_masked()
    left = None
    while machine.now < end:
        stop = machine.run(int(end))
        if stop.reason != "break":
            break
        on_stack = machine.read(GPIOR0, 1)[0] & ON_STACK
        if stop.detail in ins and left is None:
            left = machine.now
        elif stop.detail not in ins and not on_stack and left is not None:
            stretch(found, machine.stores(), left, machine.now)
            left = None
    found.off = max(stretch.cycles for stretch in machine.masked())
    return found


def stretch(found: Found, stores: list[tuple[int, int, int]], left: int, back: int) -> None:
    own = [(begun, ended) for begun, ended in handlers(stores) if begun >= left]
    found.alarms += [ended - begun + OUTSIDE for begun, ended in own]
    one = len(own) < 2  # else it did the work of several
    if one and any(value & ON_STACK for cycle, _, value in stores if cycle >= left):
        found.dispatches.append(back - left - sum(e - b + OUTSIDE for b, e in own))


@pytest.mark.parametrize("board", [pytest.param(AVR[0], marks=pytest.mark.smoke), *AVR[1:]])
def test_switches_alarms_and_interrupts_off(start, board: str) -> None:
    run = start(board, "loops.c")
    found, us = measured(run, 1.0), run.board.clock_hz / 1e6
    for what, cycles, share in (("switch", found.dispatches, 0.9), ("alarm", found.alarms, 0.9)):
        assert len(cycles) > 300
        most = sorted(cycles)[int(len(cycles) * share)] / us * 1000
        print(what, most, len(cycles))
        assert 0.7 * run.board.costs[what] <= most <= run.board.costs[what], what
    print("off", found.off / us)
    assert 0.7 * run.board.costs["critical"] <= found.off / us * 1000 <= run.board.costs["critical"]


@pytest.mark.parametrize("board", AVR)
def test_two_threads_and_a_semaphore(start, board: str) -> None:
    run = start(board, "pingpong.c")
    run.machine.log_write(GPIOR2)
    run.machine.run(20_000)
    marks = [(cycle, value & 0xFF) for cycle, _, value in run.machine.stores()][8:]
    took = {(a, b): end - begin for (begin, a), (end, b) in itertools.pairwise(marks)}
    print(took)
    assert took[1, 4] <= 332  # wait, and the other thread goes on
    assert took[3, 2] <= 344  # signal, and the more urgent thread runs
    ram = [run.machine.symbol(f"__takt_{name}") for name in ("stacks_end", "ram_end")]
    assert run.machine.symbol("__takt_flash_end") <= 1300
    assert ram[1] - ram[0] <= 64
