"""kernel/budget/server.c, function by function, against the oracle's server."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from kernel_library import library
from oracle_budget import FURTHEST, Server
from programs import PIECES


class Pair:
    """A server of the kernel and one of the oracle, given the same orders."""

    def __init__(
        self,
        budget: int,
        period: int,
        capacity: int,
        clock: int,
        piece: int = 0,
        shift: int = 0,
    ) -> None:
        self.ffi, self.lib = library(capacity, piece=piece)
        self.v = self.ffi.new("struct takt_vcpu *")
        self.v.budget, self.v.period, self.v.jitter = budget, period, shift
        self.oracle = Server(budget, period, capacity, piece, period >> shift if shift else 0)
        self.clock, self.now = clock, 0
        self.lib.takt_server_start(self.v, self.at(0))

    def at(self, time: int) -> int:
        """A time as the kernel's clock reads it."""
        return (time + self.clock) & 0xFFFFFFFF

    def wake(self) -> None:
        self.lib.takt_server_wake(self.v, self.at(self.now))
        self.oracle.wake(self.now)

    def dispatch(self) -> None:
        fired = self.lib.takt_server_dispatch(self.v, self.at(self.now))
        before = self.oracle.starved
        self.oracle.dispatch(self.now)
        assert fired == (self.oracle.starved > before)

    def consume(self, used: int) -> None:
        self.now += used
        self.charge(used)

    def gather(self, counted: int) -> None:
        """Starts count again from then on."""
        self.v.next_start, self.oracle.counted = self.at(counted), counted
        self.lib.takt_server_gather(self.v, self.at(self.now))
        self.oracle.gather(self.now)

    def charge(self, used: int) -> None:
        """As takt_vcpu_charge(): use that takes no time."""
        response = self.lib.takt_server_consume(self.v, used, self.at(self.now))
        assert response == self.oracle.consume(used, self.now)

    def dates(self) -> list[int]:
        """Of the kernel, from now."""
        ahead = [self.v.list[i].at - self.at(self.now) for i in range(self.v.count)]
        return [(date + (1 << 31)) % (1 << 32) - (1 << 31) for date in ahead]

    def set_budget(self, budget: int, delay: int) -> None:
        self.lib.takt_server_set_budget(self.v, budget, self.at(self.now + delay))
        self.oracle.set_budget(budget, self.now + delay)

    def compare(self) -> None:
        """Equal, sound, and the oracle's own invariants hold."""
        self.oracle.check()
        assert self.lib.takt_server_sound(self.v)
        held = [(self.v.list[i].at, self.v.list[i].amount) for i in range(self.v.count)]
        assert held == [(self.at(date), amount) for date, amount in self.oracle.list]
        assert (self.v.open, self.v.starved) == (self.oracle.open, self.oracle.starved)


def random_step(rng: random.Random, pair: Pair) -> None:
    """Some time, then one order; consumption as the kernel does it, up to the head's amount."""
    pair.now += rng.choice((0, 1, rng.randint(0, 2 * pair.oracle.period)))
    way = rng.random()
    if way < 0.3:
        pair.wake()
    elif way < 0.4:
        pair.dispatch()
    elif way < 0.95 and pair.oracle.usable(pair.now):
        pair.dispatch()
        pair.consume(rng.randint(1, pair.oracle.list[0][1]))
    elif way >= 0.95:
        pair.consume(rng.randint(1, 2 * pair.oracle.budget))  # overrun: a mutex holder's
    pair.compare()


@pytest.mark.cases(3000)
def test_random_orders(seeds: Iterator[int]) -> None:
    """Wake, dispatch, consume, overrun, at any time; lists of any length; any clock."""
    for seed in seeds:
        rng = random.Random(seed)
        period = rng.choice((10, 100, 1 << 28))
        clock = rng.choice((0, (1 << 32) - 3 * period & 0xFFFFFFFF, rng.getrandbits(32)))
        shift = rng.choice((0, 1, 2, 7))
        pair = Pair(rng.randint(1, period), period, rng.choice((2, 3, 8)), clock, 0, shift)
        for _ in range(40):
            random_step(rng, pair)


