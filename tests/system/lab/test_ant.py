"""AnT's measurements: every metric is there, and what does not hang on the host's clock holds."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from takt import boards
from takt.cli.labs import lab

lab.available()
from takt_lab_ant import host, intervals, kernel, target  # noqa: E402
from takt_lab_ant import lab as ant  # noqa: E402

TAKT, ROWS = ant.TAKT, ant.ROWS


@cache
def cycles() -> target.Measured:
    return target.measure(boards.load("stm32f051"), 0)


@cache
def of_kernel(jobs: int) -> kernel.Measured:
    return kernel.measure(boards.load("stm32f051"), jobs)


def test_every_lab_is_there() -> None:
    short = ("fig2-3", "fig9", "fig10", "fig11-12", "table3", "mixed", "kernel")
    names = {f"ant.{one}" for one in short}
    assert names == {one.name for one in lab.chosen("ant.all")}


def test_releasing_many_is_releasing_one() -> None:
    took = {n: cycles()[target.RELEASE, TAKT, n] for n in ant.BOARD_N}
    assert len(set(took.values())) == 1
    for n in ant.BOARD_N:
        best = min(cycles()[target.RELEASE, name, n] for name in ant.BASELINES)
        assert took[n] <= ant.SLACK * best
    for name in set(ant.BASELINES) - {ROWS}:
        assert took[31] < cycles()[target.RELEASE, name, 31] / 5


def test_mixed_periods_on_the_board() -> None:
    for name in ant.SETS:
        case = (target.MIXED, ord(name[0]))
        values = {s: v for (kind, s, c), v in cycles().items() if (kind, c) == case}
        best = min(v for s, v in values.items() if s in ant.BASELINES)
        assert values[TAKT] <= ant.SLACK * best


def test_the_kernel_does_what_it_does_once_a_job() -> None:
    """Beyond what one alarm takes, each job costs the same; waiting does not grow."""
    found = {n: of_kernel(n) for n in (2, 4, 8)}
    ready = {n: one.release.ready for n, one in found.items()}
    # 4 of 930 cycles a job, by which bits of sets are looked for
    assert abs(ready[8] - ready[4] - 2 * (ready[4] - ready[2])) <= 20
    assert ready[4] - ready[2] <= 2 * 950  # 934 a job
    last = [one.release.waits()[-1] for one in found.values()]
    assert max(last) <= min(last) + 2
    assert max(found[8].release.waits()) <= max(found[2].release.waits()) + 2


def test_the_account_of_the_kernel_is_complete() -> None:
    """Every cycle from the alarm until the CPU sleeps is some function's."""
    found = of_kernel(4)
    assert sum(found.release.where.values()) == found.release.asleep
    assert ("release", "takt_releases_due") in found.release.where
    assert ("jobs and waits", "takt_periodic_thread") in found.release.where
    (_, phases), *functions = kernel.account(found)
    assert sum(phases) == sum(sum(cycles) for _, cycles in functions) == found.release.asleep
    assert phases[0] == found.release.ready and sum(phases[:2]) == found.release.begun[0]
    assert sum(w.entry + w.asleep for w in (found.release, *found.others)) == found.busy
    assert len(found.release.begun) == len(found.release.ended) == 4


def test_one_release_a_tick() -> None:
    outcome = ant.fig11_12(boards.load("sim"), {})
    rows: dict[Any, Any] = {(r["case"], r["metric"]): r["value"] for r in outcome["rows"]}
    assert rows["takt", "releases_per_tick_max"] == rows["takt", "releases_per_tick_min"] == 1
    assert rows["art-linux-queue-registered-at-random", "releases_per_tick_max"] > 1


def test_all_do_the_same_work() -> None:
    """Whatever the structure, the same jobs are released."""
    program = host.compiled(ant.HUNDRED)
    for name in ant.SETS:
        found = host.run(program, "mixed", name)
        jobs = {value for (_, _, metric), value in found.items() if metric == "jobs"}
        assert len(jobs) == 1 and jobs.pop() > 2000


@pytest.mark.skipif(not host.has_callgrind(), reason="no valgrind here")
@pytest.mark.parametrize("n", [31, 100, 1000, 10000])
def test_instructions(n: int) -> None:
    """Of many released at once: not above 1.2 times the rows'."""
    program = host.compiled(n)
    ours = host.counts(program, TAKT, "release", n)
    rows = host.counts(program, ROWS, "release", n)
    assert ours and rows and ours.instructions <= ant.SLACK * rows.instructions


@pytest.mark.parametrize("what", [("figure", 31), ("spread",)])
def test_cold_is_measured_of_all_that_are_warm(what: tuple[str | int, ...]) -> None:
    """How long it takes is the host's."""
    program = host.compiled(31 if what[0] == "figure" else ant.HUNDRED)
    warm, cold = host.run(program, *what), host.run(program, ant.COLD, *what)
    assert warm.keys() == cold.keys() and {name for name, _, _ in cold} >= {TAKT, *ant.BASELINES}


def test_what_hangs_on_the_host_is_told_apart() -> None:
    def varies(case: str, metric: str, unit: str) -> bool:
        return ant.on_host(ant.row(case, metric, 1, unit, None, None))

    assert varies("N=1", "release_cycles", "cycles") and varies("lcm", "cycles_per_job", "cycles")
    assert varies("ant-table-N=1-cold", "release_cycles", "cycles")
    assert not varies("N=1-stm32f051", "release_cycles", "cycles")
    assert not varies("takt", "releases_per_tick_max", "releases")
    assert not varies("lcm", "table_bytes", "bytes") and not varies("T=1ms", "x_us", "us")


def test_a_job_begins_after_nearly_the_same_time_in_each_period() -> None:
    """Within 12 cycles of 48 MHz."""
    for period in (1000, 5000):
        times, between = intervals.measured(boards.load("stm32f051"), period)
        assert len(times) == intervals.TIMES and min(times) > 10
        assert max(times) - min(times) < 0.251
        assert between == pytest.approx([period] * (intervals.TIMES - 1), abs=0.251)
