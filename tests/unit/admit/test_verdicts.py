"""takt.admit.admission: words, JSON, and the cases the command line must get right."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from takt.admit.admission import Admission, check, duration
from takt.admit.admit_library import MARGIN_US, Costs, Interrupt, IoVcpu, Loop
from takt.errors import UserError

MS = 1000
NO_COSTS = Costs()


@dataclass
class Thread:
    """As the build describes one."""

    name: str
    budget_us: int | None
    period_us: int | None


def judge(*pairs: tuple[int, int], **more: object) -> Admission:
    threads = [Thread(f"loop {i + 1}", c * MS, t * MS) for i, (c, t) in enumerate(pairs)]
    return check(threads, **{"costs": NO_COSTS, **more})


def test_sixty_and_fifty_of_a_hundred_are_refused_by_name() -> None:
    admission = judge((60, 100), (50, 100))
    assert admission.verdict == "refused"
    assert admission.explain() == (
        "loop 2 (50 ms in every 100 ms) responds within 170 ms but its deadline is 100 ms; "
        "give loop 1 at most 50 ms in every 100 ms, or give loop 2 at most 40 ms in every 100 ms"
    )
    with pytest.raises(UserError) as caught:
        admission.require(lambda name: f"sketch.ino, {name}")
    assert "loop 2" in caught.value.what
    assert caught.value.where == "sketch.ino, loop 2"
    assert caught.value.fix.startswith("give loop 1 at most 50 ms")


def test_the_rover_is_admitted_although_eq1_fails() -> None:
    admission = judge((20, 100), (70, 100))
    assert admission.as_dict() == {
        "verdict": "admitted",
        "u_total": 0.9,
        "eq1": {"lhs": 0.9, "rhs": 0.828427, "holds": False},
        "hyperbolic": {"lhs": 2.04, "rhs": 2.0, "holds": False},
        "exact": {"holds": True},
    }
    assert (admission.bound_us("loop 1"), admission.bound_us("loop 2")) == (20 * MS, 90 * MS)
    assert "Eq. 1 fails" in admission.explain()
    admission.require()


def test_io_demand_refuses_what_the_paper_ran() -> None:
    io = [IoVcpu("gpio", 3, 500)]
    assert not judge((495, 500), ios=io).admitted
    assert judge((494, 500), ios=io).admitted
    assert judge((494, 500), ios=io).u_total == 0.994


def test_a_boards_costs_enter() -> None:
    costs = {"switch": 13_000, "alarm": 13_700, "critical": 8_700}
    plain, real = judge((20, 100)), judge((20, 100), costs=costs)
    start = 2 * (13_000 + 13_700)
    least = 20 * MS + MARGIN_US + 9 + start // 1000  # and 8.7 us with interrupts off
    assert plain.bound_us("loop 1") == 20 * MS
    assert least <= real.bound_us("loop 1") <= least + 1


def test_interrupts_enter() -> None:
    uart = Interrupt("uart", 5_000, 87)
    assert judge((20, 100), (70, 100), interrupts=[uart]).admitted
    assert not judge((20, 100), (75, 100), interrupts=[uart]).admitted


def test_threads_without_a_budget_do_not_count() -> None:
    threads = [Thread("loop 1", 10, 100), Thread("idle", None, None)]
    admission = check(threads, costs=NO_COSTS)
    assert admission.bounds == {"loop 1": 10}
    assert admission.bound_us("idle") is None


def test_order_of_definition_does_not_matter() -> None:
    late_first = check([Loop("slow", 40, 100), Loop("fast", 5, 10)], costs=NO_COSTS)
    assert [loop.name for loop in late_first.loops] == ["fast", "slow"]
    assert late_first.bounds == {"fast": 5, "slow": 80}


def test_a_longer_period_may_be_the_smaller_change() -> None:
    """4 + 2 x 3 = 10 > 9: one ms more of period is 11 %, any smaller budget more than that."""
    text = judge((3, 6), (4, 9)).refusals[0].text
    assert text.endswith("; give loop 2 its 4 ms only every 10 ms")


def test_when_no_single_change_helps() -> None:
    text = judge((60, 100), (60, 100), (60, 100)).refusals[0].text
    assert "no change of one loop suffices; with all budgets at 55 %" in text


def test_when_nothing_helps() -> None:
    storm = Interrupt("storm", 20_000, 10)
    refusal = judge((1, 100), interrupts=[storm]).refusals[0]
    assert refusal.response_us is None
    assert "never gets its budget" in refusal.text
    assert "leave too little time" in refusal.text


@pytest.mark.parametrize("pair", [(0, 100), (-1, 100), (101, 100), (5, 0), (1, 1 << 29)])
def test_nonsense_is_named(pair: tuple[int, int]) -> None:
    with pytest.raises(UserError, match="loop 7"):
        check([Loop("loop 7", *pair)])


def test_an_empty_program_is_refused() -> None:
    with pytest.raises(UserError, match="no loop has a budget"):
        check([Thread("idle", None, None)])


def test_too_many_loops_are_refused() -> None:
    with pytest.raises(UserError, match="too many"):
        check([Loop(f"loop {i}", 1, 100) for i in range(65)])


@pytest.mark.parametrize(
    ("us", "text"),
    [(1, "1 us"), (999, "999 us"), (1000, "1 ms"), (39_990, "39.99 ms"), (100_000, "100 ms")],
)
def test_durations_are_not_rounded(us: int, text: str) -> None:
    assert duration(us) == text
