"""What is too short for a picture to show one by one: the share of time in each of its columns.

A column is as wide as the thinnest thing that is drawn. Drawing each short stretch that wide would
show a thousand interrupts of 2 % of the time as one solid bar.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

COLUMNS = 625
LEVELS = 10  # shades that can be told apart
PALEST = 0.45  # of what runs for the shortest time: to be seen at all
CROWDED = 4  # changes of a pin in three columns, from which on they are not drawn one by one
AROUND = 7  # columns over which the share of a fast pin is taken

Bars = list[tuple[float, float]]  # (start, length)


def stretches(spans: np.ndarray, window: tuple[float, float]) -> tuple[Bars, np.ndarray]:
    """Bars that are at least a column long, and how full each column is of shorter ones. What is
    shorter than half a column belongs to that of its middle, lest it be twice as wide there."""
    start, end = window
    column = (end - start) / COLUMNS
    inside = spans[(spans[:, 1] > start) & (spans[:, 0] < end)]
    begins, ends = np.maximum(inside[:, 0], start), np.minimum(inside[:, 1], end)
    long = ends - begins >= column
    bars = zip(begins[long].tolist(), (ends - begins)[long].tolist(), strict=True)
    a, b = (begins[~long] - start) / column, (ends[~long] - start) / column
    first, last = a.astype(int), np.minimum(b.astype(int), COLUMNS - 1)
    middle = np.where(b - a < 0.5, ((a + b) / 2).astype(int), -1)
    first, last = np.where(middle < 0, first, middle), np.where(middle < 0, last, middle)
    after = np.where(first < last, b - last, 0)  # in the second of two columns
    shares = np.bincount(first, b - a - after, COLUMNS) + np.bincount(last, after, COLUMNS)
    return list(bars), np.minimum(shares, 1)


def levels(shares: np.ndarray, window: tuple[float, float]) -> list[tuple[float, Bars]]:
    """The columns that are not empty, by their strength in 0 .. 1; neighbours joined."""
    start, column = window[0], (window[1] - window[0]) / COLUMNS
    level = np.ceil(shares * LEVELS).astype(int)
    borders = [0, *(np.flatnonzero(np.diff(level)) + 1).tolist(), COLUMNS]
    found: dict[int, Bars] = {}
    for a, b in pairwise(borders):
        if level[a]:
            found.setdefault(int(level[a]), []).append((start + a * column, (b - a) * column))
    return [(PALEST + (1 - PALEST) * one / LEVELS, bars) for one, bars in sorted(found.items())]


def high_shares(times: Sequence[float], levels: Sequence[int], borders: np.ndarray) -> np.ndarray:
    """Share of time a pin is high between borders."""
    first = bisect_right(times, borders[0])
    known = np.array([levels[first - 1] if first else 0, *levels[first:]], dtype=float)
    edges = np.array([borders[0], *times[first:]])
    high = np.concatenate([[0.0], np.cumsum(np.diff(edges) * known[:-1])])
    at = np.searchsorted(edges, borders, side="right") - 1
    whole = high[at] + (borders - edges[at]) * known[at]
    return np.diff(whole) / np.diff(borders)


def crowds(times: Sequence[float], window: tuple[float, float]) -> list[tuple[int, int]]:
    """Runs of columns in which a pin changes too often: [first, end)."""
    counts, _ = np.histogram(np.array(times), COLUMNS, window)
    crowded = np.convolve(counts, np.ones(3), "same") >= CROWDED
    borders = np.flatnonzero(np.diff(np.concatenate([[0], crowded, [0]]))).tolist()
    return list(zip(borders[::2], borders[1::2], strict=True))


def smooth(shares: np.ndarray) -> np.ndarray:
    """Each with its neighbours, so that a wave of about a column's length does not beat."""
    reach = min(AROUND, len(shares))
    near = np.ones(reach)
    return np.convolve(shares, near, "same") / np.convolve(np.ones(len(shares)), near, "same")
