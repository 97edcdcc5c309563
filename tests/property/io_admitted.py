"""Random programs with bottom halves that the exact test admits."""

from __future__ import annotations

import random

from oracle_program import (
    EVENTS_OF,
    NO_BACKGROUND,
    RUN,
    SEMS,
    SERVE,
    SLEEP,
    TAKE,
    WAIT,
    Interrupt,
    Line,
    Thread,
)
from programs import FOREVER, Program, Script, random_sets
from takt.admit.admit_library import Interrupt as Source
from takt.admit.admit_library import IoVcpu, Loop, NativeSet

SELDOM = 1 << 30


def overhead(lines: list[Line], io: int) -> int:
    """What a budget may cost beside itself: one top half of each source."""
    return sum(line.cost for line in lines if line.io == io)


def top_halves(program: Program) -> list[Source]:
    """One of each source, whenever that may be."""
    cost = 1000 * sum(line.cost for line in program.lines)
    return [Source("top halves", cost, SELDOM)] if cost else []


def native(program: Program) -> NativeSet:
    """As admission sees the program."""
    mains = [t for t in program.threads if t.budget]
    ios = []
    for place, t in enumerate(program.threads):
        if t.share:
            ios.append(IoVcpu("", *t.share, overhead_us=overhead(program.lines, place)))
    return NativeSet([Loop("", t.budget, t.period) for t in mains], top_halves(program), ios)


def storm(rng: random.Random, io: int, place: int) -> Line:
    """At once again, or nearly so; sometimes at random."""
    gaps = rng.choice(([0], [0], [1], [rng.randint(0, 60) for _ in range(5)]))
    return Line(io, place, rng.choice((0, 0, 1, 2)), rng.randrange(200), gaps)


def bottom(rng: random.Random, lines: list[int], heavy: bool) -> Script:
    """Serves its lines; cost of each from short to beyond a budget."""
    script: Script = [(EVENTS_OF, 0, 0)]
    for line in lines:
        script.append((SERVE, line, rng.randint(1, rng.choice((2, 8, 60)))))
        if rng.random() < 0.15:
            script.append((SLEEP, rng.randint(1, 30), 0))
    if heavy:
        script.append((RUN, rng.randint(1, 300), 0))
    return script


def sleepy(rng: random.Random, budget: int, period: int) -> Script:
    run = (RUN, rng.randint(1, rng.choice((2, budget + 1, 2 * period))), 0)
    return [run, (SLEEP, rng.randint(1, rng.choice((3, period, 3 * period))), 0)]


def handler(rng: random.Random, line: int, budget: int) -> Script:
    return [(WAIT, SEMS + line, 0), (TAKE, line, 0), (RUN, rng.randint(1, budget), 0)]


def events(rng: random.Random, until: int, bottoms: int, mains: list[Thread]) -> list[Interrupt]:
    """Handlers that take no time and raise events for anybody, often soon after for somebody more
    urgent."""
    found = []
    for _ in range(rng.choice((0, 4, 20))):
        at, io, place = rng.randrange(until), rng.randrange(bottoms), rng.randrange(len(mains))
        found.append(Interrupt(at, 0, io=io, places=(bottoms + place,)))
        if place and rng.random() < 0.5:
            soon = rng.randrange(place)
            at += rng.randrange(2 * mains[soon].period)
            found.append(Interrupt(at, 0, io=io, places=(bottoms + soon,)))
    return found


def candidate(rng: random.Random) -> Program:
    """Tightly loaded; the last thread is greedy."""
    bottoms = rng.choice((1, 1, 1, 2))
    sets = random_sets(rng, 5, rng.choice((0.7, 0.9, 1.0)))
    until = rng.choice((500, 1500))
    places = range(bottoms, bottoms + len(sets))
    count = rng.choice((0, 0, 1, 2, 4))
    owners = [(rng.randrange(bottoms), rng.choice(places)) for _ in range(count)]
    lines = [storm(rng, io, place) for io, place in owners]
    threads = []
    for io in range(bottoms):
        own = [i for i, line in enumerate(lines) if line.io == io]
        d = rng.choice((4, 10, 20, 100))
        share = (rng.randint(0, max(1, d // rng.choice((2, 4, 8)))), d)
        threads.append(Thread(0, 0, bottom(rng, own, not own or rng.random() < 0.4), share=share))
    for place, (c, t) in enumerate(sets, bottoms):
        own = [i for i, line in enumerate(lines) if line.place == place]
        greedy = place == places.stop - 1 or rng.random() < 0.3
        script = [FOREVER] if greedy else sleepy(rng, c, t)
        if own and not greedy:
            script = [op for i in own for op in handler(rng, i, c)]
        threads.append(Thread(c, t, script, NO_BACKGROUND if rng.random() < 0.2 else 0))
    raised = events(rng, until, bottoms, threads[bottoms:])
    return Program(threads, until, raised, [], rng.getrandbits(32), lines=lines)


def admitted(rng: random.Random) -> Program:
    """The first candidate that the exact test admits."""
    while True:
        program = candidate(rng)
        if native(program).exact()[0] == 0:
            return program
