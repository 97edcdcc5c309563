"""What queues, flags, conditions and timers are to do, said anew, for threads of fixed priority.

Time passes only where a thread computes. Two things of different kinds at one instant, whose order
is nothing that is promised, are a Tie.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sync_library import (
    ALL,
    EAGAIN,
    ECONTEXT,
    EINVAL,
    EOWNER,
    ETIMEOUT,
    FOREVER,
    HANDLER,
    KEEP,
    OK,
    OPS,
    Event,
    Op,
    Program,
)

NEVER = 1 << 62
MUTEX, LOCK = "mutex", "lock"
Outcome = tuple[int, int]  # result and value


class Tie(Exception):
    """Or a program in which no time passes any more."""


@dataclass
class Waiting:
    """What a blocked thread waits for."""

    deadline: int
    finish: Callable[[], Outcome]  # when it runs again and has got it
    give_up: Callable[[], Outcome]
    got: bool = False
    wanted: int = 0
    how: int = 0
    flags: int = 0


@dataclass(frozen=True)
class Held:
    kind: str  # MUTEX or LOCK
    number: int
    ceiling: int


@dataclass
class Thread:
    place: int
    script: list[Op]
    pc: int = 0
    left: int = 0  # to compute
    outcome: Outcome | None = None  # to be noted when it runs
    waiting: Waiting | None = None
    ready: bool = True
    held: list[Held] = field(default_factory=list)
    since: int = 0  # which of the holders it is

    @property
    def ceiling(self) -> int:
        return min((one.ceiling for one in self.held), default=NEVER)

    def holds(self, kind: str) -> bool:
        return any(one.kind == kind for one in self.held)


@dataclass
class Queue:
    slots: int
    items: list[int] = field(default_factory=list)
    promised: int = 0  # items that a thread has been given and not taken yet
    reserved: int = 0  # the same of room
    getters: list[Thread] = field(default_factory=list)
    putters: list[Thread] = field(default_factory=list)


@dataclass
class Timer:
    at: int = NEVER
    period: int = 0


class Oracle:
    def __init__(self, program: Program) -> None:
        self.program, self.now, self.events = program, 0, list[Event]()
        self.threads = [Thread(place, ops) for place, ops in enumerate(program.threads)]
        self.queues = [Queue(slots) for slots in program.slots]
        self.flags = [0, 0]
        self.flag_waiters: list[list[Thread]] = [[], []]
        self.cond_waiters: list[list[Thread]] = [[], []]
        self.lock_waiters: list[list[Thread]] = [[] for _ in program.lock_ceilings]
        self.holders = 0  # that have come to hold something, awake, so far
        self.timers = [Timer() for _ in program.timer_costs]
        self.server = next((t for t in self.threads if t.script[0].kind == "SERVE"), None)
        self.timers_changed = False
        self.next_item = 0

    def run(self) -> list[Event]:
        interrupts = sorted(self.program.interrupts, key=lambda one: one[0])
        if len({at for at, _ in interrupts}) < len(interrupts):
            raise Tie
        idle_steps = 0  # since time has passed
        numbers = {id(op): i for i, (_, op) in enumerate(self.program.interrupts)}
        while True:
            thread = self._pick()
            if thread and not thread.left:
                self._go_on(thread)
                idle_steps += 1
                if idle_steps > 1000:
                    raise Tie
                continue
            ends = self.now + thread.left if thread else NEVER
            alarm = min((t.waiting.deadline for t in self.threads if t.waiting), default=NEVER)
            comes = interrupts[0][0] if interrupts else NEVER
            at = min(ends, alarm, comes)
            if at > self.program.until or at == NEVER:
                return self.events
            if [ends, alarm, comes].count(at) > 1 or at == self.program.until:
                raise Tie
            if thread:
                thread.left -= at - self.now
            self.now, idle_steps = at, 0
            if at == comes:
                op = interrupts.pop(0)[1]
                self.events.append(Event(at, HANDLER, numbers[id(op)], *self._handle(op)))
            elif at == alarm:
                for t in self.threads:
                    if t.waiting and t.waiting.deadline == at:
                        t.waiting.deadline = NEVER
                        self._awakes(t)

    def _pick(self) -> Thread | None:
        """The most urgent, if no ceiling keeps it away, else the holder of the most urgent one; but
        the holder of a mutex that this may want goes on first."""
        ready = [t for t in self.threads if t.ready]
        holders = sorted((t for t in ready if t.held), key=lambda t: (t.ceiling, t.since))
        if not holders or ready[0].place < holders[0].ceiling:
            return ready[0] if ready else None
        chosen = holders[0]
        for t in holders[1:]:
            if t.holds(MUTEX) and t.ceiling <= chosen.place and not chosen.holds(MUTEX):
                return t
        return chosen

    def _hold(self, t: Thread, one: Held) -> None:
        if not t.held:
            self._comes_into_force(t)
        t.held.append(one)

    def _comes_into_force(self, t: Thread) -> None:
        self.holders += 1
        t.since = self.holders

    def _go_on(self, t: Thread) -> None:
        """It runs, and computes nothing now."""
        if t.script[t.pc].kind == "SERVE":
            t.waiting = None
            self._serve(t)
        elif t.waiting:
            waiting, t.waiting = t.waiting, None
            t.outcome = waiting.finish() if waiting.got else waiting.give_up()
        elif t.outcome is not None:
            self.events.append(Event(self.now, t.place, t.pc, *t.outcome))
            t.outcome, t.pc = None, (t.pc + 1) % len(t.script)
        else:
            self._begin(t, t.script[t.pc])

    def _begin(self, t: Thread, op: Op) -> None:
        if op.kind == "RUN":
            t.left, t.outcome = op.a, (OK, 0)
        else:
            t.outcome = getattr(self, f"_{op.kind.lower()}")(t, op)

    def _holds(self, t: Thread) -> bool:
        return t.holds(MUTEX)

    def _block(self, t: Thread, us: int, waiting: Waiting, among: list[Thread]) -> None:
        waiting.deadline = NEVER if us == FOREVER else self.now + us + 1
        t.waiting, t.ready = waiting, False
        among.append(t)

    def _wake(self, t: Thread, among: list[Thread]) -> None:
        assert t.waiting
        among.remove(t)
        t.waiting.got, t.waiting.deadline = True, NEVER
        self._awakes(t)

    def _awakes(self, t: Thread) -> None:
        if not t.ready and t.held:
            self._comes_into_force(t)
        t.ready = True

    def _refused(self, t: Thread, us: int) -> int | None:
        """Instead of waiting."""
        if us == 0:
            return EAGAIN
        return ECONTEXT if self._holds(t) else None

    # Sleeping

    def _sleep(self, t: Thread, op: Op) -> Outcome | None:
        if self._holds(t):
            return ECONTEXT, 0
        done = (OK, 0)
        self._block(t, op.a, Waiting(0, lambda: done, lambda: done), [])
        return None

    # Queues

    def _put_item(self, queue: Queue, item: int) -> Outcome:
        queue.items.append(item)
        if queue.getters:
            queue.promised += 1
            self._wake(min(queue.getters, key=lambda t: t.place), queue.getters)
        return OK, item

    def _get_item(self, queue: Queue) -> Outcome:
        item = queue.items.pop(0)
        if queue.putters:
            queue.reserved += 1
            self._wake(min(queue.putters, key=lambda t: t.place), queue.putters)
        return OK, item

    def _has_room(self, queue: Queue) -> bool:
        return len(queue.items) + queue.reserved < queue.slots

    def _has_item(self, queue: Queue) -> bool:
        return len(queue.items) > queue.promised

    def _new_item(self) -> int:
        self.next_item += 1
        return self.next_item - 1

    def _put(self, t: Thread, op: Op) -> Outcome | None:
        queue, item = self.queues[op.a], self._new_item()
        if self._has_room(queue):
            return self._put_item(queue, item)
        if (refused := self._refused(t, op.b)) is not None:
            return refused, item

        def finish() -> Outcome:
            queue.reserved -= 1
            return self._put_item(queue, item)

        def give_up() -> Outcome:
            queue.putters.remove(t)
            return ETIMEOUT, item

        self._block(t, op.b, Waiting(0, finish, give_up), queue.putters)
        return None

    def _get(self, t: Thread, op: Op) -> Outcome | None:
        queue = self.queues[op.a]
        if self._has_item(queue):
            return self._get_item(queue)
        if (refused := self._refused(t, op.b)) is not None:
            return refused, 0

        def finish() -> Outcome:
            queue.promised -= 1
            return self._get_item(queue)

        def give_up() -> Outcome:
            queue.getters.remove(t)
            return ETIMEOUT, 0

        self._block(t, op.b, Waiting(0, finish, give_up), queue.getters)
        return None

    # Flags

    def _taken(self, i: int, wanted: int, how: int) -> int:
        """Those of them that are set, if that is what is waited for; else 0."""
        found = self.flags[i] & wanted
        if not found or (how & ALL and found != wanted):
            return 0
        if not how & KEEP:
            self.flags[i] &= ~found
        return found

    def _flags_wait(self, t: Thread, op: Op) -> Outcome | None:
        wanted, how, among = op.c & 0xFF, op.c >> 8, self.flag_waiters[op.a]
        if wanted == 0:
            return EINVAL, 0
        if found := self._taken(op.a, wanted, how):
            return OK, found
        if (refused := self._refused(t, op.b)) is not None:
            return refused, 0

        def give_up() -> Outcome:
            among.remove(t)
            return ETIMEOUT, 0

        waiting = Waiting(0, lambda: (OK, waiting.flags), give_up, wanted=wanted, how=how)
        self._block(t, op.b, waiting, among)
        return None

    def _set_flags(self, i: int, flags: int) -> None:
        self.flags[i] |= flags
        for t in sorted(self.flag_waiters[i], key=lambda t: t.place):
            assert t.waiting
            if found := self._taken(i, t.waiting.wanted, t.waiting.how):
                t.waiting.flags = found
                self._wake(t, self.flag_waiters[i])

    def _flags_set(self, t: Thread, op: Op) -> Outcome:
        self._set_flags(op.a, op.c)
        return OK, 0

    def _flags_clear(self, t: Thread, op: Op) -> Outcome:
        before = self.flags[op.a]
        self.flags[op.a] &= ~op.c
        return OK, before

    # Mutexes, locks and conditions

    def _lock(self, t: Thread, op: Op) -> Outcome:
        ceiling = self.program.ceilings[op.a]
        one = Held(MUTEX, op.a, ceiling)
        if any(one in other.held for other in self.threads):
            assert one in t.held or t.place < ceiling, "no thread ever waits for a mutex"
            return EOWNER, 0
        if t.place < ceiling:
            return EINVAL, 0
        self._hold(t, one)
        return OK, 0

    def _innermost(self, t: Thread, kind: str, number: int) -> bool:
        return bool(t.held) and (t.held[-1].kind, t.held[-1].number) == (kind, number)

    def _unlock(self, t: Thread, op: Op) -> Outcome:
        if not self._innermost(t, MUTEX, op.a):
            return EOWNER, 0
        t.held.pop()
        return OK, 0

    def _take(self, t: Thread, op: Op) -> Outcome | None:
        one, among = Held(LOCK, op.a, self.program.lock_ceilings[op.a]), self.lock_waiters[op.a]
        if one in t.held:
            return EOWNER, 0
        if t.holds(MUTEX):
            return ECONTEXT, 0
        if t.place < one.ceiling:
            return EINVAL, 0
        if not any(one in other.held for other in self.threads):
            self._hold(t, one)
            return OK, 0
        if op.b == 0:
            return EAGAIN, 0

        def give_up() -> Outcome:
            among.remove(t)
            return ETIMEOUT, 0

        self._block(t, op.b, Waiting(0, lambda: (OK, 0), give_up), among)
        return None

    def _give(self, t: Thread, op: Op) -> Outcome:
        if not self._innermost(t, LOCK, op.a):
            return EOWNER, 0
        one = t.held.pop()
        if among := self.lock_waiters[op.a]:
            first = min(among, key=lambda t: t.place)
            if first.ready:
                self._hold(first, one)
            else:
                first.held.append(one)
            self._wake(first, among)
        return OK, 0

    def _cond_wait(self, t: Thread, op: Op) -> Outcome | None:
        among = self.cond_waiters[op.a]
        if not self._innermost(t, MUTEX, op.c):
            return EOWNER, 0
        if len(t.held) > 1:
            return ECONTEXT, 0
        if op.b == 0:
            return ETIMEOUT, 0
        t.held.pop()

        def finish() -> Outcome:
            assert self._lock(t, Op("LOCK", op.c)) == (OK, 0)
            return OK, 0

        def give_up() -> Outcome:
            among.remove(t)
            finish()
            return ETIMEOUT, 0

        self._block(t, op.b, Waiting(0, finish, give_up), among)
        return None

    def _cond_signal(self, t: Thread, op: Op) -> Outcome:
        if among := self.cond_waiters[op.a]:
            self._wake(min(among, key=lambda t: t.place), among)
        return OK, 0

    def _cond_broadcast(self, t: Thread, op: Op) -> Outcome:
        for one in list(self.cond_waiters[op.a]):
            self._wake(one, self.cond_waiters[op.a])
        return OK, 0

    # Timers

    def _due(self) -> Timer:
        """Which of two with one date comes first is not promised."""
        first, *others = sorted(self.timers, key=lambda timer: timer.at)
        if any(other.at == first.at < NEVER for other in others):
            raise Tie
        return first

    def _start(self, t: Thread | None, op: Op) -> Outcome:
        timer = self.timers[op.a]
        timer.at, timer.period = self.now + op.b + (op.b > 0), op.c
        if self.server and self.server.waiting and not self.server.waiting.got:
            self._wake(self.server, [self.server])
        else:
            self.timers_changed = True
        return OK, 0

    def _stop(self, t: Thread, op: Op) -> Outcome:
        was = self.timers[op.a].at < NEVER
        self.timers[op.a].at = NEVER
        return (OK if was else EAGAIN), 0

    def _serve(self, t: Thread) -> None:
        timer = self._due()
        if timer.at <= self.now:
            self.events.append(Event(self.now, t.place, OPS + self.timers.index(timer), OK, 0))
            t.left = self.program.timer_costs[self.timers.index(timer)]
            missed = (self.now - timer.at) // timer.period if timer.period else 0
            timer.at = timer.at + (missed + 1) * timer.period if timer.period else NEVER
        elif self.timers_changed:
            self.timers_changed = False
        else:
            nothing: Callable[[], Outcome] = lambda: (OK, 0)  # noqa: E731
            t.waiting = Waiting(timer.at, nothing, nothing)
            t.ready = False

    # Handlers

    def _handle(self, op: Op) -> Outcome:
        if op.kind == "FLAGS_SET_ISR":
            self._set_flags(op.a, op.c)
            return OK, 0
        if op.kind == "START_ISR":
            return self._start(None, op)
        queue = self.queues[op.a]
        if op.kind == "PUT_ISR":
            item = self._new_item()
            return self._put_item(queue, item) if self._has_room(queue) else (EAGAIN, item)
        return self._get_item(queue) if self._has_item(queue) else (EAGAIN, 0)
