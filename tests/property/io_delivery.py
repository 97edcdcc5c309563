"""Random admitted programs whose handlers keep to their budgets, and how late events may be."""

from __future__ import annotations

import random
from dataclasses import dataclass

from io_admitted import overhead, top_halves
from oracle_program import (
    EVENTS_OF,
    LOCK,
    NO_BACKGROUND,
    RUN,
    SEMS,
    SERVE,
    SLEEP,
    TAKE,
    UNLOCK,
    WAIT,
    Interrupt,
    Line,
    Thread,
)
from programs import FOREVER, Program, Script, random_sets
from takt.admit.admit_library import Costs, Delivery, EventPath, IoVcpu, Loop, NativeSet


@dataclass(frozen=True)
class Paths:
    """A program as admission sees it, and the way of each of its lines."""

    program: Program

    def lines_of(self, io: int) -> list[Line]:
        return [line for line in self.program.lines if line.io == io]

    def bottoms(self) -> list[int]:
        return [place for place, t in enumerate(self.program.threads) if t.share]

    def blocking(self, place: int) -> int:
        """Longest section of a less urgent thread under a mutex that concerns this one."""
        found = [0]
        for t in self.program.threads[place + 1 :]:
            for lock, run in zip(t.script, t.script[1:], strict=False):
                if lock[0] == LOCK and self.program.ceilings[lock[1]] <= place:
                    found.append(run[1])
        return max(found)

    def native(self) -> NativeSet:
        program, margin = self.program, self.program.margin
        loops = [
            Loop("", t.budget - margin, t.period, self.blocking(place))
            for place, t in enumerate(program.threads)
            if t.budget
        ]
        ios = []
        for place in self.bottoms():
            # A start and one top half of each source, as sources stay masked.
            x = program.start_cost + overhead(program.lines, place)
            ios.append(IoVcpu("", *program.threads[place].share, overhead_us=x))
        return NativeSet(loops, top_halves(program), ios, Costs(margin_us=margin))

    def path(self, line: Line) -> EventPath:
        """At worst the bottom half has just looked for this line in vain. Before it does so again,
        it serves every other line once, which may interrupt before and after that."""
        program, others = self.program, [o for o in self.lines_of(line.io) if o is not line]
        start = program.start_cost
        tops = line.cost + start + sum(2 * (o.cost + start) for o in others)
        work, wait = [tops], []  # they may come in any piece
        script = program.threads[line.io].script
        here = next(
            i for i, op in enumerate(script) if op[0] == SERVE and program.lines[op[1]] is line
        )
        for kind, first, second in script[here + 1 :] + script[: here + 1]:
            if kind == SLEEP:
                wait.append(first)
                work.append(tops)
            work[-1] += {SERVE: second, RUN: first}.get(kind, 0)
        bottoms = self.bottoms()
        periods = [program.threads[o.place].period for o in self.lines_of(line.io)]
        place = line.place - len(bottoms)
        io = bottoms.index(line.io)
        return EventPath(place, io, min(periods), max(periods), line.cost, tuple(work), tuple(wait))

    def bounds(self) -> list[Delivery]:
        """By line."""
        native = self.native()
        return [native.delivery(self.path(line)) for line in self.program.lines]


def bottom(rng: random.Random, lines: dict[int, int], share: tuple[int, int]) -> Script:
    """Serves its lines, with periods given, at costs about multiples of a budget."""
    script: Script = [(EVENTS_OF, 0, 0)]
    for line, period in lines.items():
        c = share[0] * period // share[1]
        near = max(1, rng.choice((1, 1, 2, 3)) * c + rng.choice((-1, 0, 0, 1)))
        script.append((SERVE, line, rng.choice((near, near, 1, rng.randint(1, 2 * c + 1)))))
        if rng.random() < 0.1:
            script.append((SLEEP, rng.randint(1, 30), 0))
    return script


