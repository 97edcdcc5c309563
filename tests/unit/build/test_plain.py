"""How much of the CPU an ordinary loop() gets."""

from __future__ import annotations

import pytest
from takt.admit.layout import Thread
from takt.admit.plain import LEAST_US, STEP_US, fitted, told


def thread(name: str, budget_us: int | None) -> Thread:
    return Thread(name, 0, budget_us, 100_000, 0, 0, 0)


def share(most: int, limit: int) -> tuple[int, list[str]]:
    """With so much at most and where so much is admitted; and what is said of it."""
    threads = [thread("job", 500), thread("loop", most), thread("tasks", None)]
    seen: list[int] = []

    def admits(given: list[Thread]) -> bool:
        assert [t for t in given if t.name != "loop"] == [threads[0], threads[2]]
        seen.append(given[1].budget_us or 0)
        return seen[-1] <= limit

    found = fitted(threads, admits)
    assert len(seen) < 20
    return found[1].budget_us or 0, told(threads, found)


@pytest.mark.parametrize("most", (80_000, 70_000, 70_050, LEAST_US + 1))
def test_the_largest_share_that_is_admitted(most: int) -> None:
    for limit in [*range(LEAST_US, most, 373), most - 1, LEAST_US + STEP_US]:
        got, said = share(most, limit)
        assert LEAST_US <= got <= limit < got + STEP_US or got == most <= limit
        assert len(said) == (got != most)


def test_the_usual_share_where_it_fits() -> None:
    assert share(80_000, 80_000) == (80_000, [])
    assert share(80_000, 100_000) == (80_000, [])


def test_what_is_said() -> None:
    got, said = share(80_000, 74_099)
    assert got == 74_000
    assert said == [
        "loop gets 74 ms in every 100 ms: what fits beside all else, up to 80 ms; "
        "for another share, write void loop(id, C, T)"
    ]


def test_where_nothing_fits_it_has_the_least() -> None:
    assert share(80_000, 0)[0] == LEAST_US
