"""How interrupts with budgets reached their handlers in a run, from its trace.

What each figure means, for the events of one handler whose interrupt came after setup():

delivered   calls of the handler for an event.
merged      further events known of that became part of one that waited.
events      both, and what waited at the end.
min .. max  time from the edge until the handler took the event; p99: of 100 deliveries 99 took at
            most that. The edge is where the interrupt began to be pending, as the machine saw it; a
            board in QEMU only tells when the top half was entered.
late        deliveries that took longer than the safe bound; what has waited longer than that at the
            end is one more, and counts in the longest time. Not judged is what was under way while
            interrupts were off, or had a smaller share than the bound is for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from takt.result.trace import AMOUNT, ANY_SOURCE, SOURCE_SHIFT, Kind, Trace

BINS = 40  # of a histogram, about
LINEAR = 5  # up to so many times the longest delivery a histogram has equal bins
PATH = (Kind.EVENT, Kind.DELIVER, Kind.MERGED, Kind.FORGET)


class Bounds(Protocol):
    """Bounds of a delivery; None: there is none."""

    safe_us: int | None
    paper_us: int | None
    corrected_us: int | None


class Share(Protocol):
    """c_us in every t_us."""

    c_us: int
    t_us: int


class EventInfo(Protocol):
    """What is known of a handler before the run; the build's Event has it."""

    share: Share  # the smallest that the bound is for

    handler: str
    place: int
    budget_us: int
    period_us: int
    bound: Bounds


@dataclass
class Delivery:
    """Figures of one handler; see the module for their meaning."""

    handler: str
    place: int
    budget_us: int
    period_us: int
    bound_safe_us: int | None
    bound_paper_us: int | None
    bound_paper_corrected_us: int | None
    pins: list[int] = field(default_factory=list)
    events: int = 0
    delivered: int = 0
    merged: int = 0
    min_us: int | None = None
    mean_us: float | None = None
    p99_us: int | None = None
    max_us: int | None = None
    late: int = 0
    histogram: dict[str, list[int]] = field(default_factory=dict)  # edges_us, counts

    def as_dict(self) -> dict[str, Any]:
        """The row of the JSON contract."""
        return vars(self)


@dataclass(frozen=True)
class Waits:
    """Interrupts that waited for their handlers: when these began, how long it was, in us; top_us:
    so long after its begin a top half may take the time of its event."""

    begun: np.ndarray
    us: np.ndarray
    top_us: float

    def before(self, noted_us: int) -> int:
        """How long before a top half took the time there was an edge; 0 as far as is known."""
        nth = int(np.searchsorted(self.begun, noted_us + 1, side="right")) - 1
        if nth < 0 or noted_us - self.begun[nth] > self.top_us:
            return 0
        return max(0, round(float(noted_us - self.begun[nth] + self.us[nth])))


NONE_WAITED = Waits(np.zeros(0), np.zeros(0), 0.0)


@dataclass(frozen=True)
class Passage:
    """An event on its way: `start` its interrupt, `end` its delivery, None: not by the end."""

    place: int | None  # of the handler
    pin: int
    start: int
    end: int | None


@dataclass
class _Pin:
    """What is under way for a pin, by the times of the top halves."""

    noted: int | None = None  # the bottom half has not passed it on, as far as is known
    waits: int | None = None  # the handler has not taken it
    place: int | None = None  # of the handler

    def interrupt(self, time: int) -> None:
        """A pin interrupts only when its last event has been passed on."""
        if self.noted is not None and self.waits is None:
            self.waits = self.noted
        self.noted = time

    def merge(self, place: int) -> None:
        """Passed on, to become part of what waits, or with others in it."""
        if self.waits is None:
            self.waits = self.noted
        self.noted, self.place = None, place

    def deliver(self, place: int) -> None:
        """The handler takes what waits."""
        if self.waits is None:
            self.noted = None
        self.waits, self.place = None, place

    @property
    def since(self) -> int | None:
        """Since when something has been under way."""
        return self.noted if self.waits is None else self.waits


