"""Pins that change as fast as the world can, on every board that has their interrupts."""

from __future__ import annotations

import pytest
from conftest import BOTTOM_HALF, EVENT, EVERY, Ran, wave

pytestmark = pytest.mark.parametrize("board", EVERY)

ONE = """
volatile unsigned long a, b, calls;
void hit() { calls = calls + 1; }
void setup() { attachInterrupt(digitalPinToInterrupt(2), hit, MODE); }
void loop(1, 30, 100) { for (;;) a++; }
void loop(2, 15, 50) { for (;;) b++; }
"""
SHARE = 5 / 100
MORE_TOPS = {"uno": 2}  # of an event: another edge of the pin, the alarm


@pytest.mark.parametrize(
    ("frequency", "mode"), [("1 kHz", "RISING"), ("8 kHz", "CHANGE"), ("1 MHz", "RISING")]
)
def test_one_pin(run, board: str, frequency: str, mode: str) -> None:
    ran: Ran = run(ONE.replace("MODE", mode), 1, wave(2, frequency))
    ran.has_its_budget("loop 1", "loop 2")
    assert ran["calls"] >= 25
    assert len(ran.top_us) <= (1 + MORE_TOPS.get(board, 0)) * ran.count(EVENT)
    assert ran.threads[BOTTOM_HALF]["cpu_us"] + ran.top_us.sum() <= SHARE * ran.seconds * 1e6
    assert ran.delivery_us("handlers").max() <= ran.bound_us("handlers")