def serving(rng: random.Random, line: int, budget: int) -> Script:
    """One run, and asking for the next event, which takes no time here, are within the budget: what
    is asked the instant it ends is asked in the next one."""
    most = budget - 1
    run = rng.choice((most, most, rng.randint(0, most)))
    return [(WAIT, SEMS + line, 0), (TAKE, line, 0), (RUN, run, 0)]


def other(rng: random.Random, budget: int, period: int) -> Script:
    """Uses all of its budget, or much of it after a while."""
    if rng.random() < 0.4:
        return [FOREVER]
    return [
        (RUN, rng.choice((budget, rng.randint(1, budget))), 0),
        (SLEEP, rng.choice((1, rng.randint(1, 2 * period))), 0),
    ]


def storm(rng: random.Random, io: int, place: int) -> Line:
    """Again at once, or now and then."""
    several = [rng.randint(0, 300) for _ in range(rng.choice((2, 7)))]
    gaps = rng.choice(([0], [0], [1], several, several))
    return Line(io, place, rng.choice((0, 0, 1, 3)), rng.randrange(300), gaps)


def keep_busy(rng: random.Random, lines: int) -> list[Interrupt]:
    """Wakes handlers without an event, often twice: then they do another run."""
    found = []
    for _ in range(rng.choice((0, 10, 40))):
        at, sem = rng.randrange(3000), SEMS + rng.randrange(lines)
        found += [Interrupt(at, 0, sem), Interrupt(at + rng.randint(1, 20), 0, sem)]
    return found


def candidate(rng: random.Random) -> Program:
    bottoms = rng.choice((1, 1, 1, 2, 3))
    margin = rng.choice((0, 1))
    sets = random_sets(rng, 6, rng.choice((0.3, 0.6, 0.9)))
    places = range(bottoms, bottoms + len(sets))
    handlers = rng.sample(places, rng.randint(1, min(4, len(places))))
    lines = [storm(rng, rng.randrange(bottoms), place) for place in handlers]
    threads = []
    for io in range(bottoms):
        own = {i: sets[o.place - bottoms][1] for i, o in enumerate(lines) if o.io == io}
        d = rng.choice((3, 4, 10, 20, 100))
        share = (rng.randint(1, max(1, d // rng.choice((2, 4, 8)))), d)
        threads.append(Thread(0, 0, bottom(rng, own, share), share=share))
    for place, (c, t) in enumerate(sets, bottoms):
        script = other(rng, c, t)
        if place in handlers:
            script = serving(rng, handlers.index(place), c + margin)
        flags = NO_BACKGROUND if rng.random() < 0.4 else 0
        threads.append(Thread(c + margin, t, script, flags))
    if rng.random() < 0.5:
        naps = [(RUN, rng.randint(1, 60), 0), (SLEEP, rng.randint(1, 9), 0)]
        threads.append(Thread(0, 0, rng.choice(([FOREVER], naps))))
    ceilings = []
    if rng.random() < 0.2:
        ceilings = [rng.choice(places)]
        t = threads[places.stop - 1]
        if t.script[0][0] == RUN and places.stop - 1 not in handlers:
            t.script = [(LOCK, 0, 0), (RUN, rng.randint(1, t.budget), 0), (UNLOCK, 0, 0), *t.script]
    return Program(
        threads,
        3000,
        keep_busy(rng, len(lines)),
        ceilings,
        clock=rng.getrandbits(32),
        margin=margin,
        lines=lines,
        start_cost=rng.choice((0, 0, 2)),
    )


def admitted(rng: random.Random) -> tuple[Program, list[Delivery]]:
    """The first candidate that the exact test admits and that has a bound for a line, with the
    bounds by line."""
    while True:
        program = candidate(rng)
        paths = Paths(program)
        native = paths.native()
        if native.validate() == 0 and native.exact()[0] == 0:
            bounds = paths.bounds()
            if any(bound.safe_us is not None for bound in bounds):
                return program, bounds
