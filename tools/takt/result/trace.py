"""The kernel's trace: 12-byte events (include/takt/trace.h) decoded and laid out in time.

`decode` turns the bytes drained from the target into a `Trace` with times in microseconds that
no longer wrap. `Trace.pieces` cuts the time into pieces during which one thing ran: a thread in
the foreground, a thread in the background, or nothing. Interrupt handlers lie over the pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np

NOBODY = 0xFF  # nothing ran: the CPU slept
KERNEL = 0xFE  # no thread: the kernel chose and switched
EVENT = np.dtype(
    [("time", "<u4"), ("value", "<u4"), ("kind", "u1"), ("place", "u1"), ("cpu", "<u2")]
)


class Kind(IntEnum):
    """enum takt_event_kind."""

    START = 1
    RUN = 2
    READY = 3
    BLOCK = 4
    EXHAUST = 5
    REPLENISH = 6
    CHUNK = 7
    STARVED = 8
    ISR = 9
    MARK = 10
    SETUP = 11
    LOST = 12
    CREATE = 13
    EVENT = 14
    DELIVER = 15
    MERGED = 16
    SHARE = 17
    FORGET = 18
    DUE = 19
    TASK = 20
    TASK_END = 21
    TASK_MISSED = 22
    CHARGE = 23
    JOB = 24
    OVERRUN = 25
    RELEASE = 26
    PLACED = 27
    ARRIVE = 28
    TAKEN = 29
    OVERFLOW = 30
    BUDGET = 31


class Overrun(IntEnum):
    """enum takt_overrun."""

    LATE = 0
    DOOMED = 1
    SKIPPED = 2
    CONTINUES = 3
    NOTIFIED = 4
    TERMINATED = 5


ENDS = (Kind.BLOCK, Kind.EXHAUST, Kind.SETUP)  # from here on the thread before is not charged
BLOCK_REASONS = ("sleep", "semaphore", "exit", "event", "release")
SOURCE_SHIFT, AMOUNT = 24, 0xFFFFFF  # parts of the value of DELIVER and MERGED
ANY_SOURCE = 0xFF  # of EVENT: only the bottom half can tell


@dataclass(frozen=True)
class Runs:
    """What the CPU ran: parallel arrays, one row per stretch; `place` NOBODY is idle."""

    start: np.ndarray
    end: np.ndarray
    place: np.ndarray
    background: np.ndarray


@dataclass(frozen=True)
class Trace:
    """Decoded events, parallel arrays; `time` in us since the clock's zero, `end` of the run."""

    time: np.ndarray
    kind: np.ndarray
    place: np.ndarray
    value: np.ndarray
    end: int
    cpu: np.ndarray | None = None  # where; None: there is one

    @cached_property
    def numbers(self) -> list[int]:
        """Of the CPUs, in the order of parts."""
        found = [] if self.cpu is None else np.unique(self.cpu).tolist()
        return found if len(found) > 1 else [0]

    @cached_property
    def parts(self) -> list[Trace]:
        """What each CPU did, where there are several."""
        if len(self.numbers) < 2:
            return [self]
        mine = (self.cpu == number for number in self.numbers)
        columns = (self.time, self.kind, self.place, self.value)
        return [Trace(*(column[m] for column in columns), self.end) for m in mine]

    def of(self, kind: Kind, place: int | None = None, since: int | None = None) -> np.ndarray:
        """Indices of the events of a kind, optionally of one place and not before an instant."""
        mask = self.kind == kind
        if place is not None:
            mask &= self.place == place
        if since is not None:
            mask &= self.time >= since
        return np.flatnonzero(mask)

    @property
    def lost(self) -> int:
        """Events the target could not record."""
        return int(self.value[self.of(Kind.LOST)].sum())

    @cached_property
    def origin(self) -> int:
        """Where budgets start: the end of setup(), else the start of the kernel."""
        for kind in (Kind.SETUP, Kind.START):
            found = self.of(kind)
            if len(found):
                return int(self.time[found[-1]])
        return int(self.time[0]) if len(self.time) else 0

    def _borders(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """When something else begins to run: times, places, in the background or not.

        The kernel's own time begins when a thread blocks, exhausts its budget or ends setup(), when
        a handler wakes the processor, and before a RUN event as far back as that says; it ends with
        the RUN event. Without budgets the thread of setup() runs on when that is over.
        """
        index = np.flatnonzero(np.isin(self.kind, (Kind.RUN, *ENDS)))
        index = index[~self._runs_on(index)]
        time, run = self.time[index], self.kind[index] == Kind.RUN
        place = np.where(run, self.place[index], KERNEL)
        background = run & (self.value[index] & 1 == 1)
        before = np.where(run, self.value[index] >> 1, 0)
        early = np.flatnonzero(before)
        woken = self._wakes(time, place)
        time = np.concatenate([time[early] - before[early], woken, time])
        kernel = np.full(len(early) + len(woken), KERNEL)
        place = np.concatenate([kernel, place])
        background = np.concatenate([np.zeros(len(kernel), dtype=bool), background])
        order = np.argsort(time, kind="stable")
        return time[order], place[order], background[order]

    def _runs_on(self, index: np.ndarray) -> np.ndarray:
        """Of borders: ends of a setup() behind which its thread is not started anew."""
        kind, place = self.kind[index], self.place[index]
        anew = np.zeros(len(index), dtype=bool)
        anew[:-1] = (kind[1:] == Kind.RUN) & (place[1:] == place[:-1])
        return (kind == Kind.SETUP) & ~anew

    def _wakes(self, time: np.ndarray, place: np.ndarray) -> np.ndarray:
        """Ends of the handlers after which the processor did not go back to sleep."""
        asleep = np.flatnonzero(place[:-1] == NOBODY)
        asleep = asleep[place[asleep + 1] != NOBODY]
        ends = np.sort(self.isr[1])
        last = np.searchsorted(ends, time[asleep + 1], side="right") - 1
        found = last >= 0
        ends, asleep = ends[last[found]] if found.any() else ends[:0], asleep[found]
        return ends[ends > time[asleep]]

    @cached_property
    def runs(self) -> Runs:
        """What ran from one border to the next; interrupts are not taken out."""
        if len(self.parts) > 1:
            found = [part.runs for part in self.parts]
            names = ("start", "end", "place", "background")
            return Runs(*(np.concatenate([getattr(r, name) for r in found]) for name in names))
        start, place, background = self._borders()
        end = np.append(start[1:], max(self.end, int(start[-1]))) if len(start) else start
        keep = end > start
        return Runs(start[keep], end[keep], place[keep], background[keep])

    def stretches(self, place: int, background: bool) -> np.ndarray:
        """(n, 2) starts and ends during which a thread ran, interrupts left in."""
        mine = (self.runs.place == place) & (self.runs.background == background)
        return np.stack([self.runs.start[mine], self.runs.end[mine]], axis=1)

    @cached_property
    def who(self) -> set[int]:
        """Places of those that ran."""
        return set(self.runs.place.tolist())

    @cached_property
    def isr(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Interrupt handlers: start, end, source."""
        index = self.of(Kind.ISR)
        end = self.time[index]
        return end - self.value[index], end, self.place[index]

    @cached_property
    def pieces(self) -> tuple[Runs, np.ndarray]:
        """The runs cut at the borders of handlers, and whether a handler covers each piece; of
        several CPUs one after the other."""
        if len(self.parts) > 1:
            found = [part.pieces for part in self.parts]
            names = ("start", "end", "place", "background")
            runs = Runs(*(np.concatenate([getattr(r, n) for r, _ in found]) for n in names))
            return runs, np.concatenate([covered for _, covered in found])
        runs = self.runs
        isr_start, isr_end, _ = self.isr
        if not len(runs.start):
            return runs, np.zeros(0, dtype=bool)
        cuts = np.unique(np.concatenate([runs.start, runs.end[-1:], isr_start, isr_end]))
        cuts = cuts[(cuts >= runs.start[0]) & (cuts <= runs.end[-1])]
        start, end = cuts[:-1], cuts[1:]
        owner = np.searchsorted(runs.start, start, side="right") - 1
        # A piece is covered when more handlers have started than ended at its start.
        depth = np.searchsorted(np.sort(isr_start), start, side="right") - np.searchsorted(
            np.sort(isr_end), start, side="right"
        )
        return Runs(start, end, runs.place[owner], runs.background[owner]), depth > 0

    def used_until(self, place: int, background: bool) -> tuple[np.ndarray, np.ndarray]:
        """CPU time of a thread as a function of time: knots and values for np.interp.

        Interrupt handlers that ran inside the thread's stretches do not count.
        """
        if len(self.parts) > 1:
            own = [part for part in self.parts if (part.runs.place == place).any()]
            return (own or self.parts)[0].used_until(place, background)
        pieces, in_isr = self.pieces
        mine = (pieces.place == place) & (pieces.background == background) & ~in_isr
        used = np.cumsum(np.where(mine, pieces.end - pieces.start, 0))
        return np.append(pieces.start[:1], pieces.end), np.append(np.zeros(1), used)


def unwrap(raw: np.ndarray) -> np.ndarray:
    """32-bit clock readings to 64 bits; neighbours are at most 2^31 us apart."""
    if not len(raw):
        return np.zeros(0, dtype=np.int64)
    steps = np.diff(raw.astype(np.uint32)).astype(np.int32).astype(np.int64)
    return np.concatenate([[int(raw[0])], int(raw[0]) + np.cumsum(steps)]).astype(np.int64)


def taken_by(raw: np.ndarray, taken: Sequence[tuple[int, float]]) -> np.ndarray:
    """The same where nothing may have happened for longer. taken: bytes that had been drained, and
    the kernel's clock then, which does not wrap; all drained since the one before are near it."""
    ends = np.array([end for end, _ in taken])
    clocks = np.array([round(clock) for _, clock in taken], dtype=np.int64)
    last = np.minimum(np.arange(1, len(raw) + 1) * EVENT.itemsize, ends[-1])
    near = clocks[np.searchsorted(ends, last)]
    return near + (raw.astype(np.int64) - near).astype(np.uint32).astype(np.int32)


def decode(data: bytes, end: int | None = None, taken: Sequence[tuple[int, float]] = ()) -> Trace:
    """Events of a drained ring, oldest first. A last event cut short is left out.

    end: when the run ended, us on the kernel's clock; the last event's time if not given. taken: as
    taken_by() has it; without, neighbours are at most 2^31 us apart.
    """
    whole = len(data) - len(data) % EVENT.itemsize
    rows = np.frombuffer(data[:whole], dtype=EVENT)
    time = taken_by(rows["time"], taken) if taken and whole else unwrap(rows["time"])
    last = int(time[-1]) if len(time) else 0
    return Trace(
        time=time,
        kind=rows["kind"].astype(np.int16),
        place=rows["place"].astype(np.int16),
        value=rows["value"].astype(np.int64),
        end=max(last, end) if end is not None else last,
        cpu=rows["cpu"],
    )
