"""Durations in words, rounded."""

from __future__ import annotations


def duration_text(us: float) -> str:
    """A duration as people write it: 20 ms, 1.5 s, 300 us."""
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if us >= size:
            return f"{us / size:.4g} {unit}"
    return f"{us:.4g} us"


def bound_text(us: int) -> str:
    """As duration_text(), rounded up: a bound never looks smaller than it is."""
    size = 10 ** max(0, len(str(us)) - 4)
    return duration_text(-(-us // size) * size)


def span_text(least: int, most: int) -> str:
    """A range in one unit: 12 .. 16 us."""
    unit, size = ("ms", 1e3) if most >= 1000 else ("us", 1)
    low, high = (f"{value / size:.5g}" for value in (least, most))
    return f"{low} {unit}" if low == high else f"{low} .. {high} {unit}"
