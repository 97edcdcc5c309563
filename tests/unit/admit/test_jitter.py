"""Jitter of budgets: as much as leaves every bound as it is, and not more."""

from __future__ import annotations

import random

import pytest
from takt.admit.admit_library import Costs, Loop
from takt.admit.fixes import Case
from takt.admit.jitter import LEAST, MOST, chosen


def bounds(case: Case) -> list[int | None]:
    native = case.native()
    return [native.response(place) for place in range(len(case.loops))]


def case_of(*sets: tuple[int, int], switch_ns: int = 0) -> Case:
    loops = tuple(Loop(f"loop {n}", c, t) for n, (c, t) in enumerate(sets))
    return Case(loops, (), (), Costs(switch_ns, switch_ns, 0))


def with_jitter(case: Case, shifts: dict[str, int]) -> Case:
    for n, loop in enumerate(case.loops):
        if loop.name in shifts:
            case = case.change(n, jitter_us=loop.period_us >> shifts[loop.name])
    return case


def test_a_loop_alone_may_wake_late() -> None:
    assert chosen(case_of((10, 1000)), ["loop 0"]) == {"loop 0": MOST}


def test_only_loops_that_may() -> None:
    assert chosen(case_of((10, 1000), (10, 2000)), ["loop 1"]) == {"loop 1": MOST}


def test_none_where_the_least_moves_a_bound() -> None:
    # loop 1 ends at 1000, when loop 0 would come again
    assert chosen(case_of((500, 1000), (500, 2000)), ["loop 0"]) == {}


@pytest.mark.parametrize("seed", range(30))
def test_bounds_stay_and_more_would_move_one(seed: int) -> None:
    rng = random.Random(seed)
    periods = sorted(rng.randint(500, 20_000) for _ in range(rng.randint(1, 5)))
    case = case_of(*((max(1, t // rng.randint(8, 20)), t) for t in periods), switch_ns=3000)
    shifts = chosen(case, [loop.name for loop in case.loops])
    assert bounds(with_jitter(case, shifts)) == bounds(case)
    assert all(MOST <= shift <= LEAST for shift in shifts.values())
    for name, shift in shifts.items():
        earlier = {n: s for n, s in shifts.items() if n <= name}
        if shift > MOST:
            more = with_jitter(case, earlier | {name: shift - 1})
            assert bounds(more) != bounds(case), name
