"""A loop on a PC has its budget to a thousandth, whatever preempts it (kernel/use.h)."""

from __future__ import annotations

import pytest

PERIODS, PERIOD_US, BUDGET_US, TURN_US = 100, 7000, 1000, 10
STEP_US, REST_US = 500, 2000  # between two budgets nothing is counted for so long


def advance(run, us: int) -> tuple[int, int]:
    """Runs on; what the loops have counted."""
    run.machine.run(run.machine.now + us * run.board.clock_hz // 1_000_000)
    return run.value("turns", 0), run.value("turns", 1)


def between_budgets(run) -> tuple[int, int]:
    """The same where both have used theirs up, and have none for a while."""
    before, still = advance(run, 20_000), 0
    while still < REST_US:
        now = advance(run, STEP_US)
        still = still + STEP_US if now == before else 0
        before = now
    return before


@pytest.mark.parametrize("noise", (0, 1), ids=("alone", "preempted"))
def test_loops_get_what_they_pay_for(start, noise: int) -> None:
    run = start("pc", "exact.c", "-I../qemu", noise=noise)
    before = between_budgets(run)
    after = advance(run, PERIODS * PERIOD_US)
    assert (run.value("interrupts") > 1000) == bool(noise)
    counted = [PERIODS * BUDGET_US // TURN_US, *(b - a for a, b in zip(before, after, strict=True))]
    print(counted)
    assert all(abs(turns - counted[0]) <= counted[0] // 1000 for turns in counted), counted
