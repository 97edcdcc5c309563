"""Figures worked out by hand against those read from simulated traces."""

from __future__ import annotations

import struct
from itertools import cycle, repeat

import pytest
from simsched import Sim, SimThread
from takt.result.delivered import Tolerance
from takt.result.stats import analyse, per_period
from takt.result.trace import Kind, decode


def figures(threads: list[SimThread], end: int, bounds=None, **options):
    data = Sim(threads, **options).run(end)
    trace = decode(data, end=end)
    return analyse(trace, threads, bounds or {}), trace


def test_greedy_loop_alone_gets_exactly_c_and_the_rest_in_background():
    stats, _ = figures([SimThread("a", 0, 3000, 10000)], 100_000)
    a = stats.threads[0]
    assert (a.periods, a.cpu_us_min, a.cpu_us_max) == (10, 3000, 3000)
    assert (a.cpu_us, a.background_us) == (30_000, 70_000)
    assert a.exhausted == 10
    assert a.response_max_us == 3000
    assert a.always_wants_cpu
    assert stats.idle_us == 0


def test_two_greedy_loops_with_different_periods():
    stats, _ = figures([SimThread("a", 0, 2000, 5000), SimThread("b", 1, 6000, 20000)], 200_000)
    a, b = stats.threads
    assert (a.cpu_us_min, a.cpu_us_max, a.periods) == (2000, 2000, 40)
    assert (b.cpu_us_min, b.cpu_us_max, b.periods) == (6000, 6000, 10)
    # b: 3 ms in each gap of a: 2..5, 7..10
    assert b.response_max_us == 10_000
    assert a.cpu_us + b.cpu_us + a.background_us + b.background_us == 200_000


@pytest.mark.parametrize(("bound", "misses"), [(10_000, 0), (9_999, 10), (None, 0)])
def test_misses_are_responses_beyond_the_bound(bound, misses):
    threads = [SimThread("a", 0, 2000, 5000), SimThread("b", 1, 6000, 20000)]
    stats, _ = figures(threads, 200_000, {"b": bound})
    assert stats.threads[1].misses == misses
    assert stats.threads[1].bound_us == bound


@pytest.mark.parametrize(("bound", "misses"), [(2992, 0), (2991, 10)])
def test_what_a_budget_holds_beyond_c_is_no_response(bound, misses):
    """G3: until C has been delivered."""
    trace = decode(Sim([SimThread("a", 0, 3000, 10000)]).run(100_000), end=100_000)
    threads = [SimThread("a", 0, 3000, 10000)]
    stats = analyse(trace, threads, {"a": bound}, tolerance=Tolerance(more_us=8))
    assert (stats.threads[0].response_max_us, stats.threads[0].misses) == (2992, misses)


def test_until_a_loop_blocks_all_is_response():
    threads = [SimThread("a", 0, 20_000, 100_000, repeat((40, 99_960)))]
    trace = decode(Sim(threads).run(1_000_000), end=1_000_000)
    stats = analyse(trace, threads, {}, tolerance=Tolerance(more_us=8))
    assert stats.threads[0].response_max_us == 40


def test_sleeping_loop_uses_what_it_wants():
    stats, _ = figures([SimThread("a", 0, 20_000, 100_000, repeat((40, 99_960)))], 1_000_000)
    a = stats.threads[0]
    assert (a.cpu_us, a.background_us, a.exhausted) == (400, 0, 0)
    assert a.response_max_us == 40
    assert not a.always_wants_cpu
    assert stats.idle_us == 1_000_000 - 400


def test_handlers_are_not_charged_and_listed_per_source():
    threads = [SimThread("a", 0, 3000, 10000)]
    stats, _ = figures(threads, 100_000, isr_every=1000, isr_us=20)
    a = stats.threads[0]
    assert a.cpu_us_min == a.cpu_us_max == 3000
    source = stats.interrupts[0]
    assert (source.source, source.max_us) == (13, 20)
    assert source.total_us == source.count * 20 == stats.isr_us
    assert a.cpu_us + a.background_us + stats.isr_us == 100_000


def test_part_of_a_period_at_the_end_does_not_count():
    stats, trace = figures([SimThread("a", 0, 3000, 10000)], 95_000)
    assert stats.threads[0].periods == 9
    assert per_period(trace, 0, 10_000).tolist() == [3000] * 9


def test_run_shorter_than_a_period():
    stats, _ = figures([SimThread("a", 0, 3000, 10000)], 9_000)
    a = stats.threads[0]
    assert (a.periods, a.cpu_us_min, a.cpu_us_max) == (0, None, None)
    assert a.cpu_us == 3000


def test_thread_without_budget_runs_in_background():
    threads = [SimThread("a", 0, 1000, 10000, cycle([(500, 9_500)])), SimThread("b", 1)]
    stats, _ = figures(threads, 50_000)
    b = stats.threads[1]
    assert b.cpu_us == 0
    assert b.background_us == 50_000 - 5 * 500
    assert b.cpu_us_min is None


def test_empty_trace_has_no_figures():
    stats = analyse(decode(b""), [SimThread("a", 0, 1000, 10000)], {})
    assert stats.threads[0].cpu_us == 0
    assert stats.threads[0].response_max_us is None


def by_hand(
    *events: tuple[int, Kind, int],
    end: int = 500_000,
    bound: int | None = 40_000,
    budget: int = 40_000,
    period: int = 100_000,
):
    """Figures of loop 1 (40 ms of 100 ms) from (time, kind, value)."""
    rows = [(0, Kind.SETUP, 0), *events]
    data = b"".join(struct.pack("<IIBBH", t, v, kind, 0, 0) for t, kind, v in rows)
    stats = analyse(decode(data, end=end), [SimThread("a", 0, budget, period)], {"a": bound})
    return stats.threads[0]


