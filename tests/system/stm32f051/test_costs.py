"""What board.toml says of costs, against the running program by the cycle."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from conftest import Ran
from stepping import Profile, profile
from takt import boards
from takt.elf import Program
from takt.events import costs_of
from takt.owners import BUDGETS, C_LIBRARY, KERNEL, TRACE, pieces

BOARD = boards.load("stm32f051")
CLOCK = ("port_now", "port_alarm")  # the board's, but part of the kernel's work
US = BOARD.clock_hz / 1e6
SERIAL, WIRE, ALARM = 27, 23, 15
EVENT, RUN, BLOCK = 14, 2, 4  # enum takt_event_kind

LOOPS = """
volatile unsigned long n;
void setup() { Serial.begin(115200); }
void loop(1, 200_us, 9_ms) { n = n + 1; }
void loop(2, 200_us, 20_ms) { n = n + 1; }
void loop(3, 200_us, 30_ms) { n = n + 1; delay(2); }
void loop(4, 200_us, 40_ms) { n = n + 1; }
void loop(5, 200_us, 50_ms) { n = n + 1; delay(500_us); }
void loop(6, 2, 60) { n = n + 1; delay(7); }
void loop(7, 200_us, 70_ms) { n = n + 1; Serial.println(n); delay(11); }
void loop(8, 2, 100) { n = n + 1; }
"""
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


def stepped(ran: Ran, seconds: float) -> Profile:
    program = Program(ran.built.elf)
    of_kernel = (KERNEL, BUDGETS, TRACE, C_LIBRARY)
    flash = range(BOARD.flash.origin, BOARD.flash.origin + BOARD.flash.size)
    kernel: set[int] = set()
    for piece in pieces(ran.built.out / "obj" / "linked.map"):
        if piece.owner in of_kernel and piece.address in flash:
            kernel.update(range(piece.address, piece.address + piece.size, 2))
    for name in CLOCK:
        function = program.by_name[name]
        kernel.update(range(function.address, function.address + function.size, 2))
    return profile(ran.machine, program, kernel, ran.session.bench.cycles(seconds * 1e9))


def test_switches_alarms_and_interrupts_off(make) -> None:
    found = stepped(make(LOOPS).to(0.1), 0.22)
    dispatches = sorted(found.dispatches)
    most = dispatches[int(len(dispatches) * 0.95)] / US * 1000
    assert 0.7 * BOARD.costs["switch"] <= most <= BOARD.costs["switch"]
    alarms = sorted(found.handlers[ALARM])
    most = alarms[int(len(alarms) * 0.9)] / US * 1000
    assert 0.7 * BOARD.costs["alarm"] <= most <= BOARD.costs["alarm"]
    off, where = found.masked
    assert 0.7 * BOARD.costs["critical"] <= off / US * 1000 <= BOARD.costs["critical"], where
    cost = {one["name"]: one["cost_ns"] for one in BOARD.raw["interrupts"]}
    sent = [cycles / US * 1000 for cycles in found.handlers[SERIAL]]
    assert max(sent) <= cost["Serial sends"] + cost["Serial has sent"]
    assert np.median(sent) <= cost["Serial sends"]


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
