"""What board.toml says of pins' events, against the running program."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from takt import boards
from takt.admit.events import costs_of

BOARD = boards.load("stm32f051")
EVENT, RUN, BLOCK = 14, 2, 4  # enum takt_event_kind

EVENTS = """
volatile unsigned long n, calls;
void isr() { calls = calls + 1; }
void setup() {
  attachInterruptVcpu(3, isr, CHANGE, 500_us, 10_ms);
  attachInterruptVcpu(9, isr, RISING, 500_us, 12_ms);
  interruptsVcpu(15, 100);
}
void loop(1, 200_us, 9_ms) { n = n + 1; }
void loop(2, 2, 20) { n = n + 1; delay(1); }
"""
WAVES = """
[parts.a]
type = "square-wave"
pin = 3
frequency = "311 Hz"
start = "20 ms"

[parts.b]
type = "square-wave"
pin = 9
frequency = "170 Hz"
start = "20 ms"
"""


def test_events_of_pins(make) -> None:
    costs = costs_of(BOARD)
    ran = make(EVENTS, WAVES).to(0.4)
    trace = ran.result.trace
    start, end, source = trace.isr
    tops = (end - start)[np.isin(source, (5, 6, 7))]
    assert 0.4 * costs.top_ns / 1000 <= tops.max() <= costs.top_ns / 1000
    place = next(t.place for t in ran.built.threads if t.name.startswith("bottom half"))
    found = bottom_halves(trace, place)
    print("top halves up to", tops.max(), "us, bottom half", found)
    assert 0.4 * sum(costs.bottom_ns) <= found[1] * 1000
    for lines, us in found.items():
        assert lines == 0 or us * 1000 <= lines * sum(costs.bottom_ns), (lines, us)
    assert ran["calls"] > 120


def bottom_halves(trace, place: int) -> dict[int, float]:
    """The longest run of the bottom half from its start until it waits, by the number of pins it
    had events for; interrupts are taken out."""
    times, used = trace.used_until(place, False)
    longest: dict[int, float] = defaultdict(float)
    lines, start = 0, None
    for time, kind, who in zip(trace.time, trace.kind, trace.place, strict=True):
        if kind == EVENT:
            lines += 1
        elif kind == RUN and who == place and start is None:
            start = time
        elif kind == BLOCK and who == place and start is not None:
            took = np.interp(time, times, used) - np.interp(start, times, used)
            longest[lines] = max(longest[lines], float(took))
            lines, start = 0, None
    return dict(longest)


@pytest.mark.parametrize("name", ["stm32f051", "stm32f051-4k"])
def test_boards_have_the_same_costs(name: str) -> None:
    assert boards.load(name).costs == BOARD.costs
