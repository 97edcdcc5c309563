"""Pipes by other means than admission/admit_pipe.c and include/takt/qos.h: buffers filled packet by
packet, instead of products and quotients.

A reader with C in every T reads as early as it can in one period and as late as it can in the next.
Everything is exact; times are nanoseconds.
"""

from __future__ import annotations

from fractions import Fraction


def most_in(window: Fraction, rate: Fraction) -> int:
    """Packets of a rate in a window, when one comes at its very start: counted one by one."""
    count, come, end = 0, 0, window * rate.numerator
    while come <= end:
        count, come = count + 1, come + rate.denominator
    return count


def fits(period: int, texec: int, delay: int, rate: Fraction, slots: int) -> bool:
    """Whether what comes between two reads, the endpoint's delay before them included, finds room.
    period in us."""
    return most_in(Fraction(2000 * period - texec + delay), rate) <= slots


def longest_period(slots: int, rate: Fraction, texec: int, delay: int, latency: int) -> int | None:
    """Longest safe period in whole us, found by looking; None: there is none."""
    most = (latency - delay) // 2000
    if most < 1:
        return None
    low, high = 0, most + 1  # low fits, or is 0
    while high - low > 1:
        middle = (low + high) // 2
        good = 2000 * middle < texec - delay or fits(middle, texec, delay, rate, slots)
        low, high = (middle, high) if good else (low, middle)
    return low or None
