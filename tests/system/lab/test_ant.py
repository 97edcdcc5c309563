"""AnT's measurements: every metric is there, and what does not hang on the host's clock holds."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from takt import boards, lab

lab.available()
from takt_lab_ant import host, target  # noqa: E402
from takt_lab_ant import lab as ant  # noqa: E402

KERNEL, SETS, ROWS = "takt-kernel", "takt-sets", "bitmap-rows"


@pytest.fixture(scope="module")
def program():
    return host.compiled()


@cache
def cycles() -> target.Measured:
    return target.measure(boards.load("stm32f051"), 0)


def test_every_lab_is_there() -> None:
    names = {"ant.fig9", "ant.fig10", "ant.fig11-12", "ant.table3", "ant.mixed"}
    assert names == {one.name for one in lab.chosen("ant.all")}


def test_waiting_is_constant_and_that_of_the_rows() -> None:
    waits = {(s, n): v for (kind, s, n), v in cycles().items() if kind == target.WAIT}
    ours = {waits[KERNEL, n] for n in ant.BOARD_N}
    assert ours == {waits[ROWS, n] for n in ant.BOARD_N} and len(ours) == 1


def test_releasing_many_is_releasing_one() -> None:
    took = {n: cycles()[target.RELEASE, KERNEL, n] for n in ant.BOARD_N}
    assert len(set(took.values())) == 1
    assert took[31] <= 95  # 90 when this was written
    for name in set(ant.BASELINES) - {ROWS}:
        assert took[31] < cycles()[target.RELEASE, name, 31] / 5


def test_mixed_periods_on_the_board() -> None:
    for name in ("lcm", "primes"):
        case = (target.MIXED, ord(name[0]))
        values = {s: v for (kind, s, c), v in cycles().items() if (kind, c) == case}
        others = (v for s, v in values.items() if s in ant.BASELINES)
        assert values[KERNEL] <= ant.SLACK * min(others)


def test_one_release_a_tick(program) -> None:
    outcome = ant.fig11_12(boards.load("sim"), {})
    rows: dict[Any, Any] = {(r["case"], r["metric"]): r["value"] for r in outcome["rows"]}
    assert rows["takt", "releases_per_tick_max"] == rows["takt", "releases_per_tick_min"] == 1
    assert rows["art-linux-queue-registered-at-random", "releases_per_tick_max"] > 1


def test_all_do_the_same_work(program) -> None:
    """Whatever the structure, the same jobs are released."""
    for name in ant.SETS:
        found = host.run(program, "mixed", name)
        jobs = {value for (_, _, metric), value in found.items() if metric == "jobs"}
        assert len(jobs) == 1 and jobs.pop() > 2000


@pytest.mark.skipif(not host.has_callgrind(), reason="no valgrind here")
def test_instructions(program) -> None:
    """Of many released at once: not above 1.2 times the rows'; of a wait: exactly the rows'."""
    for n in (1000, 10000):
        ours = host.instructions(program, SETS, "release", n)
        assert ours <= ant.SLACK * host.instructions(program, ROWS, "release", n)
    waits = {host.instructions(program, s, "wait", 1000) for s in (SETS, ROWS, "ant-table")}
    assert len(waits) == 1
