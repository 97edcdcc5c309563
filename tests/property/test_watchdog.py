"""What a feed of the watchdog proves (include/takt/watchdog.h), on runs of the kernel itself: the
thread that feeds it is the last of those with a budget, and never runs but on it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from compare import run_program
from kernel_library import Run
from oracle_program import NO_BACKGROUND, NO_SEM, RUN, SLEEP, Interrupt, Thread
from programs import FOREVER, Program, random_program
from takt.admit.admit_library import Loop, NativeSet
from test_guarantees import admitted, bounds
from use import foreground


def feeder(period: int) -> Thread:
    return Thread(1, period, [(RUN, 1, 0), (SLEEP, period - 1, 0)], NO_BACKGROUND)


def watched(rng: random.Random, program: Program, period: int) -> Program:
    """With a thread that feeds, of that period; some others are greedy."""
    threads = [
        replace(t, script=[FOREVER]) if t.budget and rng.random() < 0.4 else t
        for t in program.threads
    ]
    place = sum(t.budget > 0 for t in threads)
    return replace(program, threads=[*threads[:place], feeder(period), *threads[place:]])


def place_of_it(program: Program) -> int:
    return sum(t.budget > 0 for t in program.threads) - 1


def longest(program: Program) -> int:
    return max((t.period for t in program.threads if t.budget), default=2)


def storms(rng: random.Random, until: int) -> list[Interrupt]:
    """Handlers that admission does not count."""
    return [
        Interrupt(rng.randrange(until), rng.choice((1, 5, 60, 300)), NO_SEM)
        for _ in range(rng.choice((0, 1, 5, 40)))
    ]


def storm(every: int, cost: int) -> list[Interrupt]:
    return [Interrupt(at, cost, NO_SEM) for at in range(every, 1000, every + cost)]


def feeds(run: Run, program: Program, feeder: int) -> list[int]:
    """When it began to run, or went on; and that it never did in the background."""
    own = [s for s in run.segments if s.place == feeder and s.start < program.until]
    assert all(s.foreground for s in own)
    return [s.start for s in own]


def owed(run: Run, program: Program, feeder: int) -> list[tuple[int, int, int]]:
    """Instants at which it fed, places of greedy threads, and what of C these had not been
    delivered in the period that ended there."""
    found = []
    for place, t in enumerate(program.threads):
        if t.script != [FOREVER] or not t.budget:
            continue
        use = foreground(run, program, place)
        for at in feeds(run, program, feeder):
            lacks = t.budget - use.between(max(0, at - t.period), at)
            if lacks > 0:
                found.append((at, place, lacks))
    return found


@pytest.mark.cases(3000)
def test_when_it_feeds_no_greedy_loop_is_owed_budget(seeds: Iterator[int]) -> None:
    """Whatever else goes on: overload, semaphores, sections, storms of interrupts. A loop that has
    all of its budget has used C within its last T."""
    fed, unfed = 0, 0
    for seed in seeds:
        rng = random.Random(seed)
        program = random_program(rng)
        period = max(2, longest(program)) * rng.choice((1, 1, 2))
        program = watched(rng, program, period)
        program = replace(
            program, until=3 * program.until, interrupts=storms(rng, program.until), capacity=8
        )
        run = run_program(program)
        place = place_of_it(program)
        found = owed(run, program, place)
        assert found == [], (seed, found[0])
        times = [0, *feeds(run, program, place), program.until]
        gaps = [later - at for at, later in pairwise(times)]
        fed += len(times) - 2
        unfed += max(gaps) > 2 * period
    assert fed > 500 and unfed > 10, (fed, unfed)


def test_with_a_shorter_period_than_others_it_would_prove_nothing() -> None:
    """Why the build refuses that: it feeds while the loop below it is owed all of its budget."""
    hurried = Program([feeder(20), Thread(50, 200, [FOREVER])], 2000, storm(10, 150))
    assert owed(run_program(hurried), hurried, 0)
    slow = Program([hurried.threads[1], feeder(200)], 2000, storm(10, 150))
    assert owed(run_program(slow), slow, 1) == []


@pytest.mark.cases(600)
def test_in_an_admitted_program_it_is_fed_within_two_periods(seeds: Iterator[int]) -> None:
    """T and the thread's response time apart, at most."""
    close = 0.0
    for seed in seeds:
        rng = random.Random(seed)
        program = admitted(rng)
        period = longest(program) * rng.choice((1, 1, 2))
        program = watched(rng, program, period)
        loops = [Loop("", t.budget, t.period, 0, t.jitter, 0) for t in program.threads]
        if NativeSet(loops, []).exact()[0] != 0:
            continue
        place = place_of_it(program)
        most = period + bounds(program)[place]
        times = feeds(run_program(program), program, place)
        gaps = [later - at for at, later in pairwise(times)]
        assert all(gap <= most <= 2 * period for gap in gaps), (seed, gaps, most)
        close = max([close, *(gap / most for gap in gaps)])
    assert close > 0.9
