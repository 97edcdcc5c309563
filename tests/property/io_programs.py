"""Random programs with bottom halves, for the kernel and the oracle alike."""

from __future__ import annotations

import random

from oracle_program import (
    ENABLE,
    EVENTS_OF,
    LOCK,
    NO_BACKGROUND,
    NO_SEM,
    RESTART,
    RUN,
    SEMS,
    SERVE,
    SHARE,
    SIGNAL,
    SLEEP,
    TAKE,
    UNLOCK,
    WAIT,
    Interrupt,
    Line,
    Thread,
)
from programs import FOREVER, Program, Script, random_script, random_sets


def random_share(rng: random.Random) -> tuple[int, int]:
    """Small and large ones, 0 and 1."""
    d = rng.choice((1, 2, 4, 10, 100, rng.randint(1, 60)))
    return rng.choice((0, d, rng.randint(0, d), (d + 9) // 10, (d + 3) // 4)), d


def bottom_script(rng: random.Random, lines: list[int], longest: int) -> Script:
    """Serves all its lines in order; sometimes does more, waits for a device, or locks."""
    script: Script = [(EVENTS_OF, 0, 0)]
    for line in lines:
        script.append((SERVE, line, rng.choice((1, rng.randint(1, longest)))))
    for _ in range(rng.choice((0, 0, 1, 2))):
        op = rng.choice(
            [
                [(RUN, rng.randint(1, longest), 0)],
                [(RUN, rng.randint(1, longest), 0)],
                [(SLEEP, rng.randint(1, 30), 0)],
                [(SIGNAL, rng.randrange(SEMS), 0)],
            ]
        )
        at = rng.randint(1, len(script))
        script[at:at] = op
    return script


def handler_script(rng: random.Random, line: int, budget: int) -> Script:
    """Takes events of a line and works on them."""
    script = [(WAIT, SEMS + line, 0), (TAKE, line, 0)]
    return [*script, (RUN, rng.choice((1, rng.randint(1, budget), 2 * budget)), 0)]


def random_line(rng: random.Random, io: int, place: int, until: int) -> Line:
    """From a storm to now and then."""
    gaps = rng.choice(
        ([0], [1], [rng.randint(0, 9) for _ in range(4)], [rng.randint(10, 200) for _ in range(8)])
    )
    first = rng.choice((0, rng.randrange(until)))
    return Line(io, place, rng.choice((0, 0, 1, 2)), first, [*gaps])


def random_events(rng: random.Random, until: int, bottoms: int, places: range) -> list[Interrupt]:
    """Handlers that raise events for any threads, several at once too."""
    found = []
    for _ in range(rng.choice((0, 3, 12))):
        some = rng.sample(places, rng.randint(1, min(2, len(places))))
        io = rng.randrange(bottoms)
        sem = rng.choice((NO_SEM, NO_SEM, rng.randrange(SEMS)))
        found.append(Interrupt(rng.randrange(until), rng.choice((0, 0, 1, 3)), sem, io, (*some,)))
    return found


def changes(rng: random.Random, bottoms: int) -> Script:
    """Another share, or off and on again later."""
    io = rng.randrange(bottoms)
    if rng.random() < 0.5:
        d = rng.randint(1, 20)
        return [(SHARE, io, rng.randint(0, d) << 16 | d)]
    return [(ENABLE, io, 0), (SLEEP, rng.randint(1, 40), 0), (ENABLE, io, 1)]


def random_io_program(rng: random.Random) -> Program:
    """Any mixture, overload included."""
    bottoms = rng.choice((1, 1, 1, 2, 3))
    sets = random_sets(rng, 4, rng.choice((0.5, 0.9, 1.2)))
    until = rng.choice((100, 400, 1200))
    free = rng.choice((0, 0, 1))
    mains = range(bottoms, bottoms + len(sets))
    ceilings = [rng.randrange(mains.stop + free) for _ in range(rng.choice((0, 0, 1, 3)))]
    owners = [(rng.randrange(bottoms), rng.choice(mains)) for _ in range(rng.randint(0, 4))]
    lines = [random_line(rng, io, place, until) for io, place in owners]
    threads = []
    longest = rng.choice((2, 10, 40))
    for io in range(bottoms):
        own = [i for i, line in enumerate(lines) if line.io == io]
        script = bottom_script(rng, own, longest)
        usable = [m for m, ceiling in enumerate(ceilings) if ceiling <= io]
        if usable and rng.random() < 0.3:
            m = rng.choice(usable)
            script += [(LOCK, m, 0), (RUN, rng.randint(1, 9), 0), (UNLOCK, m, 0)]
        threads.append(Thread(0, 0, script, share=random_share(rng)))
    for place, (c, t) in enumerate(sets + [(0, 50)] * free, bottoms):
        own = [i for i, line in enumerate(lines) if line.place == place]
        if own and rng.random() < 0.9:
            script = [op for i in own for op in handler_script(rng, i, c)]
        else:
            script = random_script(rng, c or 10, t, place, ceilings)
        if rng.random() < 0.1:
            script = script + changes(rng, bottoms) + [(RUN, rng.randint(1, 9), 0)]
        if rng.random() < 0.03:
            script = [*script, (RESTART, 0, 0), (RUN, 1, 0)]
        threads.append(Thread(c, t, script, NO_BACKGROUND if c and rng.random() < 0.2 else 0))
    if rng.random() < 0.3:
        threads[-1].script = [FOREVER]
    clock = rng.choice((0, 0, 1, (1 << 32) - rng.randint(1, until), rng.getrandbits(32)))
    return Program(
        threads,
        until,
        random_events(rng, until, bottoms, mains),
        ceilings,
        clock,
        rng.choice((8, 8, 3)),
        lines=lines,
        start_cost=rng.choice((0, 0, 2)),
        piece=rng.choice((0, 0, 9)),
    )
