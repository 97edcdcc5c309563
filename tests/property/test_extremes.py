"""Admission of absurd sets: what is out of range is refused as such, and the rest is judged as
integers that never wrap judge it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import ceil

import pytest
from takt.admit.admit_library import (
    PERIOD_MAX,
    Costs,
    EventPath,
    Interrupt,
    IoVcpu,
    Loop,
    NativeSet,
)
from takt.admit.partition import partition

NS = 1000
DURATION_MAX = 1 << 30
LIMIT = NS << 31
ROUNDS = 65536
COST_MAX, FRAGMENTS_MAX = 10**9, 65535
EDGES = (0, 1, 2, 3, 1023, 1 << 10, 65535, 65536, 1 << 20, COST_MAX, PERIOD_MAX, DURATION_MAX)
EDGES += (1 << 31, 3 << 30, 0xFFFFFFFF)


def number(rng: random.Random, most: int) -> int:
    """Small, or near where something begins to be wrong; seldom beyond `most`."""
    if rng.random() < 0.02:
        return min(rng.choice(EDGES) + rng.randint(0, 2), 0xFFFFFFFF)
    kind = rng.random()
    if kind < 0.4:
        return rng.randint(0, min(most, 100))
    if kind < 0.7:
        return min(most, max(0, rng.choice(EDGES) + rng.randint(-1, 1)))
    return rng.randint(0, most)


def random_set(rng: random.Random) -> tuple[list[Loop], list[Interrupt], list[IoVcpu], Costs]:
    threads = []
    for _ in range(rng.randint(1, 5)):
        period = max(1, number(rng, PERIOD_MAX))
        budget = rng.choice((1, period, max(1, number(rng, period)), rng.randint(1, period)))
        blocking, jitter = (number(rng, rng.choice((0, 30, DURATION_MAX))) for _ in range(2))
        fragments = number(rng, rng.choice((1, 8, FRAGMENTS_MAX)))
        threads.append(Loop("", budget, period, blocking, jitter, fragments))
    threads.sort(key=lambda t: t.period_us)
    irqs = [
        Interrupt(
            "", number(rng, rng.choice((0, 10**5, 0xFFFFFFFF))), max(1, number(rng, DURATION_MAX)),
            number(rng, rng.choice((0, DURATION_MAX))),
        )
        for _ in range(rng.randint(0, 2))
    ]  # fmt: skip
    ios = []
    for _ in range(rng.randint(0, 2)):
        denominator = max(1, number(rng, 65535))
        numerator = rng.choice((0, 1, number(rng, denominator), denominator))
        period = rng.choice((0, number(rng, PERIOD_MAX)))
        ios.append(IoVcpu("", numerator, denominator, period, number(rng, DURATION_MAX)))
    few = rng.choice((0, 100_000, COST_MAX))
    costs = Costs(number(rng, few), number(rng, few), number(rng, rng.choice((5, DURATION_MAX))))
    return threads, irqs, ios, costs


def valid(threads: list[Loop], irqs: list[Interrupt], ios: list[IoVcpu], costs: Costs) -> bool:
    """By the words of include/takt/admit.h."""
    for t in threads:
        if not 1 <= t.budget_us <= t.period_us <= PERIOD_MAX:
            return False
        if max(t.blocking_us, t.jitter_us) > DURATION_MAX or t.fragments > FRAGMENTS_MAX:
            return False
    for i in irqs:
        if not 1 <= i.separation_us <= DURATION_MAX or i.jitter_us > DURATION_MAX:
            return False
    for v in ios:
        if not (1 <= v.denominator <= 65535 and v.numerator <= v.denominator):
            return False
        if v.period_us > PERIOD_MAX or v.overhead_us > DURATION_MAX:
            return False
    return max(costs.switch_ns, costs.alarm_ns) <= COST_MAX and costs.margin_us <= DURATION_MAX


def response(
    place: int, limit_us: int, threads: list[Loop], irqs: list[Interrupt], ios: list[IoVcpu],
    costs: Costs,
) -> int | None:  # fmt: skip
    """The sum at the head of admission/admit.c, in whole numbers of any size."""
    mine = threads[place]

    def budget(t: Loop) -> int:
        return (t.budget_us + costs.margin_us) * NS + 2 * t.fragments * costs.switch_ns

    def io(v: IoVcpu, window: int) -> int:
        period = v.period_us or mine.period_us
        if period > mine.period_us:
            return 0
        u = Fraction(v.numerator, v.denominator)
        once = u * period + (v.overhead_us if v.numerator else 0)
        return min(window, ceil(u * window + (1 - u) * once * NS))

    def demand(window: int) -> int:
        total = budget(mine) + mine.blocking_us * NS
        for j, t in enumerate(threads):
            count = 1 if j == place else -(-(window + t.jitter_us * NS) // (t.period_us * NS))
            total += count * 2 * t.fragments * costs.alarm_ns
            total += count * budget(t) + 2 * (costs.switch_ns + costs.alarm_ns) if j < place else 0
        for i in irqs:
            total += -(-(window + i.jitter_us * NS) // (i.separation_us * NS)) * i.cost_ns
        return total + sum(io(v, window) for v in ios)

    window = 1
    for _ in range(ROUNDS):
        needed = demand(window)
        if needed > LIMIT or needed > limit_us * NS:
            return None
        if needed <= window:
            return -(-window // NS)
        window = needed
    return None


@pytest.mark.cases(4000)
def test_nothing_wraps(seeds: Iterator[int]) -> None:
    admitted = refused = invalid = 0
    for seed in seeds:
        given = random_set(random.Random(seed))
        threads, native = given[0], NativeSet(*given)
        if not valid(*given):
            assert native.validate() == -4 and native.exact()[0] == -4, seed
            invalid += 1
            continue
        assert native.validate() == 0, seed
        bounds = [response(n, t.period_us, *given) for n, t in enumerate(threads)]
        assert [native.response(n, t.period_us) for n, t in enumerate(threads)] == bounds, seed
        late = next((n for n, bound in enumerate(bounds) if bound is None), None)
        assert native.exact() == ((0, None) if late is None else (-7, late)), seed
        admitted, refused = admitted + (late is None), refused + (late is not None)
    assert min(admitted, refused, invalid) > 0


LOOP = Loop("", 10, 100, 0, 0, 1)
ABSURD = {  # each asks for more than there is, by a number that once wrapped to little
    "fragments": ([replace(LOOP, fragments=1 << 31)], Costs(1 << 31, 0, 0)),
    "fragments and alarms": ([LOOP, replace(LOOP, fragments=1 << 31)], Costs(0, 1 << 31, 0)),
    "fragments of much": ([replace(LOOP, fragments=0xFFFFFFFF)], Costs(0x80000001, 0, 0)),
    "switches": ([LOOP], Costs(0xFFFFFFFF, 0, 0)),
    "alarms": ([LOOP], Costs(0, 0xFFFFFFFF, 0)),
    "margin": ([LOOP], Costs(0, 0, 0xFFFFFFFF)),
}


@pytest.mark.parametrize("what", ABSURD)
def test_absurd_costs_are_refused(what: str) -> None:
    threads, costs = ABSURD[what]
    native = NativeSet(threads, costs=costs)
    assert native.validate() == native.exact()[0] == -4


@pytest.mark.parametrize(
    ("blocking_us", "switch_ns", "lock_ns"),
    [(PERIOD_MAX, 0, 0), (0, 0, 0x11111112), (0, 0x10000000, 0x10000000), (0, 0, 0xFFFFFFFF)],
)
def test_waits_for_other_cpus_do_not_wrap(blocking_us: int, switch_ns: int, lock_ns: int) -> None:
    """16 times the blocking, and 15 times the lock in each switch, are 2^32 and little more. So
    many CPUs are needed: each loop takes more than half of one."""
    loops = [replace(LOOP, budget_us=60, blocking_us=blocking_us)] * 16
    found = partition(loops, 16, costs=Costs(switch_ns, 0, 0), lock_ns=lock_ns)
    assert found.refused is not None
    free = partition([replace(LOOP, budget_us=60)] * 16, 16, costs=Costs(0, 0, 0), lock_ns=0)
    assert (free.refused, free.used) == (None, 16), "without these waits there is room"


def test_work_and_overhead_of_an_event_do_not_wrap() -> None:
    """2^32 us together."""
    native = NativeSet([Loop("", 10, 1000)], ios=[IoVcpu("", 1, 1, 0, DURATION_MAX)])
    path = EventPath(0, 0, 1000, 1000, 0, (3 << 30,))
    assert native.delivery(path).safe_us is None