@pytest.mark.cases(1000)
def test_changing_the_budget(seeds: Iterator[int]) -> None:
    """Increases that become usable later and decreases, between all else."""
    for seed in seeds:
        rng = random.Random(seed)
        period = rng.choice((10, 100, 1000))
        pair = Pair(rng.randint(1, period), period, rng.choice((2, 3, 8)), rng.getrandbits(32))
        for _ in range(30):
            if rng.random() < 0.15:
                pair.set_budget(rng.randint(1, period), rng.randint(0, 3 * period))
                pair.compare()
            random_step(rng, pair)


@pytest.mark.parametrize("piece", PIECES[1:])
@pytest.mark.cases(400)
def test_small_pieces(seeds: Iterator[int], piece: int) -> None:
    """Pieces that are too small wait for the next one, and for no other: none is lost, or early."""
    gathered = 0
    for seed in seeds:
        rng = random.Random(seed)
        period = piece * rng.choice((2, 20, 200))
        budget = rng.randint(1, period)
        pair = Pair(budget, period, rng.choice((2, 3, 8)), rng.getrandbits(32), piece)
        for _ in range(40):
            if rng.random() < 0.5 and pair.oracle.usable(pair.now):
                most = min(pair.oracle.list[0][1], rng.choice((piece, period)))
                pair.consume(rng.randint(1, most))
                pair.wake()
            random_step(rng, pair)
            held = len(pair.oracle.list)
            pair.gather(pair.now + rng.randint(-period, 3 * period))
            pair.compare()
            gathered += len(pair.oracle.list) < held
    assert gathered > 0


def test_small_pieces_by_hand() -> None:
    """Of 1000 in 10000: 300 due at 10000, 100 at 10500, 600 at 11000. Not worth a start are pieces
    below 640: the first waits for the second, both for the third."""
    pair = Pair(1000, 10_000, 8, 0, 640)
    for used, asleep in ((300, 200), (100, 400), (600, 0)):
        pair.consume(used)
        pair.now += asleep
        pair.wake()
    assert pair.oracle.list == [[10_000, 300], [10_500, 100], [11_000, 600]]
    pair.gather(pair.now + 20_000)
    pair.compare()
    assert pair.oracle.list == [[11_000, 1000]]


@pytest.mark.cases(1000)
def test_debts(seeds: Iterator[int]) -> None:
    """Use of many budgets at once, between all else, as if each piece were taken by itself."""
    for seed in seeds:
        rng = random.Random(seed)
        period = rng.choice((10, 100, 1000, 1 << 20))
        pair = Pair(rng.randint(1, period), period, rng.choice((2, 3, 8)), rng.getrandbits(32))
        for _ in range(20):
            if rng.random() < 0.2:
                pair.set_budget(rng.randint(1, period), rng.randint(0, 50 * period))
            if rng.random() < 0.2:
                pair.charge(rng.randint(1, rng.choice((5, 40)) * pair.oracle.budget))
            random_step(rng, pair)


