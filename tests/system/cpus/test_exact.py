"""A loop on a PC has its budget to a thousandth, whatever preempts it (kernel/budget/use.h)."""

from __future__ import annotations

PERIODS, PERIOD_US, BUDGET_US, TURN_US = 100, 7000, 1000, 10
MORE_US = 10  # M + S, board/pc/board.cmake
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


def counted(start, noise: int) -> tuple[int, int]:
    """Turns of each loop in all periods."""
    run = start("pc", "exact.c", "-I../qemu", noise=noise)
    before = between_budgets(run)
    after = advance(run, PERIODS * PERIOD_US)
    assert (run.value("interrupts") > 1000) == bool(noise)
    return after[0] - before[0], after[1] - before[1]


def test_loops_get_what_they_pay_for(start) -> None:
    """C, and of what the server holds beside what starts and ends leave, whatever preempts them."""
    alone, preempted = counted(start, 0), counted(start, 1)
    print(alone, preempted)
    least = PERIODS * BUDGET_US // TURN_US
    most = PERIODS * (BUDGET_US + MORE_US) // TURN_US
    assert all(least <= turns <= most for turns in (*alone, *preempted)), (alone, preempted)
    assert all(abs(a - b) <= least // 1000 for a, b in zip(alone, preempted, strict=True))
