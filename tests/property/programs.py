"""Random programs of budgeted threads, for the kernel and the oracle alike."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

from oracle_program import (
    LOCK,
    NO_BACKGROUND,
    NO_SEM,
    RESTART,
    RUN,
    SEMS,
    SIGNAL,
    SLEEP,
    UNLOCK,
    WAIT,
    WAIT_FOR,
    Interrupt,
    Line,
    Segment,
    Thread,
)

FOREVER = (RUN, 1 << 20, 0)
Script = list[tuple[int, int, int]]


@dataclass
class Program:
    """Everything run_kernel() and Simulation() need."""

    threads: list[Thread]
    until: int
    interrupts: list[Interrupt] = field(default_factory=list)
    ceilings: list[int] = field(default_factory=list)
    clock: int = 0
    capacity: int = 8
    margin: int = 0
    lines: list[Line] = field(default_factory=list)
    start_cost: int = 0  # of a bottom half
    piece: int = 0


def random_sets(rng: random.Random, most: int = 5, load: float = 1.0) -> list[tuple[int, int]]:
    """Budgets (C, T) by place whose utilisations add up to about `load` or less."""
    count = rng.randint(1, most)
    periods = sorted(rng.choice((rng.randint(4, 40), rng.randint(10, 400))) for _ in range(count))
    shares = [rng.random() + 0.05 for _ in range(count)]
    scale = rng.uniform(0.3, 1.0) * load / sum(shares)
    return [(min(t, max(1, round(t * s * scale))), t) for t, s in zip(periods, shares, strict=True)]


def _plain(rng: random.Random, budget: int, period: int) -> Script:
    """Computes and sleeps, in pieces large and small beside the budget."""
    script: Script = []
    for _ in range(rng.randint(1, 4)):
        script.append((RUN, rng.randint(1, rng.choice((2, budget + 1, 2 * period))), 0))
        script.append((SLEEP, rng.randint(1, rng.choice((3, period, 3 * period))), 0))
    return script


def _talkative(rng: random.Random, budget: int, period: int) -> Script:
    """Also uses semaphores."""
    script = _plain(rng, budget, period)
    for _ in range(rng.randint(1, 4)):
        sem = rng.randrange(SEMS)
        kind = rng.choice((WAIT, SIGNAL, SIGNAL, WAIT_FOR))
        op = (kind, sem, rng.randint(1, period) if kind == WAIT_FOR else 0)
        script.insert(rng.randrange(len(script) + 1), op)
    return script


def _locking(rng: random.Random, budget: int, place: int, ceilings: list[int]) -> Script:
    """A section under one mutex, or two nested ones, that may outlast the budget."""
    usable = [m for m, ceiling in enumerate(ceilings) if ceiling <= place]
    if not usable:
        return []
    mutexes = rng.sample(usable, min(len(usable), rng.randint(1, 2)))
    script = []
    for m in mutexes:
        script += [(LOCK, m, 0), (RUN, rng.randint(1, budget + 3), 0)]
    for m in reversed(mutexes):
        script += [(UNLOCK, m, 0)] + [(RUN, rng.randint(1, 3), 0)] * rng.randint(0, 1)
    return script


def random_script(
    rng: random.Random, budget: int, period: int, place: int, ceilings: list[int]
) -> Script:
    """Greedy, computing and sleeping, communicating, or locking."""
    way = rng.random()
    if way < 0.25:
        return [FOREVER]
    if way < 0.6:
        return _plain(rng, budget, period)
    if way < 0.85 or not ceilings:
        return _talkative(rng, budget, period)
    return _plain(rng, budget, period) + _locking(rng, budget, place, ceilings)


def random_shift(rng: random.Random) -> int:
    """Often no jitter, at most half of the period."""
    return rng.choice((0, 0, 1, rng.randint(1, 6)))


def random_program(rng: random.Random, most: int = 5, load: float = 1.3) -> Program:
    """Any mixture, overload included; the clock often near its wrap."""
    sets = random_sets(rng, most, load)
    free = rng.choice((0, 0, 1, 2))
    ceilings = [rng.randrange(len(sets) + free) for _ in range(rng.choice((0, 0, 0, 1, 3)))]
    threads = []
    for place, (c, t) in enumerate(sets + [(0, 50)] * free):
        script = random_script(rng, c or 10, t, place, ceilings)
        if rng.random() < 0.04:
            script = [*script[:-1], (RESTART, 0, 0), script[-1]]
        flags = NO_BACKGROUND if c and rng.random() < 0.2 else 0
        threads.append(Thread(c, t, script, flags, shift=random_shift(rng) if c else 0))
    until = rng.choice((100, 400, 1500))
    clock = rng.choice((0, 0, 1, (1 << 32) - rng.randint(1, until), rng.getrandbits(32)))
    return Program(
        threads,
        until,
        random_interrupts(rng, until) if rng.random() < 0.3 else [],
        ceilings,
        clock,
        rng.choice((8, 8, 3)),
    )


def random_interrupts(rng: random.Random, until: int) -> list[Interrupt]:
    """Handlers of 0..5 us that signal."""
    count = rng.randint(1, 12)
    return [
        Interrupt(
            rng.randrange(until), rng.choice((0, 0, 1, 2, 5)), rng.choice((*range(SEMS), NO_SEM))
        )
        for _ in range(count)
    ]


# Pieces of budget that are not worth a start, us: none, and of pico, stm32f051 and uno.
PIECES = (0, 140, 278, 1380)


def scaled(program: Program, k: int, piece: int) -> Program:
    """The same with all times k-fold, where small pieces wait."""

    def script(ops: Script) -> Script:
        times = {RUN: (k, 1), SLEEP: (k, 1), WAIT_FOR: (1, k)}
        return [
            (kind, min(1 << 30, a * times.get(kind, (1, 1))[0]), b * times.get(kind, (1, 1))[1])
            for kind, a, b in ops
        ]

    threads = [
        replace(
            t,
            budget=t.budget * k,
            period=t.period * k,
            script=script(t.script),
        )
        for t in program.threads
    ]
    interrupts = [replace(i, at=i.at * k, cost=i.cost * k) for i in program.interrupts]
    until = program.until * k
    return replace(program, threads=threads, interrupts=interrupts, until=until, piece=piece)


def tidy(segments: list[Segment], until: int) -> list[Segment]:
    """Without empty segments, equal neighbours joined, cut at `until`."""
    result: list[Segment] = []
    starts = [s.start for s in segments[1:]] + [until]
    for segment, end in zip(segments, starts, strict=True):
        if segment.start >= min(end, until):
            continue
        last = result[-1] if result else None
        if last and (last.place, last.foreground) == (segment.place, segment.foreground):
            continue
        result.append(segment)
    return result
