"""Several CPUs: what threads on different ones do together, on 1, 2 and 4 of them."""

from __future__ import annotations

import pytest

CPUS = (1, 2, 4)


@pytest.mark.parametrize(
    ("cpus", "budgets"), [(1, True), (2, False), (4, True)], ids=("1", "2 without budgets", "4")
)
def test_nothing_is_lost_or_mixed(start, cpus: int, budgets: bool) -> None:
    run = start("pc", "together.c", *["-DBUDGETS"] * budgets, "-I../qemu", cpus=cpus)
    run.passed(3000)


@pytest.mark.parametrize("cpus", CPUS)
def test_one_cpu_manages_what_is_another_one_s(start, cpus: int) -> None:
    start("pc", "manage.c", "-I../qemu", cpus=cpus).passed(7000)


@pytest.mark.parametrize("case", (0, 1, 2), ids=("fatal", "fault", "fault with the lock"))
def test_a_mistake_on_one_cpu_stops_all(start, case: int) -> None:
    run = start("pc", "stop.c", f"-DCASE={case}", "-I../qemu", cpus=2)
    assert run.until_done(500) == "halt"
    assert "takt: fatal: " in run.text and "(in culprit)" in run.text
    assert run.value("failures") == 0 and run.value("checks") == 1
    turns = run.value("turns")
    run.machine.run(run.machine.now + run.board.clock_hz // 100)
    assert run.value("turns") == turns


@pytest.mark.parametrize("cpus", CPUS)
def test_pipes_are_created_whose_endpoint_is_on_two_cpus(start, cpus: int) -> None:
    start("pc", "pipes.c", "-I../qemu", cpus=cpus).passed(4000)
