"""What a thread is owed in each of its periods: in which it wanted its budget, and what of that it
has paid for by its own doing."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from takt.result.budgets import PIECES
from takt.result.delivered import Curve, Delivered, Tolerance
from takt.result.rebudgets import Promised
from takt.result.trace import Kind, Trace

HELD = 8  # pieces that a server has room for, at most


class Paid(Protocol):
    """What is needed of a thread."""

    name: str
    place: int
    budget_us: int | None


def _unblocked(trace: Trace, place: int, borders: np.ndarray) -> np.ndarray:
    """Periods through which a thread did not block."""
    mine = (trace.place == place) & np.isin(trace.kind, (Kind.BLOCK, Kind.READY))
    time, blocks = trace.time[mine], trace.kind[mine] == Kind.BLOCK
    last = np.searchsorted(time, borders[:-1], side="right") - 1
    asleep = (last >= 0) & blocks[last] if len(time) else np.zeros(len(borders) - 1, dtype=bool)
    block = time[blocks]
    within = np.searchsorted(block, borders[1:]) > np.searchsorted(block, borders[:-1])
    return ~(asleep | within)


def stayed(machine: Delivered, place: int, borders: np.ndarray) -> np.ndarray:
    """Periods through which it did not even make room for another thread by calling the kernel."""
    left, came = machine.left(place), machine.came(place)
    at_start = np.searchsorted(left, borders[:-1]) > np.searchsorted(came, borders[:-1])
    within = np.searchsorted(left, borders[1:]) > np.searchsorted(left, borders[:-1])
    return ~(at_start | within)


def paid_for_handlers(
    trace: Trace, thread: Paid, borders: np.ndarray, on_budget: np.ndarray
) -> np.ndarray:
    """What of its budget a thread may have paid in each period, or later, for what it made handlers
    do (CHARGE): they are not delivered to it."""
    index = trace.of(Kind.CHARGE, thread.place)
    charged, _ = np.histogram(trace.time[index], borders, weights=trace.value[index])
    paid, debt = np.zeros(len(charged)), 0.0
    for k, more in enumerate(charged):
        debt += more
        paid[k] = debt
        debt -= min(debt, max(0.0, (thread.budget_us or 0) - on_budget[k]))
    return paid


def _pieces(trace: Trace, place: int, borders: np.ndarray) -> np.ndarray:
    """How many pieces of budget a thread finished in each period."""
    return np.histogram(trace.time[trace.of(Kind.CHUNK, place)], borders)[0]


def _in_time(budget_us: int, start_us: int) -> int:
    """In how many pieces a budget comes back as it was used: the kernel merges more, and those that
    are not worth two starts, into later ones (G6, kernel/budget/server.c)."""
    return max(1, min(PIECES, budget_us // max(1, 2 * start_us)))


def paid_for_pieces(trace: Trace, thread: Paid, borders: np.ndarray, start_us: int) -> np.ndarray:
    """What a thread may have paid in each period for having its budget in pieces: each that ends is
    a start more. It has made them by waking on some before, or there is one."""
    pieces = np.minimum(_pieces(trace, thread.place, borders), HELD)
    blocked = trace.time[trace.of(Kind.BLOCK, thread.place)]
    since = blocked[0] if len(blocked) else borders[-1]
    return np.where(borders[1:] > since, np.maximum(pieces - 1, 0) * start_us, 0)


def wanted(trace: Trace, thread: Paid, borders: np.ndarray, start_us: int) -> np.ndarray:
    """Periods through which a thread wanted CPU and was to have its whole budget."""
    found, pieces = _unblocked(trace, thread.place, borders), _pieces(trace, thread.place, borders)
    found[1:] &= pieces[:-1] <= _in_time(thread.budget_us or 0, start_us)
    return found


def short(
    thread: Paid,
    trace: Trace,
    machine: Delivered,
    tolerance: Tolerance,
    curve: Curve,
    spare: Curve,
    promised: Promised,
    borders: np.ndarray,
) -> int:
    """In how many of the periods between these borders it was delivered too little."""
    borders = borders[borders <= trace.end]
    if len(borders) < 2:
        return 0  # no whole one
    whole, past = np.diff(curve.at(borders)), np.diff(spare.at(borders))
    judged = wanted(trace, thread, borders, tolerance.start_us)
    if trace.lost:  # when it blocked, perhaps
        judged &= stayed(machine, thread.place, borders)
    budget = promised.budgets(thread.name, thread.budget_us or 0, borders)
    least = tolerance.least_us(budget)
    least -= paid_for_handlers(trace, thread, borders, whole - past)
    least -= paid_for_pieces(trace, thread, borders, tolerance.start_us)
    least -= promised.sections.get(thread.name, 0)
    return int((judged & (whole < least)).sum())
