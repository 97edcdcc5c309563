"""Periodic jobs: what a run shows of them, and how many can be released at once.

Two releases coincide now and then if and only if their distance is a multiple of the common divisor
of their periods, and several do if every two of them do (Chinese remainder theorem). So the largest
number released in one tick is that of the largest set in which every two coincide, exactly, without
a table of the least common multiple.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import gcd
from typing import Any

from takt.admit import release_library
from takt.admit.layout import Thread
from takt.result.trace import Kind, Overrun, Trace


@dataclass(frozen=True)
class Jobs:
    """Of one periodic thread, since budgets started."""

    name: str
    period_us: int
    releases: int
    finished: int
    response_max_us: int | None  # from a release to the end of its job
    bound_us: int | None  # of those that take no more than C
    late: int  # found unfinished at the next release without having had C
    overruns: int  # found unfinished that had
    terminated: int

    def as_dict(self) -> dict[str, Any]:
        """For --json."""
        return asdict(self)


def analyse(trace: Trace, threads: Sequence[Thread], bounds: dict[str, int | None]) -> list[Jobs]:
    """Those of a run."""
    found = []
    for thread in threads:
        if not thread.periodic:
            continue
        place, since = thread.place, trace.origin
        responses = trace.value[trace.of(Kind.JOB, place, since)]
        kinds = trace.value[trace.of(Kind.OVERRUN, place, since)].tolist()
        late, ended = kinds.count(Overrun.LATE), kinds.count(Overrun.TERMINATED)
        found.append(
            Jobs(
                name=thread.name,
                period_us=thread.period_us or 0,
                releases=len(trace.of(Kind.RELEASE, place, since)),
                finished=len(responses),
                response_max_us=int(responses.max()) if len(responses) else None,
                bound_us=bounds.get(thread.name),
                late=late,
                overruns=len(kinds) - late - ended,
                terminated=ended,
            )
        )
    return found


@dataclass(frozen=True)
class Releases:
    """When the periodic threads of a program are released, placed as the kernel does it."""

    offsets_us: dict[str, int]
    peak: int  # the most that are released in one tick, ever
    together: tuple[str, ...]  # who they are

    def as_dict(self) -> dict[str, Any]:
        """For --json."""
        return asdict(self) | {"together": list(self.together)}

    def explain(self) -> str:
        """A line for people."""
        who = f": {', '.join(self.together)}" if self.peak > 1 else ""
        count = len(self.offsets_us)
        return f"releases: at most {self.peak} of {count} periodic threads at once{who}"


def releases(threads: Sequence[Thread]) -> Releases | None:
    """Of a program, if it has periodic threads; they register in the order of their places."""
    found = [t for t in threads if t.periodic and t.period_us]
    if not found:
        return None
    periods = [t.period_us or 0 for t in found]
    offsets = release_library.place(periods)
    together = largest(periods, offsets)
    return Releases(
        {t.name: offset for t, offset in zip(found, offsets, strict=True)},
        len(together),
        tuple(found[i].name for i in together),
    )


def largest(periods: Sequence[int], offsets: Sequence[int]) -> list[int]:
    """A largest set of releases that coincide."""
    count = len(periods)
    beside = [
        sum(
            1 << j
            for j in range(count)
            if j != i and (offsets[i] - offsets[j]) % gcd(periods[i], periods[j]) == 0
        )
        for i in range(count)
    ]
    best = 0

    def grow(chosen: int, left: int) -> None:
        """Adds to a set those that coincide with all of it (Carraghan and Pardalos 1990)."""
        nonlocal best
        if chosen.bit_count() > best.bit_count():
            best = chosen
        while left and chosen.bit_count() + left.bit_count() > best.bit_count():
            first = left & -left
            left ^= first
            grow(chosen | first, left & beside[first.bit_length() - 1])

    grow(0, (1 << count) - 1)
    return [i for i in range(count) if best >> i & 1]
