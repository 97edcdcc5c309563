"""The kernel against the oracle with bottom halves: random programs must run alike."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from compare import difference, run_program
from io_programs import random_io_program
from oracle_program import EVENTS_OF, RUN, SEMS, SERVE, SLEEP, TAKE, WAIT, Line, Thread
from programs import Program, random_sets, tidy


@pytest.mark.cases(5000)
def test_random_programs(seeds: Iterator[int]) -> None:
    """1 to 3 I/O VCPUs of any share, storms, shares changed, off and on, beside all the rest."""
    for seed in seeds:
        found = difference(random_io_program(random.Random(seed)))
        assert found is None, f"seed {seed}: {found}"


@pytest.mark.cases(400)
def test_the_clock_makes_no_difference(seeds: Iterator[int]) -> None:
    """The same program from clock 0 and from any other reading, across the wrap or not."""
    for seed in seeds:
        program = random_io_program(random.Random(seed))
        plain = run_program(replace(program, clock=0))
        expected = tidy(plain.segments, program.until)
        for clock in (1 << 31, (1 << 32) - 1, (1 << 32) - program.until // 2):
            run = run_program(replace(program, clock=clock))
            assert tidy(run.segments, program.until) == expected, f"seed {seed}, clock {clock}"
            assert run.deliveries == plain.deliveries, f"seed {seed}, clock {clock}"


@pytest.mark.cases(80)
def test_long_pauses(seeds: Iterator[int]) -> None:
    """Periods up to the longest, events minutes and hours apart: the clock wraps several times
    while a bottom half waits, and everybody else too."""
    for seed in seeds:
        rng = random.Random(seed)
        unit = rng.choice((1, 1 << 12, 1 << 20))
        d = rng.randint(2, 60)
        bottom = [(EVENTS_OF, 0, 0), (SERVE, 0, unit * rng.randint(1, 40))]
        threads = [Thread(0, 0, bottom, share=(rng.randint(1, d - 1), d))]
        for c, t in random_sets(rng, 3, 0.9):
            nap = (SLEEP, rng.randint(1 << 27, 1 << 31), 0)
            threads.append(Thread(c * unit, min(t * unit, 1 << 28), [(RUN, 2 * c * unit, 0), nap]))
        place = rng.randrange(1, len(threads))
        threads[place].script = [(WAIT, SEMS, 0), (TAKE, 0, 0), (RUN, unit, 0)]
        gaps = [rng.randrange(1 << 28, 1 << 32) for _ in range(5)]
        until = rng.randint(1 << 32, 1 << 36)
        line = Line(0, place, 0, rng.randrange(1 << 33), gaps)
        program = Program(threads, until, clock=rng.getrandbits(32), lines=[line])
        found = difference(program)
        assert found is None, f"seed {seed}: {found}"
