"""Budgets changed at run time: each delivery is held against what was promised while it lasted."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from simsched import SimThread
from takt.admit import admission
from takt.admit.admit_library import Costs, Loop
from takt.result.rebudgets import NEVER, Promised, constant, promised
from takt.result.stats import analyse
from takt.result.trace import Kind, Trace, decode

LOOPS = [Loop("a", 4000, 10_000, 0, 0, 1), Loop("b", 20_000, 100_000, 0, 0, 1)]
THREADS = [SimThread("a", 0, 4000, 10_000), SimThread("b", 1, 20_000, 100_000)]
STEPS = Promised((0, 1000, 5000), ({"a": 10}, {"a": 30}, {"a": 20}))


def traced(*events: tuple[int, Kind, int, int], end: int = 1_000_000) -> Trace:
    """Time, kind, place, value."""
    every = [(0, Kind.START, 0xFF, 2), (0, Kind.SETUP, 0, 0), *events]
    data = b"".join(struct.pack("<IIBBH", t, v, kind, place, 0) for t, kind, place, v in every)
    return decode(data, end=end)


@pytest.mark.parametrize(
    ("start", "end", "limit"),
    [
        *((0, 999, 10), (0, 1000, 30), (999, 1001, 30), (1000, 1001, 30), (4999, 5001, 30)),
        *((5000, 5001, 20), (0, 9000, 30), (6000, 9000, 20)),
    ],
)
def test_the_longest_bound_of_the_time_counts(start: int, end: int, limit: int) -> None:
    assert STEPS.limit("a", start, end) == limit
    assert STEPS.limits("a", np.array([start]), np.array([end])).tolist() == [limit]


def test_the_longest_of_all_is_shown() -> None:
    assert STEPS.longest("a") == 30
    assert STEPS.longest("c") is None and STEPS.limit("c", 0, 1) == NEVER


def verdict() -> admission.Admission:
    return admission.check(LOOPS, costs=Costs(1000, 500, 5))


def test_bounds_follow_from_the_budgets_in_force() -> None:
    """Figures of the exact test with each budget."""
    found = verdict()
    trace = traced((300_000, Kind.BUDGET, 0, 2000), (600_000, Kind.BUDGET, 1, 60_000))
    told = promised(trace, THREADS, found.bounds, found)
    assert told.since == (0, 300_000, 600_000)
    case = found.case
    less = case.change(0, budget_us=2000)
    for index, one in enumerate((case, less, less.change(1, budget_us=60_000))):
        native = one.native()
        assert told.bounds[index] == {"a": native.response(0), "b": native.response(1)}
    assert told.bounds[0]["b"] > told.bounds[1]["b"] < told.bounds[2]["b"]
    assert told.told == [
        "a has a budget of 2 ms from 0.300 s on", "b has a budget of 60 ms from 0.600 s on"
    ]  # fmt: skip


def test_misses_are_of_their_time() -> None:
    """The same response is late before the budget is raised, and after it is lowered again."""
    found = verdict()
    late = found.bounds["b"] + 1
    deliveries = [(at, Kind.CHUNK, 1, late) for at in (200_000, 500_000, 900_000)]
    changes = [(300_000, Kind.BUDGET, 1, 60_000), (700_000, Kind.BUDGET, 1, 20_000)]
    trace = traced(*sorted(deliveries + changes), (950_000, Kind.BLOCK, 1, 0))
    told = promised(trace, THREADS, found.bounds, found)
    assert analyse(trace, THREADS, told).threads[1].misses == 2
    assert analyse(trace, THREADS, constant(found.bounds)).threads[1].misses == 3


def test_without_changes_the_bounds_are_the_build_s() -> None:
    found = verdict()
    assert promised(traced(), THREADS, found.bounds, found) == constant(found.bounds)
    assert promised(traced((5, Kind.BUDGET, 0, 9)), THREADS, {}, None) == constant({})
