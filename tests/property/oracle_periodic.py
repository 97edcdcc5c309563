"""What periodic jobs do, microsecond by microsecond, from docs/guarantees.md alone.

For programs that are admitted, of periodic threads only: there each thread has C of foreground in
every [release, next release), first come first served; beyond that it runs in the background, when
nobody has foreground left, the more urgent first.
"""

from __future__ import annotations

from dataclasses import dataclass, field

TERMINATE, SKIP, CONTINUE, NOTIFY = range(4)
LATE, DOOMED, SKIPPED, CONTINUES, NOTIFIED, TERMINATED = range(6)
TOLD = {TERMINATE: DOOMED, SKIP: SKIPPED, CONTINUE: CONTINUES, NOTIFY: NOTIFIED}


@dataclass
class Thread:
    """A periodic thread by place; jobs: what each takes, again and again."""

    budget: int
    period: int
    policy: int
    jobs: list[int]
    first: int = 0  # release
    begun: int = 0
    left: int | None = None  # of the job under way; None: there is none
    doomed: bool = False
    used: int = 0  # by the job, on budget
    share: int = 0  # budget left until the next release
    released: list[int] = field(default_factory=list)  # releases whose jobs are to begin


Event = tuple[str, int, int, int]  # kind, time, place, value


class Simulation:
    def __init__(self, threads: list[Thread]) -> None:
        self.threads, self.events, self.since = threads, [], [0] * len(threads)

    def run(self, until: int) -> list[Event]:
        for now in range(until):
            for place, t in enumerate(self.threads):
                if now >= t.first and (now - t.first) % t.period == 0:
                    self._release(now, place, t)
            self._instant(now)
        return self.events

    def _release(self, now: int, place: int, t: Thread) -> None:
        spent, t.share = t.share == 0, t.budget
        if t.left is None:
            self._begin(t, place, now)
        elif t.used >= t.budget or spent:
            self.events.append(("overrun", now, place, TOLD[t.policy]))
            t.doomed |= t.policy == TERMINATE
            if t.policy == TERMINATE:
                t.released = [now]
            elif t.policy == CONTINUE:
                t.released.append(now)
        else:
            self.events.append(("overrun", now, place, LATE))
            if t.policy == CONTINUE or (t.policy == TERMINATE and not t.released):
                t.released.append(now)

    def _begin(self, t: Thread, place: int, released: int) -> None:
        t.left, t.used = t.jobs[t.begun % len(t.jobs)], 0
        t.begun += 1
        self.since[place] = released

    def _instant(self, now: int) -> None:
        """What ends, and who runs for a microsecond."""
        while (place := self._next()) is not None:
            t = self.threads[place]
            if t.doomed:
                self.events.append(("overrun", now, place, TERMINATED))
                t.doomed = False
            elif t.left == 0:
                self.events.append(("job", now, place, now - self.since[place]))
            else:
                t.left -= 1
                t.used += t.share > 0
                t.share -= t.share > 0
                return
            t.left = None
            if t.released:
                self._begin(t, place, t.released.pop(0))

    def _next(self) -> int | None:
        ready = [p for p, t in enumerate(self.threads) if t.left is not None]
        foreground = [p for p in ready if self.threads[p].share > 0]
        return min(foreground or ready, default=None)
