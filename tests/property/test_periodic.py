"""Periodic jobs: the kernel against the oracle, and releases against their definition."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations
from math import gcd, lcm

import pytest
from kernel_library import library
from oracle_periodic import Event, Simulation, Thread
from oracle_program import RUN
from programs import random_sets
from takt.admit.admit_library import Loop, NativeSet
from takt.result.jobs import largest

JOB, OVERRUN, RELEASE = 24, 25, 26
KINDS = {JOB: "job", OVERRUN: "overrun"}


def random_threads(rng: random.Random) -> list[Thread]:
    """An admitted set; jobs take anything from nothing to several periods."""
    while True:
        sets = random_sets(rng, 5, rng.choice((0.6, 0.9, 1.0)))
        if NativeSet([Loop("", c, t) for c, t in sets]).exact()[0] == 0:
            break
    threads = []
    for c, t in sets:
        lengths = [rng.randint(1, c), c, rng.randint(1, 2 * c), rng.randint(1, 3 * t)]
        jobs = rng.choices(lengths, weights=(6, 3, 2, 1), k=rng.randint(1, 6))
        threads.append(Thread(c, t, rng.randrange(4), jobs))
    return threads


def run_kernel(threads: list[Thread], until: int, clock: int) -> tuple[list[Event], list[Event]]:
    """What became of jobs; releases."""
    ffi, lib = library()
    lib.harness_reset(clock)
    for t in threads:
        ops = ffi.new("struct op[]", [(RUN, jobs, 0) for jobs in t.jobs])
        lib.harness_periodic(t.budget, t.period, t.policy, ops, len(ops))
    assert lib.harness_run(until) == 0, ffi.string(lib.harness_fatal())
    pointer = ffi.new("const struct event **")
    count = lib.harness_events(pointer)
    raw = [(e.kind, e.time, e.place, e.value) for e in ffi.unpack(pointer[0], count)]
    became = [(KINDS[kind], *rest) for kind, *rest in raw if kind in KINDS]
    releases = [("release", *rest) for kind, *rest in raw if kind == RELEASE]
    return [e for e in became if e[1] < until], [e for e in releases if e[1] < until]


@pytest.mark.cases(1500)
def test_jobs_as_the_oracle_says(seeds: Iterator[int]) -> None:
    """Ends, overruns, terminations and response times, under every policy, to the microsecond."""
    seen: set[tuple[int, str, int]] = set()
    for seed in seeds:
        rng = random.Random(seed)
        threads, until = random_threads(rng), rng.randint(200, 800)
        got, releases = run_kernel(threads, until, rng.choice((0, rng.getrandbits(32))))
        for place, t in enumerate(threads):
            times = [time for _, time, p, _ in releases if p == place]
            t.first = times[0] if times else until  # it has not come to register
            assert times == list(range(t.first, until, t.period)), seed
        wanted = Simulation(threads).run(until)
        assert got == wanted, (
            seed,
            next(x for x in zip(got, wanted, strict=False) if x[0] != x[1]),
        )
        seen |= {(threads[p].policy, kind, v) for kind, _, p, v in got if kind == "overrun"}
    assert {policy for policy, _, _ in seen} == {0, 1, 2, 3}


@pytest.mark.cases(300)
def test_the_peak_is_reached_and_never_passed(seeds: Iterator[int]) -> None:
    """`largest` against all ticks of the least common multiple."""
    for seed in seeds:
        rng = random.Random(seed)
        periods = [rng.choice((2, 3, 4, 5, 6, 8, 10, 12, 15)) for _ in range(rng.randint(1, 9))]
        offsets = [rng.randrange(p) for p in periods]
        ticks = range(lcm(*periods))
        most = max(sum(t % p == o for p, o in zip(periods, offsets, strict=True)) for t in ticks)
        found = largest(periods, offsets)
        assert len(found) == most, seed
        for i, j in combinations(found, 2):
            assert (offsets[i] - offsets[j]) % gcd(periods[i], periods[j]) == 0
