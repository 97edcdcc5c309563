"""Budgets beside many interrupts and short sleeps: what docs/guarantees.md promises as G2."""

from __future__ import annotations

import pytest
from conftest import more_us

SOURCE = """
volatile unsigned long a, c, d;
volatile unsigned edges;
void count() { edges = edges + 1; }
void setup() { attachInterruptIsr(3, count, RISING); delay(20); }
void loop(1, 1, 7) { a = a + 1; }
void loop(2, 3, 13) { for (volatile int i = 0; i < 300; i = i + 1) {} delay(5); }
void loop(3, 8, 29) { c = c + 1; }
void loop(4, 10, 100) { d = d + 1; }
"""
WORLD = '[parts.wave]\ntype = "square-wave"\npin = 3\nfrequency = "2.3 kHz"\n'


@pytest.fixture
def result(run, sketch):
    return run(sketch(SOURCE, WORLD), 5)


def test_responses_stay_within_their_bounds(result):
    assert [thread["misses"] for thread in result["threads"]] == [0, 0, 0, 0]
    pins = next(source for source in result["interrupts"] if source["name"] == "pins")
    assert pins["count"] >= 2.2 * 5000


def test_greedy_loops_get_their_budget_in_every_period(result):
    for thread in result["threads"]:
        if thread["name"] != "loop 2":
            assert thread["least_us"] <= thread["cpu_us_min"], thread
            assert thread["cpu_us_max"] <= thread["budget_us"] + more_us(), thread