def passages(trace: Trace) -> list[Passage]:
    """Every event delivered, and those that were under way at the end, in order of their end."""
    index = np.flatnonzero(np.isin(trace.kind, PATH))
    columns = (trace.time, trace.kind, trace.place, trace.value)
    found: list[Passage] = []
    pins: dict[int, _Pin] = {}
    for time, kind, place, value in zip(*(c[index].tolist() for c in columns), strict=True):
        if kind == Kind.EVENT:
            pins.setdefault(value & 0xFF, _Pin()).interrupt(time)
            continue
        source, amount = value >> SOURCE_SHIFT, value & AMOUNT
        pin = pins.setdefault(source, _Pin())
        pins.pop(ANY_SOURCE, None)  # the bottom half has been at work since
        if kind == Kind.DELIVER:
            pin.deliver(place)
            found.append(Passage(place, source, time - amount, time))
        elif kind == Kind.MERGED:
            pin.merge(place)
        else:
            pins[source] = _Pin()
    left = ((source, pin) for source, pin in pins.items() if source != ANY_SOURCE)
    return found + [Passage(p.place, s, p.since, None) for s, p in left if p.since is not None]


def _withheld(trace: Trace, share: Share) -> tuple[np.ndarray, np.ndarray]:
    """Stretches with less than a share: starts and ends. Until the first change it is there."""
    index = trace.of(Kind.SHARE)
    value = trace.value[index]
    less = (value >> 16) * share.t_us < share.c_us * (value & 0xFFFF)
    time = np.append(trace.time[index], trace.end)
    return time[:-1][less], time[1:][less]


def _edges(longest: int, upper: int) -> np.ndarray:
    """Borders of bins up to `upper`: equal ones, or growing ones where most would be empty."""
    if longest * LINEAR >= upper:
        raw = max(upper, 1) / BINS
        size = 10.0 ** np.floor(np.log10(raw))
        step = max(1, int(next(m * size for m in (1, 2, 5, 10) if m * size >= raw * 0.999)))
        return np.arange(0, upper + step, step)
    tops = [round(10 ** (k / 8)) for k in range(8, 81)]
    return np.array([0, *(top for top in tops if top < upper * 10 ** (1 / 8))])


def histogram(times: Sequence[int], bound_us: int | None) -> dict[str, list[int]]:
    """How often deliveries took how long: counts between edges_us, from 0 to beyond the bound."""
    if not len(times):
        return {}
    longest = max(times)
    edges = _edges(longest, max(longest + 1, bound_us or 0))
    counts, _ = np.histogram(times, bins=edges)
    return {"edges_us": edges.tolist(), "counts": counts.tolist()}


def _owner(passage: Passage, infos: Sequence[EventInfo]) -> int | None:
    """The handler's place; of a pin that was never delivered, the only handler or the slowest."""
    if passage.place is not None or not infos:
        return passage.place
    return max(infos, key=lambda info: info.bound.safe_us or 0).place


def _late(trace: Trace, info: EventInfo, mine: list[Passage]) -> list[int]:
    """How long those took that took longer than the bound."""
    if info.bound.safe_us is None:
        return []
    starts, ends = _withheld(trace, info.share)
    found = []
    for p in mine:
        end = trace.end if p.end is None else p.end
        judged = not bool(((starts < end) & (ends > p.start)).any())
        if judged and end - p.start > info.bound.safe_us:
            found.append(end - p.start)
    return found


def _figures(trace: Trace, info: EventInfo, mine: list[Passage]) -> Delivery:
    bound, merged = info.bound, trace.of(Kind.MERGED, info.place, trace.origin)
    times = sorted(p.end - p.start for p in mine if p.end is not None)
    late = _late(trace, info, mine)
    found = Delivery(
        info.handler, info.place, info.budget_us, info.period_us,
        bound.safe_us, bound.paper_us, bound.corrected_us,
    )  # fmt: skip
    found.pins = sorted({p.pin for p in mine})
    found.delivered, found.merged = len(times), int((trace.value[merged] & AMOUNT).sum())
    found.events = len(mine) + found.merged
    if times:
        found.min_us, found.mean_us = times[0], round(sum(times) / len(times), 1)
        found.p99_us = times[-(-99 * len(times) // 100) - 1]
    found.max_us = max([*times, *late], default=None)
    found.late = len(late)
    found.histogram = histogram(times, bound.safe_us)
    return found


def analyse(trace: Trace, infos: Sequence[EventInfo], waits: Waits = NONE_WAITED) -> list[Delivery]:
    """Figures of every handler."""
    found = [p for p in passages(trace) if p.start >= trace.origin]
    found = [replace(p, start=p.start - waits.before(p.start)) for p in found]
    owners = [_owner(p, infos) for p in found]
    return [
        _figures(trace, info, [p for p, o in zip(found, owners, strict=True) if o == info.place])
        for info in infos
    ]
