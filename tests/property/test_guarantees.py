"""What docs/guarantees.md promises, on runs of the kernel itself; the oracle has no part in it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from compare import run_program
from kernel_library import EV_CHUNK, EV_READY, Run
from oracle_program import LOCK, NO_BACKGROUND, NO_SEM, RUN, SLEEP, UNLOCK, Interrupt, Thread
from programs import FOREVER, PIECES, Program, random_sets, random_shift, scaled
from takt.admit.admit_library import Interrupt as Source
from takt.admit.admit_library import Loop, NativeSet
from use import Use, foreground


def sleepy(rng: random.Random, budget: int, period: int) -> list[tuple[int, int, int]]:
    """Runs and sleeps at random."""
    return [
        op
        for _ in range(rng.randint(1, 4))
        for op in (
            (RUN, rng.randint(1, rng.choice((2, budget + 1, 2 * period))), 0),
            (SLEEP, rng.randint(1, rng.choice((3, period, 3 * period))), 0),
        )
    ]


def admitted(
    rng: random.Random, handlers: bool = False, sections: bool = False, piece: int = 0
) -> Program:
    """A random program that the exact test admits, tightly loaded; the last thread is greedy."""
    while True:
        sets = random_sets(rng, 5, rng.choice((0.9, 1.0, 1.1)))
        until = rng.choice((500, 1500))
        sources = random_sources(rng) if handlers else []
        ceilings = [0] if sections and len(sets) > 1 else []
        section = rng.randint(1, 6) if ceilings else 0
        threads = []
        for place, (c, t) in enumerate(sets):
            greedy = place == len(sets) - 1 or rng.random() < 0.3
            script = [FOREVER] if greedy else sleepy(rng, c, t)
            if ceilings and rng.random() < 0.6:
                script = [(RUN, rng.randint(1, c), 0), (LOCK, 0, 0), (RUN, section, 0)]
                script.append((UNLOCK, 0, 0))
                if not greedy:
                    script.append((SLEEP, rng.randint(1, t), 0))
            flags = NO_BACKGROUND if rng.random() < 0.2 else 0
            threads.append(Thread(c, t, script, flags, shift=random_shift(rng)))
        loops = [Loop("", t.budget, t.period, section, t.jitter, 0) for t in threads]
        if NativeSet(loops, sources).exact()[0] != 0:
            continue
        interrupts = [i for s in sources for i in arrivals(rng, s, until)]
        program = Program(threads, until, interrupts, ceilings, rng.getrandbits(32))
        unit = piece // 2
        return scaled(program, rng.choice((unit // 4, unit, 8 * unit)), piece) if unit else program


def random_sources(rng: random.Random) -> list[Source]:
    """Interrupts of whole microseconds."""
    return [
        Source("", 1000 * rng.randint(1, 3), rng.randint(15, 100)) for _ in range(rng.randint(1, 2))
    ]


def arrivals(rng: random.Random, source: Source, until: int) -> Iterator[Interrupt]:
    """As dense as the source may be, sometimes less so."""
    at = rng.randrange(source.separation_us)
    while at < until:
        yield Interrupt(at, source.cost_ns // 1000, NO_SEM)
        at += source.separation_us + rng.choice((0, 0, 0, rng.randint(0, 50)))


def greedy(t: Thread) -> bool:
    return all(kind != SLEEP for kind, _, _ in t.script)


def bounds(program: Program, sources: list[Source] = (), blocking: int = 0) -> list[int]:
    loops = [Loop("", t.budget, t.period, blocking, t.jitter) for t in program.threads]
    native = NativeSet(loops, sources)
    return [native.response(place) for place in range(len(loops))]


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.cases(600)
def test_admitted_loops_get_their_budget(seeds: Iterator[int], piece: int) -> None:
    """G2: at least C, at most C, in every period of every greedy loop; G5: no starvation."""
    for seed in seeds:
        program = admitted(random.Random(seed), piece=piece)
        run = run_program(program)
        assert run.stop == "time", run.fatal
        assert not any(run.starved), seed
        for place, t in enumerate(program.threads):
            if not greedy(t):
                continue
            use = foreground(run, program, place)
            for k in range(program.until // t.period):
                got = use.between(k * t.period, (k + 1) * t.period)
                assert got == t.budget, (seed, place, k)


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.cases(600)
def test_admitted_budgets_arrive_within_their_bound(seeds: Iterator[int], piece: int) -> None:
    """G3: no replenishment takes longer than the response time admission computed, from its date
    or, if the thread kept that, from its wake-up."""
    tight = 0
    for seed in seeds:
        program = admitted(random.Random(seed), piece=piece)
        run = run_program(program)
        limits = bounds(program)
        woke = [0] * len(limits)
        for time, kind, place, value in run.events:
            if kind == EV_READY:
                woke[place] = time
            if kind == EV_CHUNK:
                took = min(value, time - woke[place])
                assert took <= limits[place], (seed, time, place)
                tight += took == limits[place]
    assert tight > 0


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.cases(400)
def test_windows(seeds: Iterator[int], piece: int) -> None:
    """G4: at most C in any window T for the most urgent thread that keeps no date, at most 2C for
    the others."""
    double = 0
    for seed in seeds:
        program = admitted(random.Random(seed), piece=piece)
        run = run_program(program)
        for place, t in enumerate(program.threads):
            most = foreground(run, program, place).most_in(t.period, program.until)
            once = place == 0 and t.jitter == 0
            assert most <= (1 if once else 2) * t.budget, (seed, place, most)
            double += most > t.budget
    assert double > 0  # else the weaker promise would not be needed


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.cases(300)
def test_with_interrupts(seeds: Iterator[int], piece: int) -> None:
    """G2, G3, G5, G7 beside interrupt handlers that admission was told of."""
    for seed in seeds:
        program = admitted(random.Random(seed), handlers=True, piece=piece)
        run = run_program(program)
        assert not any(run.starved), seed
        for place, t in enumerate(program.threads):
            use = foreground(run, program, place)
            if not greedy(t):
                continue
            for k in range(program.until // t.period):
                got = use.between(k * t.period, (k + 1) * t.period)
                assert got >= t.budget, (seed, place, k, got)


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.cases(300)
def test_with_mutexes(seeds: Iterator[int], piece: int) -> None:
    """G8: sections that may outlast a budget, as long as admission was told of the blocking."""
    for seed in seeds:
        program = admitted(random.Random(seed), sections=True, piece=piece)
        run = run_program(program)
        assert run.stop == "time", run.fatal
        assert not any(run.starved), seed


def starved(c: int, t: int, off: int, until: int) -> tuple[Run, Use]:
    """A greedy loop kept from running for `off` by one whose budget nobody would admit."""
    hog = Thread(off, 1 << 20, [(RUN, off, 0), (SLEEP, 1 << 20, 0)])
    program = Program([hog, Thread(c, t, [FOREVER])], until, clock=(1 << 32) - off)
    run = run_program(program)
    return run, foreground(run, program, 1)


@pytest.mark.cases(300)
def test_overload_does_not_echo(seeds: Iterator[int]) -> None:
    """G5: kept from running for a period or more, a greedy loop then takes one C per T."""
    for seed in seeds:
        rng = random.Random(seed)
        c, t = rng.randint(1, 5), rng.randint(6, 20)
        off = rng.randint(t, 6 * t)
        run, use = starved(c, t, off, off + 5 * t)
        assert run.starved[1] == 1, seed
        for k in range(4):
            assert use.between(off + k * t, off + (k + 1) * t) == c, (seed, k)


def test_starvation_as_the_design_tells_it() -> None:
    """C = 2, T = 10, always ready, starved for 40, then free: 2 of the next 10."""
    run, use = starved(2, 10, 40, 100)
    assert use.between(40, 50) == 2
    assert run.starved == [0, 1]


@pytest.mark.cases(300)
def test_long_handlers_echo_little(seeds: Iterator[int]) -> None:
    """A loop interrupted for periods on end while it runs is not dispatched anew: it may take what
    was left, one budget that came meanwhile and the next, but no more."""
    for seed in seeds:
        rng = random.Random(seed)
        c, t = rng.randint(1, 5), rng.randint(12, 20)
        off = rng.randint(t, 6 * t)
        hog = [Interrupt(rng.randrange(2 * t), off, NO_SEM)]
        program = Program([Thread(c, t, [FOREVER])], off + 7 * t, hog, clock=rng.getrandbits(32))
        use = foreground(run_program(program), program, 0)
        assert use.most_in(t, program.until) <= 3 * c, seed
        assert use.between(off + 3 * t, off + 7 * t) <= 5 * c, seed


def test_window_of_a_preempted_server() -> None:
    """C = 6, T = 16 below C = 5, T = 10: more than C in a window of T, as the design says."""
    program = Program(
        [Thread(5, 10, [FOREVER]), Thread(6, 16, [FOREVER])], 480, clock=(1 << 32) - 100
    )
    run = run_program(program)
    assert 6 < foreground(run, program, 1).most_in(16, 480) <= 12


# C, T and jitter of a thread, by turns what runs and what sleeps; C and T of one that always runs.
UNCOUNTED = [
    ((7, 15, 7), (1, 1, 6, 8, 1, 5, 6, 3), (8, 15)),
    ((6, 12, 6), (1, 4, 5, 1, 1, 2, 5, 6, 1, 4, 5, 6), (6, 14)),
    ((7, 16, 8), (1, 5, 6, 3, 1, 1, 6, 11), (9, 17)),
]


@pytest.mark.parametrize("above, times, below", UNCOUNTED)
def test_jitter_has_to_be_counted(
    above: tuple[int, int, int], times: tuple[int, ...], below: tuple[int, int]
) -> None:
    """Of a set that fits only if the first keeps no date, the second does not get its C."""
    c, t, jitter = above
    script = [(SLEEP if n % 2 else RUN, us, 0) for n, us in enumerate(times)]
    threads = [Thread(c, t, script, shift=1), Thread(*below, [FOREVER])]
    assert threads[0].jitter == jitter
    kept = Loop("", c, t, jitter_us=jitter, fragments=0)
    rest = Loop("", *below, fragments=0)
    assert NativeSet([replace(kept, jitter_us=0), rest]).exact()[0] == 0
    assert NativeSet([kept, rest]).exact()[0] != 0
    c, t = below
    program = Program(threads, 30 * t)
    use = foreground(run_program(program), program, 1)
    assert min(use.between(k * t, (k + 1) * t) for k in range(30)) < c
    threads[0].shift = 0
    use = foreground(run_program(program), program, 1)
    assert min(use.between(k * t, (k + 1) * t) for k in range(30)) == c
