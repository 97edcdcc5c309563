"""Budgets that a program changes while it runs (takt_vcpu_set_budget), and what is promised then.

Of a delivery the longest bound counts that was in force while it lasted. A larger budget counts
from when it was asked for, though it comes a longest period later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from takt.admit.fixes import duration
from takt.result.trace import Kind, Trace

if TYPE_CHECKING:
    from takt.admit.admission import Admission
    from takt.admit.fixes import Case
    from takt.admit.layout import Thread

Bounds = Mapping[str, int | None]  # by name
NEVER = np.iinfo(np.int64).max  # no bound


@dataclass(frozen=True)
class Promised:
    """Bounds from certain times on, the first from the beginning."""

    since: tuple[int, ...]
    bounds: tuple[Bounds, ...]
    told: list[str] = field(default_factory=list)  # what has changed, in words
    changed: dict[str, list[tuple[int, int]]] = field(default_factory=dict)  # time and C, by name
    longest_us: int = 0  # period: an increase comes that much later
    sections: Mapping[str, int] = field(default_factory=dict)  # a thread's own longest: by so much
    # its budget may end late, and it has as much less in the next period
    unseen: frozenset[str] = frozenset()  # threads of which the machine does not see all

    def limits(self, name: str, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """Of deliveries from start to end; NEVER: none."""
        longest = np.zeros(len(end), dtype=np.int64)
        for since, until, bounds in zip(
            self.since, (*self.since[1:], NEVER), self.bounds, strict=True
        ):
            bound = bounds.get(name)
            inside = (start < until) & (end >= since)
            longest[inside] = np.maximum(longest[inside], NEVER if bound is None else bound)
        return longest

    def limit(self, name: str, start: int, end: int) -> int:
        """Of one."""
        return int(self.limits(name, np.array([start]), np.array([end]))[0])

    def budgets(self, name: str, first_us: int, borders: np.ndarray) -> np.ndarray:
        """What a thread is due in each of the windows between the borders: the least C in force."""
        least = np.full(len(borders) - 1, first_us, dtype=np.int64)
        before = first_us
        for time, us in self.changed.get(name, []):
            at = time + (self.longest_us if us > before else 0)
            least[borders[:-1] >= at] = us
            within = (borders[:-1] < at) & (borders[1:] > at)
            least[within] = np.minimum(least[within], us)
            before = us
        return least

    def longest(self, name: str) -> int | None:
        """The longest there was."""
        found = [bounds.get(name) for bounds in self.bounds]
        return None if None in found else max(bound for bound in found if bound is not None)


def constant(bounds: Bounds) -> Promised:
    """Of a program that changes nothing."""
    return Promised((0,), (bounds,))


def promised(
    trace: Trace, threads: Sequence[Thread], bounds: Bounds, admission: Admission | None
) -> Promised:
    """bounds: of the build, or of what runs at the end where threads have been created since."""
    changes = trace.of(Kind.BUDGET)
    if not len(changes) or admission is None or len(trace.of(Kind.CREATE)):
        return constant(bounds)
    cases = admission.parts or ((admission.case,) if admission.case else ())
    names = {thread.place: thread.name for thread in threads}
    budgets: dict[str, int] = {}
    since, found, told = [0], [bounds], []
    changed: dict[str, list[tuple[int, int]]] = {}
    for index in changes.tolist():
        name, time = names[int(trace.place[index])], int(trace.time[index])
        budgets[name] = int(trace.value[index])
        since.append(time)
        changed.setdefault(name, []).append((time, budgets[name]))
        found.append(dict(bounds) | _bounds(cases, budgets))
        told.append(f"{name} has a budget of {duration(budgets[name])} from {time / 1e6:.3f} s on")
    longest = max(loop.period_us for case in cases for loop in case.loops)
    return Promised(tuple(since), tuple(found), told, changed, longest)


def _bounds(cases: Sequence[Case], budgets: Mapping[str, int]) -> dict[str, int | None]:
    result = {}
    for case in cases:
        loops = [replace(t, budget_us=budgets.get(t.name, t.budget_us)) for t in case.loops]
        loops.sort(key=lambda loop: loop.period_us)
        native = replace(case, loops=tuple(loops)).native()
        result |= {loop.name: native.response(place) for place, loop in enumerate(loops)}
    return result
