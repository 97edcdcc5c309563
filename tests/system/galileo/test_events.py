"""Interrupts of pins behind the expander: which pin, which edge, none lost, in time."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import EINVAL, OK

EDGES = """
int rises, falls, changes, fast, levels[2], results[3], seen;
void rise() { rises = rises + 1; }
void fall() { falls = falls + 1; seen = digitalRead(7); }
void change() { changes = changes + 1; }
void on_fast() { fast = fast + 1; }
void setup() {
  pinMode(2, INPUT_FAST);
  interruptsVcpu(10, 100);
  attachInterruptVcpu(4, rise, RISING, 1, 20);
  attachInterruptVcpu(7, fall, FALLING, 1, 20);
  attachInterruptVcpu(9, change, CHANGE, 1, 20);
  attachInterruptVcpu(2, on_fast, RISING, 1, 20);
  levels[0] = attachInterruptVcpu(5, rise, LOW, 1, 20);
  levels[1] = attachInterruptVcpu(5, rise, HIGH, 1, 20);
  results[0] = attachInterruptVcpu(14, rise, RISING, 1, 20);
  results[1] = attachInterruptVcpu(12, change, CHANGE, 1, 20);
  results[2] = interruptsMerged(4);
}
void loop(1, 5, 100) {
  delay(10);
  if (millis() > 600) detachInterrupt(9);
}
"""


def pulses(pin: int, at: str, every: str, length: str, count: int) -> str:
    """A pin that is high for a while again and again."""
    return (
        f'[[stimuli]]\nat = "{at}"\nevery = "{every}"\ncount = {count}\n'
        f'pin = {pin}\nlevel = "high"\npulse = "{length}"\n'
    )


def test_each_handler_gets_the_edges_it_asked_for(make) -> None:
    world = pulses(4, "100 ms", "100 ms", "40 ms", 8) + pulses(7, "103 ms", "100 ms", "45 ms", 8)
    world += pulses(9, "130 ms", "100 ms", "50 ms", 8) + pulses(2, "108 ms", "100 ms", "1 ms", 8)
    ran = make(EDGES, world).to(1.0)
    assert ran["rises"] == ran["falls"] == ran["fast"] == 8
    assert ran["changes"] == 10, "both edges of five pulses, then detached"
    assert ran["seen"] == 0
    assert ran.values("levels", 2) == [EINVAL] * 2, "the expander tells of changes only"
    assert ran.values("results", 3) == [EINVAL, OK, 0]


def test_all_at_once_are_told_apart(make) -> None:
    world = "".join(pulses(pin, "200 ms", "100 ms", "50 ms", 5) for pin in (4, 7, 9))
    ran = make(EDGES, world).to(1.0)
    assert (ran["rises"], ran["falls"], ran["changes"], ran["fast"]) == (5, 5, 9, 0)
    for name in ("rise", "fall", "change"):
        assert len(ran.delivery_us(name)) > 4
        assert ran.delivery_us(name).max() <= ran.bound_us(name)


def test_short_pulses_are_not_lost(make) -> None:
    """Shorter than asking takes: both edges are in the one event there is."""
    world = pulses(4, "100 ms", "50 ms", "100 us", 16) + pulses(7, "120 ms", "50 ms", "20 us", 16)
    world += pulses(9, "140 ms", "50 ms", "3 us", 9)
    ran = make(EDGES, world).to(1.0)
    assert (ran["rises"], ran["falls"], ran["changes"]) == (16, 16, 9)


def test_a_pin_that_is_high_when_it_is_attached_has_not_changed(make) -> None:
    high = "".join(f'[[stimuli]]\nat = "1 us"\npin = {p}\nlevel = "high"\n' for p in (2, 4, 7, 9))
    ran = make(EDGES, high).to(0.5)
    assert (ran["rises"], ran["falls"], ran["changes"], ran["fast"]) == (0, 0, 0, 0)


COUNTING = """
volatile int n; int calls, merged, delivered;
void isr() { calls = calls + 1; }
void setup() {
  interruptsVcpu(%s);
  attachInterruptVcpu(9, isr, CHANGE, 2, 20);
}
void loop(1, 10, 30) { n = n + 1; }
void loop(2, 5, 100) {
  delay(10);
  merged = interruptsMerged(9);
  delivered = interruptsDelivered(9);
}
"""


@pytest.mark.parametrize("share", ["2, 10", "1, 10", "5, 100"])
def test_random_edges_are_delivered_within_the_safe_bound(make, share: str) -> None:
    world = '[parts.noise]\ntype = "random-edges"\npin = 9\nleast = "1 us"\nmost = "2300 us"\n'
    ran = make(COUNTING % share, world).to(5.0)
    delays = ran.delivery_us("isr")
    print(share, len(delays), delays.max(), ran.bound_us("isr"))
    assert len(delays) > 100
    assert delays.max() <= ran.bound_us("isr")
    ran.has_its_budget("loop 1")


@pytest.mark.parametrize("half_period", ["500 ns", "100 us", "3 ms"])
def test_a_storm_at_the_expander_takes_no_more_than_its_share(make, half_period: str) -> None:
    world = f'[parts.noise]\ntype = "random-edges"\npin = 9\nleast = "{half_period}"\n'
    world += f'most = "{half_period}"\n'
    ran = make(COUNTING % "5, 100", world).to(3.0)
    ran.has_its_budget("loop 1")
    bottom = ran.threads["bottom half of interrupts"]
    assert 0 < bottom["cpu_us"] <= 0.05 * 3_000_000 * 1.01 + 1000
    assert ran["calls"] > 30
    assert np.all(ran.delivery_us("isr") <= ran.bound_us("isr"))


AT_RUN_TIME = """
int n, first, second, other;
void one() { first = first + 1; }
void two() { second = second + 1; }
void three() { other = other + 1; }
void setup() {
  interruptsVcpu(10, 100);
  attachInterruptVcpu(6, three, RISING, 1, 20);
}
void loop(1, 2, 10) {  // attaches and detaches while edges come
  attachInterrupt(7, one, RISING);
  delay(7);
  detachInterrupt(7);
  attachInterrupt(8, two, CHANGE);
  delay(9);
  attachInterrupt(8, two, RISING);
  n = n + 1;
}
"""


def test_attaching_meanwhile_loses_nothing_of_the_others(make) -> None:
    """Pins 6, 7 and 8 are on one port, whose changes one read of the status takes."""
    world = pulses(6, "100 ms", "23 ms", "4 ms", 100) + pulses(7, "100 ms", "3 ms", "1 ms", 700)
    ran = make(AT_RUN_TIME, world).to(2.6)
    assert ran["n"] > 100 and ran["first"] > 100
    assert ran["other"] == 100
    assert ran["second"] == 0
