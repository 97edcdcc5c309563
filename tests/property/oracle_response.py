"""Admission by other means than the kernel's, in exact rationals; no code shared with it.

A response time is found by walking through the arrivals of everything more urgent, in order of
time, from the instant at which all arrive together. Bounds on utilisation are compared as powers
of fractions. All times are nanoseconds.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

Point = tuple[int, int]  # a time and the work that arrives then


@dataclass(frozen=True)
class Task:
    """Arrives every `period`, the first `jitter` late; `cost` to less urgent ones, `alarms` to all
    others."""

    cost: int
    period: int
    jitter: int = 0
    blocking: int = 0
    alarms: int = 0
    end: int = 0  # taken once more than there are budgets, from those less urgent


@dataclass(frozen=True)
class Io:
    """An I/O VCPU; period 0: inherits. Takes `overhead` with every budget."""

    u: Fraction
    period: int = 0
    overhead: int = 0


def arrivals(task: Task, work: int) -> Iterator[Point]:
    """When a source can release work at the densest, counted from its first, late arrival."""
    k = 0
    while True:
        yield max(0, k * task.period - task.jitter), work
        k += 1


def _sources(tasks: list[Task], place: int, interrupts: list[Task]) -> list[Iterator[Point]]:
    streams = [arrivals(i, i.cost) for i in interrupts]
    for j, task in enumerate(tasks):
        work = task.alarms + (task.cost if j < place else 0)
        if j != place and work:
            streams.append(arrivals(task, work))
    return streams


def _demand(ios: list[tuple[Fraction, Fraction]], t: Fraction) -> Fraction:
    """Of servers (U, most at once): all of that first, then at rate U."""
    return sum((min(t, once + u * (t - once)) for u, once in ios), Fraction())


def _solve(
    fixed: int, ios: list[tuple[Fraction, Fraction]], low: Fraction, high: Fraction
) -> Fraction | None:
    """The first t in (low, high] with t >= fixed + I/O demand, which is linear there."""
    slope = high - _demand(ios, high) - (low - _demand(ios, low))
    lack = fixed - (low - _demand(ios, low))
    if lack <= 0:
        return low
    if slope <= 0 or lack > slope:
        return None
    return low + (high - low) * lack / slope


def _drained(backlog: int, points: Iterator[Point], limit: int) -> int | None:
    """When work done at full speed has caught up with all that arrived before."""
    for at, work in points:
        if backlog <= at:
            return backlog
        if at >= limit:
            return None
        backlog += work
    return None


def response(
    tasks: list[Task],
    place: int,
    interrupts: list[Task] = (),
    ios: list[Io] = (),
    limit: int = 1 << 50,
) -> Fraction | None:
    """Time from the release of tasks[place] to its end."""
    own = tasks[place]
    fluid = [
        (io.u, io.u * (io.period or own.period) + io.overhead)
        for io in ios
        if io.period <= own.period and io.u > 0
    ]
    # Where each of them turns from full speed to its rate.
    corners = heapq.merge(*(iter([(once, 0)]) for _, once in fluid), key=lambda point: point[0])
    points = heapq.merge(
        *_sources(tasks, place, interrupts), corners, ((k, 0) for k in [limit]), key=lambda p: p[0]
    )
    fixed = own.cost + own.alarms + own.blocking + sum(task.end for task in tasks[:place])
    if not fluid:
        finish = _drained(fixed, points, limit)
        return None if finish is None else Fraction(finish)
    low = Fraction(0)
    for at, work in points:
        if at > low:
            found = _solve(fixed, fluid, low, Fraction(at))
            if found is not None:
                return found
            low = Fraction(at)
        if at >= limit:
            return None
        fixed += work
    return None


def misses_deadline(sets: list[tuple[int, int]], horizon: int) -> bool:
    """Runs periodic threads (C, T), released together at 0, unit by unit; is any late?"""
    left = [0] * len(sets)
    for now in range(horizon):
        for i, (c, t) in enumerate(sets):
            if now % t == 0:
                if left[i]:
                    return True
                left[i] = c
        for i, work in enumerate(left):
            if work:
                left[i] -= 1
                break
    return any(left)


def io_load(ios: list[Io]) -> Fraction:
    """Sum of (2 - U) U."""
    return sum(((2 - io.u) * io.u for io in ios), Fraction())


def eq1(sets: list[tuple[int, int]], ios: list[Io] = ()) -> tuple[Fraction, bool]:
    """Left side of Eq. 1, and whether it is at most n (2^(1/n) - 1)."""
    lhs = sum((Fraction(c, t) for c, t in sets), io_load(ios))
    n = len(sets)
    return lhs, (1 + lhs / n) ** n <= 2


def hyperbolic(sets: list[tuple[int, int]], ios: list[Io] = ()) -> tuple[Fraction, bool]:
    """Product of 1 + U, the I/O load in the smallest U."""
    shares = sorted(Fraction(c, t) for c, t in sets)
    shares[0] += io_load(ios)
    product = Fraction(1)
    for share in shares:
        product *= 1 + share
    return product, product <= 2


def ppm_up(value: Fraction) -> int:
    """Millionths, rounded up, as far as 32 bits go."""
    return min(ceil(value * 1_000_000), 0xFFFFFFFF)
