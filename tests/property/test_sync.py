"""Queues, flags, conditions and timers against the oracle: random programs must do the same, with
the same results, at the same microseconds."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest

import pytest
import sync_library
from oracle_sync import Oracle, Tie
from sync_library import FOREVER, OK, OPERATIONS, Event, Op, Program

UNTIL = 20_000


def random_program(rng: random.Random) -> Program:
    count = rng.randint(2, 6)
    scripts = [random_script(rng, place, count) for place in range(count)]
    if rng.random() < 0.6:
        scripts[rng.randrange(count)] = [Op("SERVE")]
    ceilings = tuple(rng.randrange(count) for _ in range(2))
    return Program(
        threads=scripts,
        until=UNTIL,
        interrupts=[
            (rng.randrange(1, UNTIL), from_handler(rng)) for _ in range(rng.randint(0, 60))
        ],
        slots=(rng.randint(1, 3), rng.randint(1, 8)),
        ceilings=ceilings,
        timer_costs=tuple(rng.randint(0, 40) for _ in range(4)),
        clock=rng.choice((0, 0xFFFFE000)),
    )


def random_script(rng: random.Random, place: int, count: int) -> list[Op]:
    """Computes and sleeps at times, or no other would get to run."""
    script: list[Op] = []
    for _ in range(rng.randint(1, 8)):
        some = (some_queue, some_flags, under_mutex, under_lock, some_timer, some_time)
        script += rng.choice(some)(rng)
    return [*script[:24], Op("SLEEP", rng.randint(100, 900))]


def limit(rng: random.Random) -> int:
    return rng.choice((0, FOREVER, rng.randint(1, 300), rng.randint(1, 2000)))


def some_queue(rng: random.Random) -> list[Op]:
    kind = rng.choice(("PUT", "GET"))
    return [Op(kind, rng.randrange(2), limit(rng)) for _ in range(rng.randint(1, 3))]


def some_flags(rng: random.Random) -> list[Op]:
    flags = rng.randrange(2)
    wanted = rng.choice((rng.randrange(16), 1 << rng.randrange(4)))
    if rng.random() < 0.5:
        return [Op("FLAGS_WAIT", flags, limit(rng), wanted | rng.randrange(4) << 8)]
    kind = rng.choice(("FLAGS_SET", "FLAGS_SET", "FLAGS_CLEAR"))
    return [Op(kind, flags, 0, wanted)]


def under_mutex(rng: random.Random) -> list[Op]:
    mutex, cond = rng.randrange(2), rng.randrange(2)
    other = rng.choice((mutex, mutex, mutex, 1 - mutex))
    inside = [some_time(rng)[0]] * rng.randrange(2)
    for _ in range(rng.randint(1, 2)):
        kind = rng.choice(("COND_WAIT", "COND_WAIT", "COND_SIGNAL", "COND_BROADCAST"))
        inside.append(Op(kind, cond, limit(rng), other))
    if rng.random() < 0.2:
        inside += some_queue(rng)
    if rng.random() < 0.2:
        inside = [Op("LOCK", 1 - mutex), *inside, Op("UNLOCK", 1 - mutex)]
    return [Op("LOCK", mutex), *inside, Op("UNLOCK", mutex)]


def under_lock(rng: random.Random) -> list[Op]:
    lock = rng.randrange(3)
    inside: list[Op] = []
    for _ in range(rng.randint(1, 3)):
        some = (some_queue, some_flags, some_time, some_sleep, under_mutex)
        inside += rng.choice(some)(rng)
    if rng.random() < 0.3:
        other = rng.randrange(3)
        inside = [Op("TAKE", other, rng.randint(1, 900)), *inside, Op("GIVE", other)]
    return [Op("TAKE", lock, limit(rng)), *inside, Op("GIVE", lock)]


def some_sleep(rng: random.Random) -> list[Op]:
    return [Op("SLEEP", rng.randint(1, 300))]


def some_timer(rng: random.Random) -> list[Op]:
    timer = rng.randrange(4)
    if rng.random() < 0.3:
        return [Op("STOP", timer)]
    period = rng.choice((0, rng.randint(20, 500)))
    return [Op("START", timer, rng.choice((0, rng.randint(1, 700))), period)]


def some_time(rng: random.Random) -> list[Op]:
    return [Op("RUN", rng.randint(1, 150))]


def from_handler(rng: random.Random) -> Op:
    kind = rng.choice(("PUT_ISR", "GET_ISR", "FLAGS_SET_ISR", "START_ISR"))
    if kind == "START_ISR":
        return Op(kind, *next(op for op in iter(lambda: some_timer(rng)[0], None) if op.b)[1:])
    return Op(kind, rng.randrange(2), 0, rng.randrange(16))


@pytest.mark.cases(4000)
def test_random_programs(seeds: Iterator[int]) -> None:
    done: Counter[tuple[str, int]] = Counter()
    for seed in seeds:
        program = random_program(random.Random(seed))
        try:
            expected = Oracle(program).run()
        except Tie:
            continue
        found = sync_library.run(program)
        assert first_difference(expected, found) is None, f"seed {seed}"
        done.update((name(program, event), event.result) for event in found)
    all_but = {"SERVE"}  # which never returns
    assert {kind for kind, result in done if result == OK} >= set(OPERATIONS) - all_but


def first_difference(expected: list[Event], found: list[Event]) -> str | None:
    for i, (one, other) in enumerate(zip_longest(expected, found)):
        if one != other:
            return f"after {expected[max(0, i - 3) : i]}: {one} expected, found {other}"
    return None


def name(program: Program, event: Event) -> str:
    if event.place == sync_library.HANDLER:
        return program.interrupts[event.op][1].kind
    return program.threads[event.place][event.op].kind if event.op < sync_library.OPS else "CALL"
