"""The server of an I/O VCPU, for oracle_server.py; written from the rules below.

* A share U = n/d and, at any time, the period T of the most urgent place it serves make a budget
  of floor(U T), usable from its date on. It is one piece, there is no list.
* A budget is closed when it is used up, and when the bottom half wakes. The next one is dated
  ceil(used / U) after it. If it is closed because of waking, a date that has passed becomes `now`.
* To what is used belong all handlers. Those before a start, that is waking with budget or getting
  some back, put off the next budget but do not shorten this one. Those while it is runnable do
  shorten it: at once while it runs, those before it runs when it is about to, and then they leave
  it at least 1.
* A more urgent place cuts what is left to floor(U T) of its own period, at once. Before, if
  the budget was usable already and what it has used is made good by now, it is closed and the next
  one dated `now`: time in which it waited with a lower rank must not add to what it may take from
  those it comes before now. The longer period of a less urgent place counts from the next budget
  that has not been touched (by overrun, under a mutex).
* The same happens, whatever the rank, if the bottom half is about to run on a budget dated a period
  ago or longer (starvation rule).
* A change of the share closes the budget as it was, so does switching off or on. The next one is
  dated `now` if that is later.
* U = 0, or a budget of 0, never runs.
"""

from __future__ import annotations

LONGEST = 1 << 28


class Pibs:
    """Looks to a Simulation like oracle_budget.Server."""

    def __init__(self, share: tuple[int, int]) -> None:
        self.n, self.d = self.most = share
        self.off = False
        self.period = LONGEST
        self.starved = 0
        self.handlers = 0  # while it did not run
        self.restart(0)

    def restart(self, now: int) -> None:
        self.date, self.used, self.handlers = now, 0, 0
        self.amount = self.budget()

    def budget(self) -> int:
        return 0 if self.off else self.n * self.period // self.d

    def usable(self, now: int) -> bool:
        return self.budget() > 0 and self.date <= now

    def next_date(self) -> int:
        return self.date if self.budget() > 0 else 1 << 62

    def left(self) -> int:
        return self.amount

    def held(self) -> list[list[int]]:
        """What there is or will be."""
        return [[self.date, self.amount]]

    def next(self) -> int:
        """Date of the next budget if this one is closed."""
        return self.date + (-(-self.used * self.d // self.n) if self.n else 0)

    def close(self) -> None:
        self.date = self.next()
        self.used = 0
        self.amount = self.budget()

    def wake(self, now: int) -> None:
        self.close()
        self.date = max(self.date, now)

    def start(self, now: int) -> None:
        self.used += self.handlers
        self.handlers = 0

    def gather(self, now: int) -> None:
        """Has one piece only."""

    def serve(self, period: int, rises: bool, now: int) -> None:
        """Serves with this period from now on, at a rank that `rises`."""
        untouched = self.date > now and self.amount == self.budget()
        if rises and self.usable(now) and self.next() <= now:
            self.close()
            self.date = now
        self.period = period
        self.amount = self.budget() if untouched else min(self.amount, self.budget())

    def exceeds(self, share: tuple[int, int]) -> bool:
        """Is this more than it ever had?"""
        return share[0] * self.most[1] > self.most[0] * share[1]

    def change(self, share: tuple[int, int], off: bool, start: int) -> None:
        """Another share, or off; budgets come from `start` on."""
        self.close()
        if self.exceeds(share):
            self.most = share
        (self.n, self.d), self.off = share, off
        self.date = max(self.date, start)
        self.amount = self.budget()

    def dispatch(self, now: int) -> None:
        self.used += self.handlers
        if self.amount:
            self.amount = max(1, self.amount - self.handlers)
        self.handlers = 0
        if self.usable(now) and self.date + self.period <= now and self.next() <= now:
            self.close()
            self.date = now
            self.starved += 1

    def consume(self, used: int, now: int) -> None:
        self.used += used
        if used < self.amount:
            self.amount -= used
        elif used:
            self.close()
            self.dispatch(now)

    def check(self) -> None:
        assert self.amount <= self.budget()
