"""What a program under test consists of, for oracle_server.py and the kernel's harness alike."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

RUN, SLEEP, WAIT, SIGNAL, WAIT_FOR, LOCK, UNLOCK, RESTART = range(8)
# EVENTS_OF: a bottom half waits. (SERVE, line, cost): it does its work for a line that has an
# event, passes that on and unmasks the line. (TAKE, line): the handler's thread takes it, having
# waited for the line's semaphore. (SHARE, I/O VCPU, c << 16 | t), (ENABLE, I/O VCPU, on or not).
EVENTS_OF, SERVE, TAKE, SHARE, ENABLE = range(8, 13)
NO_BACKGROUND = 1
SEMS = 4
LINES = 4  # with a semaphore each, after the others
NO_SEM = SEMS + LINES
NEVER = 1 << 62


@dataclass
class Thread:
    """A thread that repeats its script; budget 0: none. Places go by position. Bottom halves have
    a share n/d instead of a budget and come before all others."""

    budget: int
    period: int
    script: list[tuple[int, int, int]]
    flags: int = 0
    share: tuple[int, int] | None = None
    shift: int = 0  # of the jitter
    # state
    server: Any = None
    pc: int = 0
    left: int = 0
    ready: bool = True
    foreground: bool = True
    wake: int = NEVER
    waits: int | None = None  # semaphore it queues for
    mutexes: list[int] = field(default_factory=list)
    timeouts: int = 0
    # of a bottom half
    serves: set[int] = field(default_factory=set)  # places for which events have been raised
    serving: set[int] = field(default_factory=set)  # those it took when it last waited
    waiting: bool = True
    serving_line: bool = False
    last_rank: tuple[int, bool, int] = (31, False, 0)

    @property
    def jitter(self) -> int:
        """Until so long after the date of its budget a wake-up keeps that."""
        return self.period >> self.shift if self.shift else 0

    def fresh(self) -> Thread:
        """In its initial state."""
        return Thread(self.budget, self.period, self.script, self.flags, self.share, self.shift)


@dataclass(frozen=True)
class Interrupt:
    """A handler that takes `cost` and then signals semaphore `sem`, if that is one, and raises
    events for `places` at the bottom half at place `io`."""

    at: int
    cost: int
    sem: int = NO_SEM
    io: int = 0
    places: tuple[int, ...] = ()


@dataclass
class Line:
    """A source of interrupts and its way to the thread at `place`, by the bottom half at place
    `io`. Masked from its interrupt on; the next comes a gap after it was unmasked, the gaps taking
    turns."""

    io: int
    place: int
    cost: int
    first: int
    gaps: list[int]
    # state
    turn: int = 0
    noted: bool = False
    at: int = 0
    passed: int | None = None  # an event waits for its handler since this interrupt
    merged: int = 0

    @property
    def jitter(self) -> int:
        """Until so long after the date of its budget a wake-up keeps that."""
        return self.period >> self.shift if self.shift else 0

    def fresh(self) -> Line:
        """In its initial state."""
        return Line(self.io, self.place, self.cost, self.first, self.gaps)


@dataclass(frozen=True)
class Segment:
    """`place` (None: nobody) runs from `start` on."""

    start: int
    place: int | None
    foreground: bool


@dataclass(frozen=True)
class Delivery:
    """The thread at `place` takes an event `latency` after its interrupt."""

    time: int
    place: int
    latency: int
