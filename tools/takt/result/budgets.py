"""What a trace tells of a thread's budget: since when it is usable, and how often it was used up.

The kernel does not trace whether a thread that wakes has budget. What it ran on afterwards shows
it; until it has run, what it used in the period before does: each use comes back a period after it
at the latest. Where even that leaves it open, budget is taken to come when it must at the latest.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from takt.result.trace import Kind, Trace

DELIVERY = (
    Kind.READY,
    Kind.BLOCK,
    Kind.EXHAUST,
    Kind.REPLENISH,
    Kind.CHUNK,
    Kind.STARVED,
)  # what begins or ends the delivery of budget
START_US = 40  # what a start takes at most (TAKT_START_COST_US), where a board does not say
SMALL = 16  # starts: less than they cost may come back later, together with more (server.c)
PIECES = 5  # with more on their way the kernel may merge some, which delays them (it keeps 8)


class Budgeted(Protocol):
    """What is needed of a thread."""

    place: int
    budget_us: int | None
    period_us: int | None


def used_between(trace: Trace, place: int, start: int, end: int, background: bool = False) -> int:
    """CPU time of a thread between two instants."""
    knots, used = trace.used_until(place, background)
    if len(knots) < 2:
        return 0
    first, last = np.interp([start, end], knots, used)
    return round(last - first)


def _count(trace: Trace, place: int, kinds: tuple[Kind, ...], start: int, end: int) -> int:
    """Events of a thread after `start` and before `end`."""
    mine = (trace.place == place) & np.isin(trace.kind, kinds)
    return int((mine & (trace.time > start) & (trace.time < end)).sum())


def _had_budget(trace: Trace, thread: Budgeted, woken: int, start_us: int) -> bool:
    """Whether a thread certainly had budget when it woke, from what it used before."""
    period, place = thread.period_us or 0, thread.place
    before = woken - period
    used = used_between(trace, place, max(before, trace.origin), woken)
    starts = _count(trace, place, (Kind.READY, Kind.REPLENISH), before, woken)
    if not used and not starts:
        return True
    pieces = _count(trace, place, (Kind.CHUNK,), before - period, woken)
    gone = used + start_us * (starts + 1 + SMALL)
    return pieces <= PIECES and gone < (thread.budget_us or 0)


def _usable_since_waking(trace: Trace, thread: Budgeted, ready: int, start_us: int) -> int | None:
    """As usable_since(), for a thread of which event `ready` is the last."""
    woken = int(trace.time[ready])
    runs = trace.of(Kind.RUN, thread.place)
    if len(runs) and runs[-1] > ready:
        return None if trace.value[runs[-1]] & 1 else woken
    if woken < trace.origin or _had_budget(trace, thread, woken, start_us):
        return woken
    return woken + (thread.period_us or 0)


def usable_since(trace: Trace, thread: Budgeted, start_us: int = START_US) -> int | None:
    """Since when a thread has had usable budget at the end of the run; None: it has none. start_us:
    what a start is charged."""
    if not thread.period_us or not len(trace.time):
        return None
    mine = np.flatnonzero((trace.place == thread.place) & np.isin(trace.kind, DELIVERY))
    if not len(mine):
        return trace.origin
    last = int(mine[-1])
    kind, since = trace.kind[last], int(trace.time[last])
    if kind in (Kind.BLOCK, Kind.EXHAUST):
        return None
    found = _usable_since_waking(trace, thread, last, start_us) if kind == Kind.READY else since
    return None if found is None else max(found, trace.origin)


def exhausted(trace: Trace, thread: Budgeted) -> int:
    """How often the budget of a thread has ended since setup(): also while it slept or by waking,
    which shows in what it runs on next, or in budget that comes back."""
    kinds = (Kind.RUN, Kind.EXHAUST, Kind.REPLENISH)
    mine = (trace.place == thread.place) & np.isin(trace.kind, kinds)
    mine &= trace.time >= trace.origin
    kind, value = trace.kind[mine], trace.value[mine]
    if not thread.period_us:
        return int((kind == Kind.EXHAUST).sum())
    before = (kind != Kind.RUN) | (value & 1 == 1)  # without budget; when it comes back, until then
    after = before & (kind != Kind.REPLENISH)
    return int((before & ~np.append(False, after[:-1])).sum())
