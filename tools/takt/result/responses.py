"""How long budgets took to be delivered: from when something was due, not from when the kernel saw
it.

The kernel tells with each delivery since when the budget was usable (CHUNK). That is a date of its
own making: a thread that wakes is taken to have woken when the kernel came to look (READY), or
keeps a date of before (jitter.py), and a budget that was starved of the CPU is dated anew. So of
the first delivery after waking the time counts from when the thread asked to be woken (DUE), or
woke, and where a budget was dated anew, from when it was there.

A budget that ends holds more than C, and the alarm tells its end after its handler: C has been
delivered so much before. How much, the machine knows best. A budget that pays for an interrupt
(CHARGE) may have ended at its beginning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, inf

import numpy as np

from takt.result.trace import Kind, Trace

OF_INTEREST = (Kind.DUE, Kind.READY, Kind.REPLENISH, Kind.CHUNK, Kind.EXHAUST, Kind.STARVED,
               Kind.OVERRUN, Kind.CHARGE)  # fmt: skip


@dataclass(frozen=True)
class Responses:
    """Of a thread: of each delivery, and when it ended; which of them the starvation rule had dated
    anew; since when it should have been awake at the end, None: it is not due."""

    us: np.ndarray
    ends: np.ndarray
    starved: np.ndarray
    overdue_since: int | None


@dataclass
class _Thread:
    """What is known from one event to the next."""

    asked: int | None = None  # to be woken
    due: int | None = None  # what it is owed has been since then
    woke: bool = False  # that was when it woke, which may be after the date of its budget
    starved: bool = False
    charged: tuple[int, int] = (0, 0)  # for an interrupt: when, how much

    def take(self, kind: int, time: int, value: int) -> None:
        """An event that is no delivery."""
        if kind == Kind.DUE:
            self.asked = time + ((value - time + (1 << 31)) & 0xFFFFFFFF) - (1 << 31)
        elif kind == Kind.READY:
            since = time - value
            self.due, self.asked = since if self.asked is None else min(since, self.asked), None
            self.woke = True
        elif kind == Kind.REPLENISH:
            self.due, self.woke = time, False
        elif kind == Kind.STARVED:
            self.starved = True
        elif kind == Kind.CHARGE:
            self.charged = time, value
        elif kind in (Kind.EXHAUST, Kind.OVERRUN):
            self.due = None

    def deliver(self, time: int, told: int) -> tuple[int, bool]:
        """A delivery, of which the kernel says how long it took."""
        first, starved, woke = self.due, self.starved, self.woke
        self.due, self.starved, self.woke = None, False, False
        if first is None:
            return told, starved
        return time - first if woke and not starved else max(told, time - first), starved


def of(
    trace: Trace,
    place: int,
    since: int,
    more_us: int = 0,
    had: Callable[[int, int], float] | None = None,
) -> Responses:
    """Of deliveries from an instant on. more_us: from C to when the end of a budget is told, at
    least. had: by when a budget that was due then, and has ended by then, was delivered."""
    mine = np.flatnonzero((trace.place == place) & np.isin(trace.kind, OF_INTEREST))
    thread, us, ends, starved = _Thread(), [], [], []
    columns = (trace.time, trace.kind, trace.value)
    exhausts = set(trace.time[mine[trace.kind[mine] == Kind.EXHAUST]].tolist())
    for time, kind, value in zip(*(c[mine].tolist() for c in columns), strict=True):
        if kind != Kind.CHUNK:
            thread.take(kind, time, value)
            continue
        response, dated = thread.deliver(time, value)
        due = time - response
        if time in exhausts:  # by the alarm
            charged_at, charged_us = thread.charged
            if charged_at >= time - more_us:
                response -= charged_us
            response = max(0, response - more_us)
        by = had(due, time) if had else inf
        if by < due + response:
            response = max(0, ceil(by - due))
        if time >= since:
            us.append(response)
            ends.append(time)
            starved.append(dated)
    taken, end = np.array(us, dtype=np.int64), np.array(ends, dtype=np.int64)
    return Responses(taken, end, np.array(starved, dtype=bool), thread.asked)
