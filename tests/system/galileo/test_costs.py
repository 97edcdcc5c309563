"""What events of pins behind the expander cost, against board.toml."""

from __future__ import annotations

import random

import numpy as np
from takt import boards
from takt.admit.events import costs_of
from takt.result.trace import Kind

SOURCE = """
volatile unsigned long n, calls;
void a() { calls = calls + 1; }
void b() { calls = calls + 1; }
void c() { calls = calls + 1; }
void d() { calls = calls + 1; }
void setup() {
  interruptsVcpu(15, 100);
  attachInterruptVcpu(0, a, CHANGE, 500_us, 10_ms);
  attachInterruptVcpu(4, b, RISING, 500_us, 12_ms);
  attachInterruptVcpu(9, c, FALLING, 500_us, 14_ms);
  attachInterruptVcpu(12, d, CHANGE, 500_us, 16_ms);
}
void loop(1, 200_us, 9_ms) { n = n + 1; }
void loop(2, 200_us, 20_ms) { n = n + 1; }
void loop(3, 200_us, 30_ms) { n = n + 1; delay(2); }
void loop(4, 200_us, 40_ms) { n = n + 1; }
void loop(5, 2, 50) { pinMode(13, n & 1 ? OUTPUT : INPUT); n = n + 1; }
void loop(6, 2, 60) { digitalWrite(11, n & 1); digitalRead(5); n = n + 1; }
void loop(7, 200_us, 70_ms) { n = n + 1; }
void loop(8, 2, 100) { n = n + 1; delay(7); }
"""
PINS = (0, 4, 9, 12)  # from the first port in use to the last
FOR_EVENTS, FOR_BUS = 3, 1  # enum takt_block_reason
SECONDS = 4


def edges(together: bool) -> str:
    """Changes of the pins: each alone, 4 to 30 ms apart, or all at once."""
    rng, at, text = random.Random(2), 100.0, ""
    levels = dict.fromkeys(PINS, 0)
    while at < 1000 * SECONDS - 100:
        for pin in PINS if together else [rng.choice(PINS)]:
            levels[pin] ^= 1
            level = "high" if levels[pin] else "low"
            text += f'[[stimuli]]\nat = "{at:.3f} ms"\npin = {pin}\nlevel = "{level}"\n'
        at += rng.uniform(8, 30)
    return text


def pieces(ran) -> list[tuple[list[float], list[float]]]:
    """Of each batch: CPU time of the bottom half's pieces, and what lies between, in us."""
    trace = ran.result.trace
    place = next(t.place for t in ran.built.threads if t.share)
    times, used = trace.used_until(place, False)
    batches, works, waits, start, blocked = [], [], [], None, None
    for time, kind, who, value in zip(
        trace.time, trace.kind, trace.place, trace.value, strict=True
    ):
        if who != place:
            continue
        if kind == Kind.READY and blocked is not None:
            waits.append(float(time - blocked))
            blocked = None
        elif kind == Kind.RUN and start is None:
            start = time
        elif kind == Kind.BLOCK and start is not None:
            works.append(float(np.interp(time, times, used) - np.interp(start, times, used)))
            start, blocked = None, time if value == FOR_BUS else None
            if value == FOR_EVENTS:
                batches.append((works, waits))
                works, waits = [], []
    return batches


def test_events_cost_at_most_what_the_board_says(make) -> None:
    costs = costs_of(boards.load("galileo"))
    batches = pieces(make(SOURCE, edges(together=False)).to(SECONDS))
    assert len(batches) > 100
    works = [max(works[i] for works, _ in batches) * 1000 for i in range(3)]
    waits = [max(waits[i] for _, waits in batches) * 1000 for i in range(2)]
    print("bottom half", works, "ns, waits", waits, "ns")
    assert len(costs.bottom_ns) == 3 and len(costs.wait_ns) == 2
    for seen, said in zip(works + waits, costs.bottom_ns + costs.wait_ns, strict=True):
        assert 0.5 * said <= seen <= said


def test_events_of_all_pins_at_once_cost_less_than_one_by_one(make) -> None:
    costs = costs_of(boards.load("galileo"))
    ran = make(SOURCE, edges(together=True)).to(SECONDS)
    most = max(sum(works) for works, _ in pieces(ran)) * 1000
    print("bottom half", most, "ns")
    assert most <= len(PINS) * sum(costs.bottom_ns)
    for handler in "abcd":
        assert ran.delivery_us(handler).max() <= ran.bound_us(handler)
