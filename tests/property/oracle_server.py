"""An exact simulator of threads with sporadic-server budgets, in integer microseconds.

Written from the rules, not from the kernel, with which it shares no code:

* A server holds replenishments (date, amount), ordered by date. The first, the head, is usable
  from its date on. What a thread uses of it comes back one period after the head's date. It is
  put on the list when the head is used up or dated anew; until then it is `open`.
* A thread that wakes with a usable head has it dated `now`, all other usable ones merged into it;
  but not if some of the head has been used and its date is less than the server's jitter ago.
* A thread about to run on a head dated a period ago or longer has it dated and merged likewise;
  with the jitter more it has missed its deadline (starvation rule).
* At most `capacity` replenishments are held. One more makes the two neighbours with the smallest
  gap, the head apart, one at the later date; among equal gaps the newest pair, then the oldest.
* A thread without usable budget runs in the background: after every thread that has budget, and
  free of charge. Threads without a server always do, before those that have one.
* While a mutex is held, the holder runs instead of each thread that is not more urgent than its
  ceiling; a holder whose budget ends goes on at the expense of its next replenishments until it
  unlocks.
* Use beyond what is usable is taken from the replenishments to come, in their order, each of which
  so comes a period later, but no more than FURTHEST from now.
* A thread that becomes ready, or gets budget back, on a head of a date a period or more after that
  of the last one so counted, makes a start that counts.
* While a thread waits for its head (no mutex held) and the head comes before the next start that
  counts and is less than `piece`, the head waits for the replenishment after it.
* A restart fills all servers, from then on.
* Interrupt handlers take time from nobody's budget. What they wake becomes ready, and budgets end
  and return, when the last of several handlers in a row is done.
* A bottom half has the server of oracle_pibs.py and never runs in the background. It serves the
  places for which events have been raised since it last waited, and those it took then. It
  competes with the rank of the most urgent of them, before that thread itself, and among several
  bottom halves of one rank by place.

At one instant, interrupts come before whatever a thread does next.
"""

from __future__ import annotations

from oracle_budget import Server
from oracle_pibs import LONGEST, Pibs
from oracle_program import NEVER, NO_SEM, Delivery, Interrupt, Line, Segment, Thread
from oracle_steps import Steps

NOT_YET = -1


