"""How long sections hold threads up, by hand-counted cases."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from takt.admit.blocking import ALL, Held, ceilings, unknown, waits


def held(place: int, ceiling: int, us: int | None) -> Held:
    return Held(f"loop {place}", place, "under m", "x.ino:1", ceiling, us, False)


SECTIONS = [
    held(0, 0, 7),
    held(1, 1, 10),
    held(2, 1, 30),  # shared by 1 and 2
    held(3, ALL, 5),
    held(3, 3, 100),  # nothing above place 3 uses it
]


@pytest.mark.parametrize(
    ("place", "us"),
    [
        (0, 5),  # interrupts off
        (1, 30 + 7),  # the section of 2, and 0 at the end of its budget
        (2, 10 + 7 + 10),  # 1 in the background, 0 and 1 at the ends of theirs
        (3, 30 + 7 + 10 + 30),
        (4, 100 + 7 + 10 + 30 + 100),
    ],
)
def test_one_section_of_another_and_the_ends_of_budgets(place: int, us: int) -> None:
    assert waits(SECTIONS, place).us == us


def test_the_longest_is_named() -> None:
    assert waits(SECTIONS, 1).longest == SECTIONS[2]
    assert waits(SECTIONS, 0).longest == SECTIONS[3]
    assert waits([], 0).longest is None


def test_an_unknown_length_matters_where_it_holds_up_a_budget() -> None:
    threads = [SimpleNamespace(place=place) for place in (0, 1)]
    alone = held(2, 2, None)
    assert unknown([alone], threads) == []
    assert unknown([held(2, 1, None)], threads) == [(held(2, 1, None), threads[1])]
    assert unknown([held(2, ALL, None)], threads) == [(held(2, ALL, None), threads[0])]
    # its budget may end within it, which takes from those below
    assert unknown([held(0, 0, None)], threads) == [(held(0, 0, None), threads[1])]
    assert unknown([held(2, 1, 5)], threads) == []


def test_ceilings_follow_from_what_threads_reach() -> None:
    threads = [SimpleNamespace(place=place) for place in range(4)]
    reach = {0: {10}, 1: {20}, 2: {20, 30}, 3: {30, 40}}
    lockers = {20: {0x100}, 30: {0x200}, 40: {None}}
    found = ceilings(lockers, lambda thread: reach[thread.place], threads)
    assert found == {0x100: 1, 0x200: 2}
    lockers[10] = {None}  # place 0 may lock any
    assert ceilings(lockers, lambda thread: reach[thread.place], threads) == {0x100: 0, 0x200: 0}