def test_budget_never_delivered_is_a_miss():
    a = by_hand((0, Kind.RUN, 0))
    assert (a.misses, a.starved, a.response_max_us) == (1, 0, 500_000)


def test_starved_budget_is_a_miss_also_without_a_bound():
    events = [(200_000, Kind.STARVED, 1), (200_000, Kind.RUN, 0), (240_000, Kind.CHUNK, 40_000),
              (240_000, Kind.EXHAUST, 0)]  # fmt: skip
    for bound in (40_000, None):
        a = by_hand(*events, bound=bound)
        assert (a.misses, a.starved, a.response_max_us) == (1, 1, 40_000)


OPEN = {
    "blocked": ([(10, Kind.BLOCK, 0)], 0),
    "exhausted": ([(40_000, Kind.CHUNK, 40_000), (40_000, Kind.EXHAUST, 0)], 0),
    "replenished": ([(40_000, Kind.EXHAUST, 0), (100_000, Kind.REPLENISH, 40_000)], 1),
    "replenished just now": ([(40_000, Kind.EXHAUST, 0), (470_000, Kind.REPLENISH, 40_000)], 0),
    "woken": ([(10, Kind.BLOCK, 0), (90_000, Kind.READY, 0)], 1),
    "woken without budget": (
        [(400_000, Kind.RUN, 0), (440_000, Kind.EXHAUST, 0), (440_000, Kind.BLOCK, 0),
         (450_000, Kind.READY, 0)], 0),
    "woken without budget, as none was left when it blocked": (
        [(400_000, Kind.RUN, 0), (439_900, Kind.BLOCK, 0), (450_000, Kind.READY, 0)], 0),
    "woken without budget that has not come back": (
        [(40_000, Kind.RUN, 0), (80_000, Kind.EXHAUST, 0), (80_000, Kind.BLOCK, 0),
         (90_000, Kind.READY, 0)], 1),
    "woken with the whole budget": ([(10, Kind.BLOCK, 0), (440_000, Kind.READY, 0)], 1),
    "woken with the whole budget just now": (
        [(10, Kind.BLOCK, 0), (470_000, Kind.READY, 0)], 0),
    "woken with half the budget": (
        [(400_000, Kind.RUN, 0), (420_000, Kind.BLOCK, 0), (440_000, Kind.READY, 0)], 1),
    "woken with what was used a period ago": (
        [(320_000, Kind.RUN, 0), (360_000, Kind.EXHAUST, 0), (360_000, Kind.BLOCK, 0),
         (450_000, Kind.READY, 0)], 1),
    "woken, and runs on budget": (
        [(400_000, Kind.RUN, 0), (439_900, Kind.BLOCK, 0), (450_000, Kind.READY, 0),
         (450_000, Kind.RUN, 0)], 1),
    "woken when budget had come": (
        [(40_000, Kind.EXHAUST, 0), (40_000, Kind.BLOCK, 0), (150_000, Kind.READY, 0)], 1),
    "in spare time": (
        [(10, Kind.BLOCK, 0), (200_000, Kind.READY, 0), (200_000, Kind.RUN, 1)], 0),
}  # fmt: skip


@pytest.mark.parametrize("name", OPEN)
def test_what_is_open_at_the_end(name):
    events, misses = OPEN[name]
    assert by_hand(*events).misses == misses


WAKES = [  # 60 us in every 50 ms, of which waking takes what is left
    (0, Kind.RUN, 0), (14, Kind.BLOCK, 0), (1000, Kind.READY, 0),
    (50_000, Kind.REPLENISH, 25), (50_010, Kind.RUN, 0), (50_025, Kind.BLOCK, 0),
    (51_000, Kind.READY, 0), (100_000, Kind.REPLENISH, 25), (101_000, Kind.RUN, 0),
    (101_015, Kind.BLOCK, 0), (102_000, Kind.READY, 0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("end", "misses"), [(120_000, 0), (149_000, 0), (152_000, 0), (168_000, 1)]
)
def test_waiting_for_budget_is_no_miss_unless_it_does_not_come(end, misses):
    a = by_hand(*WAKES, end=end, bound=15_000, budget=60, period=50_000)
    assert a.misses == misses


def test_budget_that_ended_by_waking_counts_as_used_up():
    a = by_hand(*WAKES, end=140_000, budget=60, period=50_000)
    assert a.exhausted == 2  # the third shows only when it runs or gets some back
    background = [(102_000, Kind.RUN, 1), (102_010, Kind.BLOCK, 0), (103_000, Kind.READY, 0)]
    again = [(103_000, Kind.RUN, 1), (103_010, Kind.BLOCK, 0)]
    a = by_hand(*WAKES, *background, *again, end=140_000, budget=60, period=50_000)
    assert a.exhausted == 3


def test_budget_that_comes_back_while_the_loop_sleeps():
    wake = [(0, Kind.RUN, 0), (14, Kind.BLOCK, 0), (1000, Kind.READY, 0), (1000, Kind.RUN, 1)]
    sleep = [(1010, Kind.BLOCK, 0)]
    events = [(t + k * 60_000, kind, v) for k in range(4) for t, kind, v in wake + sleep]
    assert by_hand(*events, end=240_000, budget=60, period=50_000).exhausted == 4
