"""What a scheduler of tasks should have done, from the dates of releases and of what it started.

Shares nothing with a scheduler: releases come by the calendar, every period from the first tick on.
Of a task one release can wait; when the next one comes before it has started, it is missed. Told
of every start and return, the oracle says of each release

    started   in time
    late      it was not, though nothing as urgent ran for LATE cycles
    missed    as above: no fault of a scheduler that says so
    lost      it never started, and has not been missed
    doubled   (of a start) nothing waited for it

A start and a release within NEAR cycles may have come in either order: both are followed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

LATE = 2500  # cycles at a time: a look at several ticks takes up to 1500, a tick has 8000 or more
NEAR = 800
NEVER = 1 << 62


@dataclass
class TaskSeen:
    """One task: what may be the case now, as (releases that wait, missed so far)."""

    period: int  # cycles
    next_release: int
    may_be: set[tuple[int, int]] = field(default_factory=lambda: {(0, 0)})
    released_at: int = 0  # the last time
    exposed: int = 0  # cycles in which it could have run, and waited, since something else started
    worst: int = 0  # the most of that since it waits
    started: int = 0
    late: int = 0
    doubled: int = 0

    def release(self) -> None:
        before, self.may_be = self.may_be, set()
        for waiting, missed in before:
            self.may_be |= {(1, missed)} if not waiting else {(1, missed + 1), (2, missed)}
        self.released_at, self.next_release = (
            self.next_release,
            self.next_release + (self.period or NEVER),
        )

    def trigger(self, now: int) -> None:
        """Of a task without a period: however many come before it starts, it waits once."""
        self.may_be, self.released_at = {(1, 0)}, now

    def settle(self, now: int) -> None:
        """Two can wait for a moment only."""
        if now > self.released_at + NEAR:
            self.may_be = {state for state in self.may_be if state[0] < 2} or {(1, 0)}

    def start(self, now: int) -> None:
        self.settle(now)
        self.started += 1
        self.late += self.overdue()
        self.exposed = self.worst = 0
        waited = {(waiting - 1, missed) for waiting, missed in self.may_be if waiting}
        self.doubled += not waited
        self.may_be = waited or self.may_be

    def passed_over(self) -> None:
        """Something more urgent starts."""
        self.worst, self.exposed = max(self.worst, self.exposed), 0

    def overdue(self) -> bool:
        return max(self.worst, self.exposed) > LATE

    def waits(self) -> bool:
        return all(waiting for waiting, _ in self.may_be)


class Oracle:
    """All tasks of a run, the most urgent first; a period of 0: triggered. in_turn: none interrupts
    another."""

    def __init__(self, first_tick: int, periods: list[int], in_turn: bool) -> None:
        self.tasks = [TaskSeen(p, first_tick if p else NEVER) for p in periods]
        self.running: list[int] = []
        self.now, self.in_turn = first_tick - 1, in_turn

    def _go(self, until: int) -> None:
        """Time passes: who waits although nothing as urgent runs is exposed."""
        while self.now < until:
            to = min([until, *(t.next_release for t in self.tasks if t.next_release > self.now)])
            top = self.running[-1] if self.running else len(self.tasks)
            for number, task in enumerate(self.tasks):
                if task.waits() and number < top and not (self.in_turn and self.running):
                    task.exposed += to - self.now
            self.now = to
            for task in self.tasks:
                task.settle(to)
                if task.next_release == to:
                    task.release()

    def trigger(self, number: int, now: int) -> None:
        self._go(now)
        self.tasks[number].trigger(now)

    def start(self, number: int, now: int) -> None:
        self._go(now)
        self.tasks[number].start(now)
        for task in self.tasks[number + 1 :]:
            task.passed_over()
        self.running.append(number)

    def returned(self, now: int) -> None:
        self._go(now)
        self.running.pop()

    def at(self, now: int) -> None:
        """Nothing more until then."""
        self._go(now)
