"""A small scheduler that writes the same events as the kernel: input for tests of the tools.

Sporadic servers with a background band, in steps of 1 us from event to event. It is no oracle
for the kernel; it only makes streams whose figures can be worked out by hand.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from takt.result.trace import NOBODY, Kind

FOREVER = 1 << 60


@dataclass
class SimThread:
    """A thread; `script` gives (run us, sleep us) again and again, None runs for ever."""

    name: str
    place: int
    budget_us: int | None = None
    period_us: int | None = None
    script: Iterator[tuple[int, int]] | None = None
    # state
    left: int = 0
    then_sleep: int = 0
    wake: int = -1
    credit: int = 0
    usable_since: int = 0
    coming: list[tuple[int, int]] = field(default_factory=list)

    def next_step(self) -> None:
        self.left, self.then_sleep = next(self.script) if self.script else (FOREVER, 0)


class Sim:
    """Runs threads until an instant; `events` are the bytes a target would have traced."""

    def __init__(
        self,
        threads: list[SimThread],
        isr_every: int = 0,
        isr_us: int = 0,
        clock_start: int = 0,
        setup: bool = True,
    ):
        self.threads, self.clock_start = threads, clock_start
        self.isr_every, self.isr_us = isr_every, isr_us
        self.now, self.next_isr = 0, isr_every or FOREVER
        self.out = bytearray()
        self.emit(Kind.START, NOBODY, len(threads))
        for thread in threads:
            thread.next_step()
            thread.credit = thread.budget_us or 0
        if setup:
            self.emit(Kind.SETUP, 0, 0)  # followed by a RUN event at the same instant
        self.running: tuple[int, int] | None = None

    def emit(self, kind: Kind, place: int, value: int = 0) -> None:
        time = (self.now + self.clock_start) & 0xFFFFFFFF
        self.out += struct.pack("<IIBBH", time, value, kind, place, 0)

    def _wake(self) -> None:
        for t in self.threads:
            while t.coming and t.coming[0][0] <= self.now:
                at, amount = t.coming.pop(0)
                if t.credit == 0:
                    t.usable_since = at
                    if t.wake < 0:
                        self.emit(Kind.REPLENISH, t.place)
                t.credit += amount
            if 0 <= t.wake <= self.now:
                t.wake = -1
                t.usable_since = self.now
                self.emit(Kind.READY, t.place)
                t.next_step()

    def _pick(self) -> tuple[SimThread | None, bool]:
        ready = [t for t in self.threads if t.wake < 0]
        for t in ready:
            if t.credit > 0:
                return t, False
        return (ready[0], True) if ready else (None, False)

    def _charge(self, t: SimThread, used: int, background: bool) -> None:
        t.left -= used
        if not background:
            t.credit -= used
            t.coming.append((t.usable_since + (t.period_us or 0), used))
        blocks = t.left == 0
        if not background and (t.credit == 0 or blocks):
            self.emit(Kind.CHUNK, t.place, self.now - t.usable_since)
        if not background and t.credit == 0 and not blocks:
            self.emit(Kind.EXHAUST, t.place)
        if blocks:
            self.emit(Kind.BLOCK, t.place, 0)
            t.wake = self.now + t.then_sleep

    def _horizon(self, end: int, t: SimThread | None, background: bool) -> int:
        times = [end, self.next_isr]
        times += [x.wake for x in self.threads if x.wake >= 0]
        times += [x.coming[0][0] for x in self.threads if x.coming]
        if t:
            times.append(self.now + t.left)
            if not background:
                times.append(self.now + t.credit)
        return max(min(times), self.now)

    def run(self, end: int) -> bytes:
        while self.now < end:
            self._wake()
            t, background = self._pick()
            what = (t.place if t else NOBODY, int(background))
            if what != self.running:
                self.emit(Kind.RUN, *what)
                self.running = what
            until = self._horizon(end, t, background)
            used, self.now = until - self.now, until
            if t and used:
                self._charge(t, used, background)
            if self.now == self.next_isr < end:
                self.now += self.isr_us
                self.emit(Kind.ISR, 13, self.isr_us)
                self.next_isr += self.isr_every
        return bytes(self.out)
