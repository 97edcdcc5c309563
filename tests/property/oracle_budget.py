"""The server of oracle_server.py, whose head says by which rules."""

from __future__ import annotations

FURTHEST = 1 << 30  # us from now to which what is owed puts a date off, at most


class Server:
    """Replenishments of one budget; smaller ones than `piece` wait for the next."""

    def __init__(
        self, budget: int, period: int, capacity: int, piece: int = 0, jitter: int = 0
    ) -> None:
        self.budget, self.period, self.capacity, self.jitter = budget, period, capacity, jitter
        self.piece = piece
        self.starved = 0
        self.restart(0)

    def restart(self, now: int) -> None:
        self.list: list[list[int]] = [[now, self.budget]]
        self.open = 0
        self.counted = now + self.period  # from then on a start is again one that admission counts

    def usable(self, now: int) -> bool:
        return self.list[0][0] <= now

    def next_date(self) -> int:
        return self.list[0][0]

    def left(self) -> int:
        return self.list[0][1]

    def held(self) -> list[list[int]]:
        """What there is and will be."""
        return self.list

    def start(self, now: int) -> None:
        """Becomes runnable on the head."""
        date = self.list[0][0]
        if date >= self.counted:
            self.counted = date + self.period
        self.gather(now)

    def gather(self, now: int) -> None:
        """What is to come too soon and is too small waits for what comes after it."""
        while len(self.list) > 1:
            date, amount = self.list[0]
            if date <= now or date >= self.counted or amount >= self.piece:
                return
            del self.list[0]
            self.list[0][1] += amount

    def close(self, date: int) -> None:
        if self.open:
            self.post(date + self.period, self.open)
            self.open = 0

    def redate(self, now: int) -> None:
        self.close(self.list[0][0])
        due = [entry for entry in self.list if entry[0] <= now]
        self.list = [[now, sum(amount for _, amount in due)], *self.list[len(due) :]]

    def wake(self, now: int) -> None:
        if self.open and 0 <= now - self.list[0][0] < self.jitter:
            return
        self.close(self.list[0][0])
        if self.usable(now):
            self.redate(now)

    def dispatch(self, now: int) -> None:
        date = self.list[0][0]
        if date + self.period <= now:
            self.redate(now)
            self.starved += date + self.period + self.jitter <= now

    def post(self, date: int, amount: int) -> None:
        entries = self.list
        place = len(entries)
        while place and entries[place - 1][0] > date:
            place -= 1
        if place and entries[place - 1][0] == date:
            entries[place - 1][1] += amount
        elif place < len(entries) == self.capacity:
            if place > 1 and entries[place][0] - date >= self.period:
                place -= 1  # what comes is an increase: with the one before it
                entries[place][0] = date
            entries[place][1] += amount
        else:
            entries.insert(place, [date, amount])
            if len(entries) > self.capacity:
                self.merge_closest()

    def merge_closest(self) -> None:
        entries = self.list
        newest = len(entries) - 2
        order = [newest, *range(1, newest)]
        first = min(order, key=lambda i: entries[i + 1][0] - entries[i][0])
        entries[first + 1][1] += entries[first][1]
        del entries[first]

    def set_budget(self, budget: int, start: int) -> None:
        """More becomes usable at `start`; less is taken from what comes last."""
        self.close(self.list[0][0])
        lack = self.budget - budget
        if lack < 0:
            self.post(start, -lack)
        while lack > 0:
            part = min(lack, self.list[-1][1])
            self.list[-1][1] -= part
            lack -= part
            if self.list[-1][1] == 0:
                del self.list[-1]
        self.budget = budget

    def consume(self, used: int, now: int) -> int:
        """Takes `used` from the front; never more than the head unless the use overran. Returns how
        long ago the last one that was used up, not owed, had become usable; -1 if none was."""
        response = -1
        while used:
            date, amount = self.list[0]
            part = min(used, amount)
            used -= part
            self.open += part
            if part < amount:
                self.list[0][1] -= part
            else:
                if date <= now:
                    response = now - date
                del self.list[0]
                self.post(min(date + self.period, now + FURTHEST), self.open)
                self.open = 0
                self.dispatch(now)
        return response

    def check(self) -> None:
        dates = [date for date, _ in self.list]
        assert dates == sorted(dates)
        assert sum(amount for _, amount in self.list) + self.open == self.budget
        assert all(amount > 0 for _, amount in self.list)
        assert 1 <= len(self.list) <= self.capacity