class Simulation(Steps):
    """Runs threads from time 0, when all are ready and all budgets full."""

    def __init__(
        self,
        threads: list[Thread],
        interrupts: list[Interrupt] = (),
        ceilings: list[int] = (),
        capacity: int = 8,
        lines: list[Line] = (),
        start_cost: int = 0,  # of a bottom half, that admission counts with
        piece: int = 0,
    ) -> None:
        self.threads = threads
        self.now = 0
        self.lines = lines
        self.start_cost = start_cost
        # Sorting is stable: order of arrival.
        arrivals = [(line.first, line) for line in lines] + [(i.at, i) for i in interrupts]
        self.pending: list[tuple[int, Interrupt | Line]] = sorted(arrivals, key=lambda a: a[0])
        self.ceilings = ceilings
        self.locked: list[tuple[int, int]] = []  # (mutex, place), innermost last
        self.count = [0] * NO_SEM
        self.segments: list[Segment] = []
        self.handlers: list[tuple[int, int]] = []  # (start, end)
        self.deliveries: list[Delivery] = []
        self.refused = 0
        self.used = 0  # by the running thread, not yet taken from its server
        self.woken: set[int] = set()
        self.raised: set[int] = set()
        self.current: tuple[int | None, bool] = (NOT_YET, False)
        self.bottoms = [p for p, t in enumerate(threads) if t.share]
        for t in threads:
            t.foreground = t.budget > 0
            if t.share:
                t.ready, t.server = False, Pibs(t.share)
            elif t.budget:
                t.server = Server(t.budget, t.period, capacity, piece, t.jitter)

    # what runs

    def rank(self, place: int) -> tuple[int, bool, int]:
        """Less is more urgent."""
        t = self.threads[place]
        if not t.share:
            return place, True, place
        return min(t.serves | t.serving, default=31), False, place

    def pick(self) -> int | None:
        order = [self.rank(p) for p, t in enumerate(self.threads) if t.ready and t.foreground]
        if not order:
            order = self.background()
        if not self.locked:
            return min(order)[-1] if order else None
        ceiling = min(self.ceilings[m] for m, _ in self.locked)
        first = min(order, default=None)
        return first[-1] if first and first[-3] < ceiling else self.locked[-1][1]

    def background(self) -> list[tuple[bool, int, bool, int]]:
        ready = [(p, t) for p, t in enumerate(self.threads) if t.ready and not t.share]
        return [(t.budget > 0, *self.rank(p)) for p, t in ready if not t.budget or not t.flags]

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
                if t.foreground:
                    self.start(t)
        self.woken.clear()

    def start(self, t: Thread) -> None:
        """With usable budget, which that may use up."""
        t.server.start(self.now)
        t.foreground = t.server.usable(self.now)

    def charge(self, io: int, cost: int) -> None:
        if self.current == (io, True):
            self.used += cost
        else:
            self.threads[io].server.handlers += cost

    def raise_events(self, io: int, places: tuple[int, ...]) -> None:
        t = self.threads[io]
        t.serves.update(places)
        self.raised.add(io)
        if t.waiting:
            t.waiting = False
            self.woken.add(io)

    def look(self) -> None:
        """Bottom halves take on the rank and period of whom they serve now."""
        for place in self.raised:
            t = self.threads[place]
            rank = self.rank(place)
            if t.serves or t.serving:
                served = self.threads[rank[0]]
                period = served.period if served.budget else LONGEST
                t.server.serve(period, rank < t.last_rank, self.now)
            t.last_rank = rank
            self.settle(t)
        self.raised.clear()

    def handle(self) -> None:
        """Lets every handler run that is due, including those that become due meanwhile."""
        while True:
            for place, t in enumerate(self.threads):
                if t.wake <= self.now:
                    self.woken.add(place)
                    t.wake = NEVER
            if not self.pending or self.pending[0][0] > self.now:
                return
            _, source = self.pending.pop(0)
            self.handlers.append((self.now, self.now + source.cost))
            if isinstance(source, Line):
                source.noted, source.at = True, self.now
            self.now += source.cost
            if isinstance(source, Line):
                places = (source.place,)
            else:
                self.signal(source.sem)
                places = source.places
            if places:
                self.raise_events(source.io, places)
                self.charge(source.io, source.cost)

    def take_interrupts(self) -> None:
        self.handle()
        place, foreground = self.current
        if place is not None and foreground:
            t = self.threads[place]
            t.server.consume(self.used, self.now)
            if not t.mutexes:
                t.server.gather(self.now)
            t.server.check()
            self.settle(t)
        self.used = 0
        self.look()
        self.join_woken()
        for t in self.threads:
            if t.ready and t.server and not t.foreground and t.server.usable(self.now):
                self.start(t)

    def settle(self, t: Thread) -> None:
        if t.foreground and not t.server.usable(self.now) and not t.mutexes:
            t.foreground = False

    # time

    def horizon(self, until: int) -> int:
        times = [until]
        for t in self.threads:
            if not t.ready:
                times.append(t.wake)
            elif t.server and not t.foreground:
                times.append(t.server.next_date())
        if self.pending:
            times.append(self.pending[0][0])
        place, foreground = self.current
        if place is not None:
            t = self.threads[place]
            times.append(self.now + t.left)
            if foreground and t.server.left():
                times.append(self.now + t.server.left())
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
                if self.pending and self.pending[0][0] <= self.now:
                    self.take_interrupts()
            if self.now >= until:
                return self.segments
            self.advance(self.horizon(until))
