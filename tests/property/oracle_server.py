"""An exact simulator of threads with sporadic-server budgets, in integer microseconds.

Written from the rules, not from the kernel, with which it shares no code:

* A server holds replenishments (date, amount), ordered by date. The first, the head, is usable
  from its date on. What a thread uses of it comes back one period after the head's date. It is
  put on the list when the head is used up or dated anew; until then it is `open`.
* A thread that wakes with a usable head has it dated `now`, all other usable ones merged into it.
* A thread about to run on a head dated a period ago or longer has it dated and merged likewise:
  it has missed its deadline (starvation rule).
* At most `capacity` replenishments are held. One more makes the two neighbours with the smallest
  gap, the head apart, one at the later date; among equal gaps the newest pair, then the oldest.
* A thread without usable budget runs in the background: after every thread that has budget, and
  free of charge. Threads without a server always do, before those that have one.
* While a mutex is held, only threads more urgent than its ceiling and the holder run; a holder
  whose budget ends goes on at the expense of its next replenishments until it unlocks.
* A restart fills all servers, from then on.
* Interrupt handlers take time from nobody's budget. What they wake becomes ready, and budgets end
  and return, when the last of several handlers in a row is done.

At one instant, interrupts come before whatever a thread does next.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from oracle_budget import Server

RUN, SLEEP, WAIT, SIGNAL, WAIT_FOR, LOCK, UNLOCK, RESTART = range(8)
NO_BACKGROUND = 1
SEM_MAX = 0xFFFF
NEVER = 1 << 62
NOT_YET = -1


@dataclass
class Thread:
    """A thread that repeats its script; budget 0: none. Places go by position."""

    budget: int
    period: int
    script: list[tuple[int, int, int]]
    flags: int = 0
    # state
    server: Server | None = None
    pc: int = 0
    left: int = 0
    ready: bool = True
    foreground: bool = True
    wake: int = NEVER
    waits: int | None = None  # semaphore it queues for
    mutexes: list[int] = field(default_factory=list)
    timeouts: int = 0


@dataclass(frozen=True)
class Interrupt:
    """A handler that takes `cost` and then signals semaphore `sem`, if that is one."""

    at: int
    cost: int
    sem: int


@dataclass(frozen=True)
class Segment:
    """`place` (None: nobody) runs from `start` on."""

    start: int
    place: int | None
    foreground: bool


class Simulation:
    """Runs threads from time 0, when all are ready and all budgets full."""

    def __init__(
        self,
        threads: list[Thread],
        interrupts: list[Interrupt] = (),
        ceilings: list[int] = (),
        capacity: int = 8,
        sems: int = 4,
    ) -> None:
        self.threads = threads
        self.now = 0
        self.pending = sorted(interrupts, key=lambda i: i.at)  # stable: order of arrival
        self.ceilings = ceilings
        self.locked: list[tuple[int, int]] = []  # (mutex, place), innermost last
        self.count = [0] * sems
        self.segments: list[Segment] = []
        self.handlers: list[tuple[int, int]] = []  # (start, end)
        self.used = 0  # by the running thread, not yet taken from its server
        self.woken: set[int] = set()
        self.current: tuple[int | None, bool] = (NOT_YET, False)
        for t in threads:
            t.foreground = t.budget > 0
            if t.budget:
                t.server = Server(t.budget, t.period, capacity)

    # what runs

    def pick(self) -> int | None:
        foreground = [p for p, t in enumerate(self.threads) if t.ready and t.foreground]
        if self.locked:
            ceiling = min(self.ceilings[m] for m, _ in self.locked)
            first = foreground[0] if foreground else NEVER
            return first if first < ceiling else self.locked[-1][1]
        if foreground:
            return foreground[0]
        background = [(t.budget > 0, p) for p, t in enumerate(self.threads) if t.ready]
        background = [(own, p) for own, p in background if not own or not self.threads[p].flags]
        return min(background)[1] if background else None

    def update(self) -> int | None:
        place = self.pick()
        foreground = place is not None and self.threads[place].foreground
        if (place, foreground) != self.current:
            self.current = (place, foreground)
            if place is not None and foreground:
                self.threads[place].server.dispatch(self.now)
            self.segments.append(Segment(self.now, place, foreground))
        return place

    # waking and blocking

    def join_woken(self) -> None:
        for place in self.woken:
            t = self.threads[place]
            t.ready = True
            if t.server:
                t.server.wake(self.now)
                t.foreground = t.server.usable(self.now)
        self.woken.clear()

    def signal(self, sem: int) -> None:
        waiters = [p for p, t in enumerate(self.threads) if t.waits == sem]
        if not waiters:
            self.count[sem] = min(self.count[sem] + 1, SEM_MAX)
            return
        t = self.threads[waiters[0]]
        t.waits = None
        if not t.ready:
            self.woken.add(waiters[0])
            t.wake = NEVER

    def block(self, t: Thread, wake: int, sem: int | None) -> None:
        t.ready, t.wake, t.waits = False, wake, sem

    def handle(self) -> None:
        """Lets every handler run that is due, including those that become due meanwhile."""
        while True:
            for place, t in enumerate(self.threads):
                if t.wake <= self.now:
                    self.woken.add(place)
                    t.wake = NEVER
            if not self.pending or self.pending[0].at > self.now:
                return
            interrupt = self.pending.pop(0)
            self.handlers.append((self.now, self.now + interrupt.cost))
            self.now += interrupt.cost
            if interrupt.sem < len(self.count):
                self.signal(interrupt.sem)

    def take_interrupts(self) -> None:
        self.handle()
        place, foreground = self.current
        if place is not None and foreground:
            t = self.threads[place]
            t.server.consume(self.used, self.now)
            t.server.check()
            self.settle(t)
        self.used = 0
        self.join_woken()
        for t in self.threads:
            if t.ready and t.server and not t.foreground and t.server.usable(self.now):
                t.foreground = True

    # what threads do

    def settle(self, t: Thread) -> None:
        if t.foreground and not t.server.usable(self.now) and not t.mutexes:
            t.foreground = False

    def step(self, t: Thread, place: int) -> None:
        if t.waits is not None:  # woken by the clock, not by a signal
            t.waits = None
            t.timeouts += 1
        kind, a, b = t.script[t.pc]
        t.pc = (t.pc + 1) % len(t.script)
        if kind == RUN:
            t.left = a
        elif kind == SLEEP:
            self.block(t, self.now + a, None)
        elif kind in (WAIT, WAIT_FOR):
            if self.count[a]:
                self.count[a] -= 1
            else:
                self.block(t, self.now + b + 1 if kind == WAIT_FOR else NEVER, a)
        elif kind == SIGNAL:
            self.signal(a)
            self.join_woken()
        elif kind == LOCK:
            self.locked.append((a, place))
            t.mutexes.append(a)
        elif kind == UNLOCK:
            self.locked.pop()
            t.mutexes.pop()
            self.settle(t)
        elif kind == RESTART:
            for each in self.threads:
                if each.server:
                    each.server.restart(self.now)
                    each.foreground = True

    def horizon(self, until: int) -> int:
        times = [until]
        for t in self.threads:
            if not t.ready:
                times.append(t.wake)
            elif t.server and not t.foreground:
                times.append(t.server.list[0][0])
        if self.pending:
            times.append(self.pending[0].at)
        place, foreground = self.current
        if place is not None:
            t = self.threads[place]
            times.append(self.now + t.left)
            if foreground:
                times.append(self.now + t.server.list[0][1])
        return min(times)

    def advance(self, to: int) -> None:
        spent = to - self.now
        self.now = to
        place, foreground = self.current
        if place is None:
            return
        self.threads[place].left -= spent
        if foreground:
            self.used += spent

    def run(self, until: int) -> list[Segment]:
        self.update()
        while True:
            self.take_interrupts()
            while (place := self.update()) is not None and self.threads[place].left == 0:
                self.step(self.threads[place], place)
            if self.now >= until:
                return self.segments
            self.advance(self.horizon(until))
