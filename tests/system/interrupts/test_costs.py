"""What events of pins cost on the pico, measured by the cycle, against board.toml."""

from __future__ import annotations

import random
from collections import defaultdict

import numpy as np
import pytest
from conftest import BOTTOM_HALF, EVENT, PINS_SOURCE
from takt import boards
from takt.admit.events import costs_of
from takt.machine.machine import Machine
from takt.result.trace import Kind, decode

SOURCE = """
volatile unsigned long n, calls;
void isr() { calls = calls + 1; }
void setup() {
  attachInterruptVcpu(3, isr, CHANGE, 500_us, 10_ms);
  attachInterruptVcpu(9, isr, RISING, 500_us, 12_ms);
  attachInterruptVcpu(23, isr, RISING, 500_us, 14_ms);
  attachInterruptVcpu(29, isr, CHANGE, 500_us, 16_ms);
  interruptsVcpu(15, 100);
}
void loop(1, 200_us, 9_ms) { n = n + 1; }
void loop(2, 200_us, 20_ms) { n = n + 1; }
void loop(3, 200_us, 30_ms) { n = n + 1; delay(2); }
void loop(4, 200_us, 40_ms) { n = n + 1; }
void loop(5, 200_us, 50_ms) { n = n + 1; }
void loop(6, 2, 60) { n = n + 1; delay(7); }
void loop(7, 200_us, 70_ms) { n = n + 1; }
void loop(8, 2, 100) { n = n + 1; }
"""
PINS = (3, 9, 23, 29)
HZ = 125_000_000
START, END = HZ // 50, HZ // 2
GAP = HZ // 1500  # between edges, on average
ENTRY = 16  # cycles before a handler's first instruction
HANDLER = 16 + PINS_SOURCE


@pytest.mark.parametrize("seed", [1, 3, 7])
def test_events_cost_at_most_what_the_board_says(make, seed: int) -> None:
    built = make(SOURCE)
    costs = costs_of(boards.load("pico"))
    machine = Machine("rp2040", "m0p")
    machine.load_elf(built.elf)
    _toggle(machine, random.Random(seed))
    machine.break_at(machine.symbol("isr_io_bank0") & ~1)
    tops: dict[int, int] = defaultdict(int)
    raw = b""
    while machine.now < END:
        stop = machine.run(min(END, machine.now + HZ // 1000))
        assert stop.reason != "halt", machine.fault()
        raw += machine.rtt_take(1)
        if stop.reason == "break":
            lines, cycles = _one_interrupt(machine)
            tops[lines] = max(tops[lines], 8 * cycles)
    place = next(t.place for t in built.threads if t.name == BOTTOM_HALF)
    bottom = _bottom_halves(decode(raw), place)
    print("by pins: top half in ns", dict(tops), "bottom half in us", bottom)
    assert tops[1] >= 0.75 * costs.top_ns
    assert all(ns <= lines * costs.top_ns for lines, ns in tops.items())
    assert bottom[1] * 1000 >= 0.6 * sum(costs.bottom_ns)
    for lines, us in bottom.items():  # 0: noted as the bottom half was about to wait, served after
        assert us * 1000 <= max(lines, 1) * sum(costs.bottom_ns), (lines, us)


def _toggle(machine: Machine, rng: random.Random) -> None:
    """Edges at random times, never two in one interrupt."""
    levels = dict.fromkeys(PINS, 0)
    for pin in PINS:
        machine.pin_drive(pin, 0, 1000)
    at = START
    while at < END:
        pin = rng.choice(PINS)
        levels[pin] ^= 1
        machine.pin_drive(pin, levels[pin], at)
        at += rng.randint(GAP // 5, 2 * GAP)


def _one_interrupt(machine: Machine) -> tuple[int, int]:
    """Pins served, and cycles, of the handler at whose first instruction the machine stands."""
    start, pins, note = machine.now, 0, machine.symbol("takt_io_raise_isr") & ~1
    machine.step()
    while machine.register(16) & 0x1FF == HANDLER:
        pins += machine.register(15) & ~1 == note
        machine.step()
    return pins, machine.now - start + ENTRY


def _bottom_halves(trace, place: int) -> dict[int, float]:
    """The longest run of the bottom half from its start until it waits, by the number of pins it
    had events for; interrupts are taken out."""
    times, used = trace.used_until(place, False)
    longest: dict[int, float] = defaultdict(float)
    lines, start = 0, None
    for time, kind, who in zip(trace.time, trace.kind, trace.place, strict=True):
        if kind == EVENT:
            lines += 1
        elif kind == Kind.RUN and who == place and start is None:
            start = time
        elif kind == Kind.BLOCK and who == place and start is not None:
            took = np.interp(time, times, used) - np.interp(start, times, used)
            longest[lines] = max(longest[lines], float(took))
            lines, start = 0, None
    return dict(longest)
