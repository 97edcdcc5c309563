"""Pins that change as fast as the world can, on every board that has their interrupts."""

from __future__ import annotations

import pytest
from conftest import BOTTOM_HALF, EVENT, EVERY, Ran, wave
from takt.admit.events import costs_of

pytestmark = pytest.mark.parametrize("board", EVERY)

ONE = """
volatile unsigned long a, b, calls;
void hit() { calls = calls + 1; }
void setup() { attachInterrupt(digitalPinToInterrupt(2), hit, MODE); }
void loop(1, 30, 100) { for (;;) a++; }
void loop(2, 15, 50) { for (;;) b++; }
"""
TWO = """
volatile unsigned long a, b, fast, slow;
void many() { fast = fast + 1; }
void few() { slow = slow + 1; }
void setup() { attachInterrupt(4, many, CHANGE); attachInterrupt(PIN, few, RISING); }
void loop(1, 10, 100) { delay(3); }
void loop(2, 20, 100) { for (;;) b++; }
"""
SHARE = 5 / 100
MORE_TOPS = {"uno": 2}  # of an event: for an edge of the other kind, and the alarm


def storm(ran: Ran, pins: int) -> None:
    """What it may cost."""
    events, tops = ran.count(EVENT), ran.top_us
    costs = costs_of(ran.built.board)
    print(
        f"{len(tops)} interrupts, {tops.sum()} us, {events} events, {ran.delivery_us('handlers')}"
    )
    assert len(tops) <= (1 + pins * MORE_TOPS.get(ran.built.board.name, 0)) * events
    assert tops.sum() <= (events + pins) * costs.top_ns / 1000
    assert ran.threads[BOTTOM_HALF]["cpu_us"] + tops.sum() <= SHARE * ran.seconds * 1e6
    assert ran.delivery_us("handlers").max() <= ran.bound_us("handlers")


@pytest.mark.parametrize(
    ("frequency", "mode"), [("1 kHz", "RISING"), ("8 kHz", "CHANGE"), ("1 MHz", "RISING")]
)
def test_one_pin(run, frequency: str, mode: str) -> None:
    ran: Ran = run(ONE.replace("MODE", mode), 1, wave(2, frequency))
    ran.has_its_budget("loop 1", "loop 2")
    assert ran["calls"] >= 18
    storm(ran, 1)


@pytest.mark.parametrize("slow", [5, 9])  # on the uno: of the same port, of another
@pytest.mark.parametrize("frequency", ["20 kHz", "1 MHz"])
def test_a_slow_pin_beside_a_fast_one(run, frequency: str, slow: int) -> None:
    """None of its edges is lost, and it has none that did not come."""
    ran: Ran = run(TWO.replace("PIN", str(slow)), 1, wave(4, frequency) + wave(slow, "10 Hz"))
    ran.has_its_budget("loop 2")
    assert ran["slow"] == len(ran.delivery_us("handlers", slow)) == 10
    assert ran["fast"] >= 13
    storm(ran, 2)


EACH = """
volatile int rises, falls, changes;
void rise() { rises = rises + 1; }
void fall() { falls = falls + 1; }
void change() { changes = changes + 1; }
void setup() {
  attachInterruptIsr(4, rise, RISING);
  attachInterruptIsr(5, fall, FALLING);
  attachInterruptIsr(9, change, CHANGE);
}
void loop() {}
"""


@pytest.mark.parametrize("seed", [1, 2])
def test_every_edge_is_told_of_once(make, seed: int) -> None:
    """Edges of three pins at random times, often close to each other."""
    ran = Ran(make(EACH), 0.01)
    machine, chip = ran.session.machine, ran.session.world.chip
    ms = ran.built.board.clock_hz // 1000
    for pin in (4, 5, 9):
        machine.pin_wave(chip[pin], (ms // 2, 3 * ms), 15 * ms, 900 * ms, seed=16 * seed + pin)
    ran.session.go(1, None)
    made = {pin: machine.pin_wave_edges(chip[pin]) for pin in (4, 5, 9)}
    assert min(made.values()) > 400
    assert ran["rises"] == (made[4] + 1) // 2
    assert ran["falls"] == made[5] // 2
    assert ran["changes"] == made[9]


PULSES = """
volatile unsigned long a, c;
void setup() {}
void loop(1, 5, 10) { pulseIn(3, HIGH, 1000000); a = a + 1; }
void loop(9, 20, 100) { c = c + 1; }
"""


@pytest.mark.parametrize("frequency", ["40 kHz", "60 kHz", "90 kHz", "1 MHz", "12.5 MHz"])
def test_pulses_are_paid_by_who_measures_them(run, board: str, frequency: str) -> None:
    """Their interrupts come out of loop 1's budget: at most that, and the spare time, is theirs."""
    if (board, frequency) == ("uno", "12.5 MHz"):
        pytest.skip("more edges than cycles")
    ran: Ran = run(PULSES, 1, wave(3, frequency))
    ran.has_its_budget("loop 9")
    assert ran.threads["loop 1"]["misses"] == 0
    assert ran.top_us.sum() >= 100_000, "a storm, all the same"


BESIDE = """
volatile unsigned long right, wrong, last, fast;
void setup() {}
void loop(1, 5, 20) {
  unsigned long us = pulseIn(5, HIGH, 30000);
  if (us >= 4700 && us <= 5300) right = right + 1;
  else { wrong = wrong + 1; last = us; }
}
void loop(2, 10, 20) { fast = fast + (pulseIn(4, HIGH, 20000) > 0); }
"""


@pytest.mark.parametrize("frequency", ["20 kHz", "33 kHz"])
def test_a_slow_pulse_is_right_beside_a_fast_one(run, frequency: str) -> None:
    """Whose edge a short pulse was nobody knows where pins share a latch; the slow pin is not long
    taken for the fast one."""
    ran: Ran = run(BESIDE, 1, wave(4, frequency) + wave(5, "100 Hz"))
    assert (ran["wrong"], ran["last"]) == (0, 0)
    assert ran["right"] >= 45
    assert ran["fast"] >= 100
