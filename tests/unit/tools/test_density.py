"""What is drawn of what is too short to be drawn."""

from __future__ import annotations

import numpy as np
import pytest
from takt.result.pictures import density
from takt.result.pictures.density import COLUMNS

WINDOW = (1000.0, 1000.0 + 10 * COLUMNS)  # columns of 10


def spans(*rows: tuple[float, float]) -> np.ndarray:
    return np.array(rows, dtype=float)


def test_long_bars_keep_their_length() -> None:
    bars, shares = density.stretches(spans((900, 1012), (1020, 1030), (9000, 9500)), WINDOW)
    assert bars == [(1000.0, 12.0), (1020.0, 10.0)]
    assert not shares.any()


def test_shares_of_short_ones() -> None:
    bars, shares = density.stretches(spans((1000, 1001), (1003, 1005), (1037, 1043)), WINDOW)
    assert bars == []
    assert shares[0] == pytest.approx(0.3)
    assert shares[3] == pytest.approx(0.3) and shares[4] == pytest.approx(0.3)
    assert np.count_nonzero(shares) == 3


def test_a_tick_is_one_column_wherever_it_is() -> None:
    for start in np.arange(1000, 1040, 0.7):
        _, shares = density.stretches(spans((start, start + 4)), WINDOW)
        assert np.count_nonzero(shares) == 1 and shares.sum() == pytest.approx(0.4)


def test_nothing_is_lost_at_the_ends() -> None:
    _, shares = density.stretches(spans((990, 1002), (WINDOW[1] - 2, WINDOW[1] + 90)), WINDOW)
    assert shares[[0, -1]].tolist() == pytest.approx([0.2, 0.2])


def test_the_fuller_the_stronger_and_never_invisible() -> None:
    shares = np.zeros(COLUMNS)
    shares[1:4], shares[7], shares[9] = 1e-4, 0.5, 1.0
    found = density.levels(shares, WINDOW)
    assert [bars for _, bars in found] == [[(1010, 30)], [(1070, 10)], [(1090, 10)]]
    strengths = [strength for strength, _ in found]
    assert strengths == sorted(strengths) and strengths[-1] == 1 and strengths[0] >= density.PALEST


def test_how_much_of_the_time_a_pin_is_high() -> None:
    times, levels = [5.0, 8.0, 20.0, 25.0], [1, 0, 1, 0]
    borders = np.array([0.0, 10.0, 20.0, 30.0, 40.0])
    assert density.high_shares(times, levels, borders).tolist() == [0.3, 0, 0.5, 0]
    assert density.high_shares(times, levels, borders[1:]).tolist() == [0, 0.5, 0]
    assert density.high_shares([1.0], [1], borders[1:]).tolist() == [1, 1, 1]


def test_only_where_a_pin_is_too_fast() -> None:
    slow = [1000.0 + 25 * n for n in range(40)]
    assert density.crowds(slow, WINDOW) == []
    fast = [2500 + 2.5 * n for n in range(80)]  # columns 150 to 169
    ((first, end),) = density.crowds(sorted([*slow, *fast]), WINDOW)
    assert (first, end) == (149, 171)
    assert density.crowds([3000, 3001], WINDOW) == [], "a pulse is a pulse"


def test_a_wave_of_a_column_s_length_does_not_beat() -> None:
    times = np.arange(1000, 2000, 6.5).tolist()  # 13 long, half of it high
    levels = [n & 1 for n in range(len(times))]
    shares = density.high_shares(times, levels, np.arange(1000, 1951, 10.0))
    assert np.ptp(shares) > 0.25
    assert np.abs(density.smooth(shares) - 0.5).max() < 0.1