@pytest.mark.cases(1000)
def test_no_debt_wraps(seeds: Iterator[int]) -> None:
    """Whatever is owed: dates are in order and never further than 2^30 us and a period, and no
    budget comes earlier for it; when they have come all of it is back."""
    for seed in seeds:
        rng = random.Random(seed)
        period = rng.choice((10, 1000, 60_000_000, 1 << 28))
        pair = Pair(rng.randint(1, period), period, rng.choice((2, 8)), rng.getrandbits(32))
        for _ in range(8):
            pair.now += rng.choice((0, 1, rng.randint(0, period)))
            owed = rng.randint(pair.v.budget, rng.choice((40 * pair.v.budget, 0xFFFFFFFF)))
            owed = min(owed, 0xFFFFFFFF)
            earliest, most = pair.dates()[0], owed // pair.v.budget * period
            pair.lib.takt_server_consume(pair.v, owed, pair.at(pair.now))
            dates = pair.dates()
            assert pair.lib.takt_server_sound(pair.v) and dates == sorted(dates)
            assert min(max(earliest, 0) + most, FURTHEST) - period <= dates[0], seed
            assert dates[-1] <= FURTHEST + period, seed
        pair.now += FURTHEST + period
        pair.lib.takt_server_wake(pair.v, pair.at(pair.now))
        assert pair.v.list[0].amount == pair.v.budget and pair.v.count == 1


def test_debts_by_hand() -> None:
    """C = 10 ms in 60 s, 361 ms owed: 36 periods would be more than 2^31 us. Eight budgets of the
    longest period. Three budgets and a half, which is paid exactly."""
    pair = Pair(10_000, 60_000_000, 8, 0)
    pair.charge(361_000)
    pair.compare()
    assert pair.oracle.list[0][0] == FURTHEST
    pair = Pair(5, 1 << 28, 8, 0xFFFFFF00)
    pair.charge(40)
    pair.compare()
    assert pair.oracle.list == [[FURTHEST, 5]]
    pair = Pair(10, 1000, 8, 0)
    pair.charge(35)
    pair.compare()
    assert pair.oracle.list == [[3000, 5]] and pair.v.open == 5


@pytest.mark.cases(1000)
def test_nothing_comes_early_and_nothing_is_lost(seeds: Iterator[int]) -> None:
    """Each unit used is followed: it is never usable again before its head's date + T."""
    for seed in seeds:
        rng = random.Random(seed)
        period = rng.randint(5, 60)
        pair = Pair(rng.randint(1, period), period, rng.choice((2, 3, 8)), 0)
        due: list[int] = []  # when each unit used may come back, at the earliest
        for _ in range(40):
            pair.now += rng.randint(0, period)
            if rng.random() < 0.5:
                pair.wake()
            pair.dispatch()
            if pair.oracle.usable(pair.now):
                date, amount = pair.v.list[0].at, pair.v.list[0].amount
                used = rng.randint(1, amount)
                pair.consume(used)
                due += [date + period] * used
            # At any time t, units not yet returned number at least those due after t.
            for entry in range(pair.v.count):
                later = sum(pair.v.list[i].amount for i in range(entry, pair.v.count))
                start = pair.v.list[entry].at
                assert later + pair.v.open >= sum(1 for d in due if d >= start and d > pair.now)


def test_a_wake_dates_the_head_anew() -> None:
    """The ordinary sporadic rule, by hand: used 2 of 6 at 0..2, blocked, woken at 9, T = 10."""
    pair = Pair(6, 10, 8, 0)
    pair.consume(2)
    pair.now = 9
    pair.wake()
    pair.compare()
    assert pair.oracle.list == [[9, 4], [10, 2]]


def test_starvation_by_hand() -> None:
    """C = 2, T = 10, unused since 0, dispatched at 40: counted, and worth one budget only."""
    pair = Pair(2, 10, 8, 0)
    pair.now = 40
    pair.dispatch()
    pair.consume(2)
    pair.compare()
    assert pair.oracle.list == [[50, 2]]
    assert pair.v.starved == 1


def test_age_keeps_old_dates_within_reach() -> None:
    """A head untouched for 2^31 us and more is still usable, and sound."""
    pair = Pair(5, 1 << 28, 8, 0)
    for _ in range(20):
        pair.now += 1 << 28
        pair.lib.takt_server_age(pair.v, pair.at(pair.now))
        assert pair.lib.takt_server_sound(pair.v)
        assert (pair.at(pair.now) - pair.v.list[0].at) & 0xFFFFFFFF <= 1 << 28
