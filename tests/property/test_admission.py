"""admission/admit.c against exact arithmetic, walking simulation, and what follows from what."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import ceil, isqrt, lcm

import oracle_response as oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from takt.admit.admission import check
from takt.admit.admit_library import PERIOD_MAX, Costs, Interrupt, IoVcpu, Loop, NativeSet, current

NS = 1000
Sets = list[tuple[int, int]]


def loops(sets: Sets) -> list[Loop]:
    return [Loop(f"loop {i + 1}", c, t) for i, (c, t) in enumerate(sets)]


def random_sets(rng: random.Random, most: int, longest: int, load: float) -> Sets:
    """Rate monotonic, utilisation near `load`; equal periods are common."""
    count = rng.randint(1, most)
    periods = sorted(rng.randint(2, longest) for _ in range(count))
    if count > 1 and rng.random() < 0.3:
        periods[1] = periods[0]
    shares = [rng.random() + 0.01 for _ in periods]
    scale = load * rng.uniform(0.85, 1.1) / sum(shares)
    return [
        (min(t, max(1, round(t * share * scale))), t)
        for t, share in zip(periods, shares, strict=True)
    ]


def random_ios(rng: random.Random) -> list[IoVcpu]:
    ios = []
    for i in range(rng.choice((0, 0, 1, 1, 2))):
        den = rng.choice((10, 100, 500, 65535, rng.randint(2, 1000)))
        num = rng.choice((0, 1, rng.randint(0, max(1, den // 8))))
        ios.append(IoVcpu(f"io {i}", num, den, rng.choice((0, 0, rng.randint(1, 2000)))))
    return ios


def random_irqs(rng: random.Random) -> list[Interrupt]:
    return [
        Interrupt(f"irq {i}", rng.randint(0, 20000), rng.randint(50, 3000), rng.randint(0, 100))
        for i in range(rng.choice((0, 1, 2)))
    ]


def as_tasks(threads: list[Loop], costs: Costs) -> list[oracle.Task]:
    return [
        oracle.Task(
            cost=(t.budget_us + costs.margin_us) * NS + t.fragments * 2 * costs.switch_ns,
            period=t.period_us * NS,
            jitter=t.jitter_us * NS,
            blocking=t.blocking_us * NS,
            alarms=t.fragments * 2 * costs.alarm_ns,
            end=2 * (costs.switch_ns + costs.alarm_ns),
        )
        for t in threads
    ]


@pytest.mark.cases(3000)
def test_response_times_equal_the_walk(seeds: Iterator[int]) -> None:
    """Every response time, with overheads, interrupts, blocking, jitter and I/O."""
    for seed in seeds:
        rng = random.Random(seed)
        costs = rng.choice((Costs(), Costs(rng.randint(0, 9000), rng.randint(0, 9000), 2)))
        threads = [
            Loop(
                "",
                c,
                t,
                *(rng.choice((0, rng.randint(0, 30))) for _ in range(2)),
                rng.randint(0, 8),
            )
            for c, t in random_sets(rng, 6, 3000, rng.uniform(0.5, 1.0))
        ]
        ios, irqs = random_ios(rng), random_irqs(rng)
        native = NativeSet(threads, irqs, ios, costs)
        tasks = as_tasks(threads, costs)
        sources = [oracle.Task(i.cost_ns, i.separation_us * NS, i.jitter_us * NS) for i in irqs]
        servers = [oracle.Io(Fraction(v.numerator, v.denominator), v.period_us * NS) for v in ios]
        for place, task in enumerate(tasks):
            limit = 2 * threads[place].period_us
            exact = oracle.response(tasks, place, sources, servers, limit * NS)
            got = native.response(place, limit)
            least = None if exact is None or exact > limit * NS else ceil(exact / NS)
            if len(ios) < 2:
                assert got == least, (seed, place)
                continue
            # With several I/O VCPUs each term is rounded up to a nanosecond by itself.
            assert least is not None or got is None, (seed, place)
            tasks[place] = replace(task, blocking=task.blocking + len(ios))
            most = oracle.response(tasks, place, sources, servers, limit * NS)
            tasks[place] = task
            if most is not None and most <= limit * NS:
                assert least <= got <= ceil(most / NS), (seed, place)


@pytest.mark.cases(2000)
def test_verdict_equals_running_a_hyperperiod(seeds: Iterator[int]) -> None:
    """Periodic threads released together, run unit by unit to the hyperperiod."""
    for seed in seeds:
        rng = random.Random(seed)
        sets = random_sets(rng, 4, 14, rng.uniform(0.7, 1.05))
        late = oracle.misses_deadline(sets, lcm(*(t for _, t in sets)))
        assert (NativeSet(loops(sets)).exact()[0] != 0) == late, sets


@pytest.mark.cases(3000)
def test_bounds_equal_exact_arithmetic(seeds: Iterator[int]) -> None:
    """Eq. 1 and the hyperbolic bound, verdict and printed figures."""
    for seed in seeds:
        rng = random.Random(seed)
        longest = rng.choice((50, 10_000, PERIOD_MAX))
        sets = random_sets(rng, rng.choice((2, 8, 32)), longest, rng.uniform(0.6, 1.0))
        ios = random_ios(rng)
        native = NativeSet(loops(sets), ios=ios)
        servers = [oracle.Io(Fraction(v.numerator, v.denominator)) for v in ios]
        for got, (lhs, holds) in (
            (native.eq1(), oracle.eq1(sets, servers)),
            (native.hyperbolic(), oracle.hyperbolic(sets, servers)),
        ):
            assert got.holds == holds, seed
            assert round(got.lhs * 1e6) == oracle.ppm_up(lhs), seed


@pytest.mark.cases(3000)
def test_each_bound_implies_the_next(seeds: Iterator[int]) -> None:
    """Eq. 1 => hyperbolic => exact, with I/O VCPUs that inherit, near the bounds."""
    reached = [0, 0, 0]
    for seed in seeds:
        rng = random.Random(seed)
        sets = random_sets(rng, 6, rng.choice((30, 5000)), rng.uniform(0.6, 0.95))
        ios = [IoVcpu(v.name, v.numerator, v.denominator) for v in random_ios(rng)]
        native = NativeSet(loops(sets), ios=ios)
        first, second = native.eq1().holds, native.hyperbolic().holds
        third = native.exact()[0] == 0
        assert not first or second, seed
        assert not second or third, seed
        reached = [n + r for n, r in zip(reached, (first, second, third), strict=True)]
    assert 0 < reached[0] <= reached[1] <= reached[2]


def _nearest(n: int, most: int) -> list[Fraction]:
    """Best approximations of n (2^(1/n) - 1) from both sides, denominators up to `most`."""
    low, high, found = Fraction(0, 1), Fraction(1, 1), []
    while True:
        middle = Fraction(low.numerator + high.numerator, low.denominator + high.denominator)
        if middle.denominator > most:
            return found
        if (1 + middle / n) ** n <= 2:
            low = middle
        else:
            high = middle
        found.append(middle)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_eq1_at_its_irrational_bound(n: int) -> None:
    """Sums closer to the bound than any floating point number could tell."""
    fractions = _nearest(n, 1 << 27)[-12:]
    verdicts = set()
    for value in fractions:
        total, period = value.numerator * n, value.denominator * n
        if period > PERIOD_MAX:
            total, period = value.numerator, value.denominator
        parts = [total // n] * (n - 1)
        parts.append(total - sum(parts))
        holds = NativeSet(loops([(c, period) for c in parts])).eq1().holds
        assert holds == ((1 + value / n) ** n <= 2), value
        verdicts.add(holds)
    assert verdicts == {True, False}


def _sums_near_the_bound(tries: int) -> list[tuple[Sets, int]]:
    """Two loops whose C/T add up to the bound for two, but for 2^-68 or so, and on which side."""
    scale = 200
    bound = isqrt(8 << 2 * scale) - (2 << scale)  # 2 (sqrt(2) - 1)
    t1 = PERIOD_MAX - 57  # prime
    best: dict[int, tuple[int, Sets]] = {}
    for t2 in range(PERIOD_MAX - 58, PERIOD_MAX - 58 - tries, -1):
        for side in (0, 1):
            p = (bound * t1 * t2 >> scale) + side
            b = p * pow(t1, -1, t2) % t2
            a = (p - b * t1) // t2
            distance = abs((p << scale) - bound * t1 * t2) // (t1 * t2)
            if a > 0 and b > 0 and distance < best.get(side, (bound,))[0]:
                best[side] = distance, [(b, t2), (a, t1)]
    return [(sets, side) for side, (_, sets) in best.items()]


def test_eq1_closer_than_64_bits_tell() -> None:
    """Sums of two different fractions, nearer to the bound than one part in 2^64."""
    cases = _sums_near_the_bound(20_000)
    assert {side for _, side in cases} == {0, 1}
    for sets, side in cases:
        value = sum(Fraction(c, t) for c, t in sets)
        assert ((1 + value / 2) ** 2 <= 2) == (side == 0)
        assert NativeSet(loops(sets)).eq1().holds == (side == 0)


def _root(value: int, n: int) -> int:
    """The n-th root, rounded down."""
    low, high = 0, 1 << value.bit_length() // n + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**n <= value else (low, middle)
    return low


def test_eq1_knows_its_irrational_bounds() -> None:
    """The first 128 bits of n (2^(1/n) - 1), for all n."""
    bounds = [_root(2 * (n << 128) ** n, n) - (n << 128) for n in range(2, 65)]
    table = b"".join(bound.to_bytes(16, "little") for bound in bounds)
    assert table in current().read_bytes()


def test_eq1_at_its_rational_bound() -> None:
    """One thread: equality counts as holding, with an I/O VCPU too (1/9 + (2 - 2/3) 2/3 = 1)."""
    assert NativeSet(loops([(7, 7)])).eq1().holds
    third = [IoVcpu("io", 2, 3)]
    assert NativeSet(loops([(1, 9)]), ios=third).eq1().holds
    assert NativeSet(loops([(1, 9)]), ios=third).hyperbolic().holds
    one_more = loops([(PERIOD_MAX // 9 + 1, PERIOD_MAX)])
    assert not NativeSet(one_more, ios=third).eq1().holds
    assert not NativeSet(one_more, ios=third).hyperbolic().holds


def test_hyperbolic_at_equality() -> None:
    """(1 + 1/3) (1 + 1/2) = 2 is accepted, a hair more is not."""
    assert NativeSet(loops([(1, 2), (1, 3)])).hyperbolic().holds
    assert not NativeSet(loops([(1, 2), (PERIOD_MAX // 3 + 1, PERIOD_MAX)])).hyperbolic().holds


def test_bounds_need_rate_monotonic_order() -> None:
    """Neither bound holds for an order it was not proved for; the exact test still decides."""
    wrong = NativeSet(loops([(4, 100), (1, 5)]))
    assert not wrong.eq1().holds
    assert not wrong.hyperbolic().holds
    assert wrong.exact() == (0, None)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 60), st.integers(20, 200)), min_size=1, max_size=4),
    st.integers(0, 3),
)
def test_the_fix_named_is_enough_and_no_more(pairs: list[tuple[int, int]], switch: int) -> None:
    """Every refused set fits after the first change proposed, and not after a unit less of it."""
    sets = sorted(((min(c, t), t) for c, t in pairs), key=lambda pair: pair[1])
    costs = Costs(switch_ns=switch * NS)
    given_loops = [Loop(f"loop {i}", c, t, fragments=2) for i, (c, t) in enumerate(sets)]
    admission = check(given_loops, costs=costs)
    assert admission.admitted == (not admission.refusals)
    assert admission.admitted == all(
        bound is not None and bound <= loop.period_us
        for loop, bound in zip(admission.loops, admission.bounds.values(), strict=True)
    )
    for refusal in admission.refusals[:1]:
        change = parse_fix(refusal.text)
        if change is None:
            assert "no change of one loop" in refusal.text or "too little time" in refusal.text
            continue
        name, field, value = change
        assert fits_with(given_loops, costs, name, field, value)
        slack = (-1 if field == "period_us" else 1) * (10 if value >= 1000 else 1)
        assert not fits_with(given_loops, costs, name, field, value + slack)


def parse_fix(text: str) -> tuple[str, str, int] | None:
    """The first change a refusal proposes."""
    first = text.split("; ")[1].split(", or ")[0]
    less = re.match(r"give (.+) at most ([\d.]+) (us|ms) in every", first)
    longer = re.match(r"give (.+) its .+ only every ([\d.]+) (us|ms)$", first)
    found = less or longer
    if not found:
        return None
    value = round(float(found[2]) * (1000 if found[3] == "ms" else 1))
    return found[1], "budget_us" if less else "period_us", value


def fits_with(threads: list[Loop], costs: Costs, name: str, field: str, value: int) -> bool:
    """Does the set fit when one field of one loop is changed? Rate monotonic order is restored."""
    changed = [Loop(**{**vars(t), field: value}) if t.name == name else t for t in threads]
    changed.sort(key=lambda t: t.period_us)
    return NativeSet(changed, costs=costs).exact()[0] == 0
