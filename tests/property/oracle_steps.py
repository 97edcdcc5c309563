"""What the threads of oracle_server.py do, operation by operation."""

from __future__ import annotations

from fractions import Fraction

from oracle_program import (
    ENABLE,
    EVENTS_OF,
    LOCK,
    NEVER,
    NO_SEM,
    RESTART,
    RUN,
    SEMS,
    SERVE,
    SHARE,
    SIGNAL,
    SLEEP,
    TAKE,
    UNLOCK,
    WAIT,
    WAIT_FOR,
    Delivery,
    Thread,
)
from oracle_response import Io, Task, response

SEM_MAX = 0xFFFF


class Steps:
    """The part of a Simulation that interprets scripts."""

    def step(self, t: Thread, place: int) -> None:
        if t.waits is not None:  # woken by the clock, not by a signal
            t.waits = None
            t.timeouts += 1
        kind, a, b = t.script[t.pc]
        if kind == EVENTS_OF and not self._take_events(t, place):
            return
        if kind == SERVE and self.lines[a].noted and not t.serving_line:
            t.serving_line, t.left = True, b
            if b:
                return
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
            if t.foreground and not t.mutexes:
                t.server.gather(self.now)
            self.settle(t)
        elif kind == RESTART:
            self._restart()
        elif kind == SERVE and t.serving_line:
            t.serving_line = False
            self._pass(a)
        elif kind == TAKE:
            self._take(a)
        elif kind == SHARE:
            self._share(self.bottoms[a], (b >> 16, b & 0xFFFF))
        elif kind == ENABLE:
            self._enable(self.bottoms[a], bool(b))

    def signal(self, sem: int) -> None:
        if sem == NO_SEM:
            return
        waiters = [p for p, t in enumerate(self.threads) if t.waits == sem]
        if not waiters:
            most = SEM_MAX if sem < SEMS else 1
            self.count[sem] = min(self.count[sem] + 1, most)
            return
        t = self.threads[waiters[0]]
        t.waits = None
        if not t.ready:
            self.woken.add(waiters[0])
            t.wake = NEVER

    def block(self, t: Thread, wake: int, sem: int | None) -> None:
        t.ready, t.wake, t.waits = False, wake, sem

    def _restart(self) -> None:
        for t in self.threads:
            if t.server:
                t.server.restart(self.now)
                t.foreground = t.server.usable(self.now)

    # events

    def _take_events(self, t: Thread, place: int) -> bool:
        """Done with those of before; has it others?"""
        t.serving = set()
        if not t.serves:
            t.waiting = True
            self.block(t, NEVER, None)
            return False
        t.serving, t.serves = t.serves, set()
        self.raised.add(place)
        self.look()
        return True

    def _pass(self, number: int) -> None:
        line = self.lines[number]
        line.noted = False
        if line.passed is None:
            line.passed = line.at
        else:
            line.merged += 1
        self.signal(SEMS + number)
        self.join_woken()
        if line.gaps:
            at = self.now + line.gaps[line.turn % len(line.gaps)]
            line.turn += 1
            later = [i for i, (other, _) in enumerate(self.pending) if other > at]
            self.pending.insert(later[0] if later else len(self.pending), (at, line))

    def _take(self, number: int) -> None:
        line = self.lines[number]
        if line.passed is not None:
            self.deliveries.append(Delivery(self.now, line.place, self.now - line.passed))
            line.passed = None

    # shares

    def _share(self, place: int, share: tuple[int, int]) -> None:
        server = self.threads[place].server
        start = self.now
        if server.exceeds(share):
            if not self._admits(place, share):
                self.refused += 1
                return
            start += max(t.period for t in self.threads if t.budget)
        self._change(place, share, server.off, start)

    def _enable(self, place: int, on: bool) -> None:
        server = self.threads[place].server
        if server.off == on:
            self._change(place, (server.n, server.d), not on, self.now)

    def _change(self, place: int, share: tuple[int, int], off: bool, start: int) -> None:
        t = self.threads[place]
        t.server.change(share, off, start)
        had = t.foreground
        t.foreground = t.ready and (t.server.usable(self.now) or bool(t.mutexes))
        if t.foreground and not had:
            t.server.start(self.now)

    def _admits(self, place: int, share: tuple[int, int]) -> bool:
        tasks = [Task(t.budget, t.period) for t in self.threads if t.budget]
        ios = []
        for p in self.bottoms:
            server = self.threads[p].server
            u = Fraction(*(share if p == place else server.most))
            ios.append(Io(u, 0, 2 * self.start_cost))
        limits = [task.period for task in tasks]
        bounds = [response(tasks, p, (), ios, limit) for p, limit in enumerate(limits)]
        return all(b is not None and b <= t for b, t in zip(bounds, limits, strict=True))
