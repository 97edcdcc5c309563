"""The kernel against the oracle: random programs must run alike to the microsecond."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from compare import difference, run_oracle, run_program
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle_program import LOCK, RUN, SIGNAL, SLEEP, UNLOCK, WAIT, WAIT_FOR, Interrupt, Thread
from programs import FOREVER, PIECES, Program, random_program, random_sets, scaled, tidy


@pytest.mark.cases(5000)
def test_random_programs(seeds: Iterator[int]) -> None:
    """Any mixture: overload, semaphores, mutexes, interrupts, full lists, any clock."""
    for seed in seeds:
        program = random_program(random.Random(seed))
        found = difference(program)
        assert found is None, f"seed {seed}: {found}"


def test_a_wake_up_while_a_handler_runs_behind_the_alarm() -> None:
    """The alarm at 105 finds budget for place 1; place 0 wakes before the dispatcher runs at 110,
    which then finds both at once."""
    threads = [
        Thread(5, 100, [(SLEEP, 107, 0), (RUN, 1, 0)]),
        Thread(1, 5, [FOREVER]),
        Thread(8, 200, [FOREVER]),
    ]
    program = Program(threads, 160, [Interrupt(105, 5)])
    assert difference(program) is None
    dispatched = [s.start for s in run_program(program).segments if s.place == 1]
    assert 110 not in dispatched and 111 in dispatched


@pytest.mark.parametrize("piece", PIECES[1:])
@pytest.mark.cases(600)
def test_where_starts_cost(seeds: Iterator[int], piece: int) -> None:
    """Budgets from less than a start up to many of them, that return whole and in pieces."""
    unit = piece // 2
    for seed in seeds:
        rng = random.Random(seed)
        k = rng.choice((unit // 8 + 1, unit // 2 + 1, 2 * unit, 20 * unit))
        program = scaled(random_program(rng), k, piece)
        found = difference(program)
        assert found is None, f"seed {seed}: {found}"


@pytest.mark.parametrize("piece", PIECES[1:])
@pytest.mark.cases(120)
def test_full_lists_where_starts_cost(seeds: Iterator[int], piece: int) -> None:
    """Threads that wake and wake, so that pieces are small and wait for one another."""
    gathered = 0
    for seed in seeds:
        rng = random.Random(seed)
        program = wakeful(rng)
        unit = piece // 2
        program = scaled(program, rng.choice((unit // 4 + 1, unit, 3 * unit)), piece)
        found = difference(program)
        assert found is None, f"seed {seed}: {found}"
        alone = run_oracle(replace(program, piece=0))
        gathered += alone.segments != run_oracle(program).segments
    assert gathered > 0


def wakeful(rng: random.Random) -> Program:
    """Servers that are woken far more often than their lists can hold."""
    threads = []
    for _ in range(rng.randint(1, 3)):
        period = rng.randint(60, 300)
        script = [
            op
            for _ in range(rng.randint(1, 9))
            for op in ((RUN, rng.randint(1, 4), 0), (SLEEP, rng.randint(1, 9), 0))
        ]
        threads.append(Thread(rng.randint(10, 40), period, script))
    threads.sort(key=lambda t: t.period)
    threads.append(Thread(rng.randint(5, 40), 400, [FOREVER]))
    return Program(threads, 1200, capacity=rng.choice((2, 3, 8)))


@pytest.mark.cases(400)
def test_full_lists(seeds: Iterator[int]) -> None:
    """Servers that are woken far more often than their lists can hold."""
    merged = 0
    for seed in seeds:
        program = wakeful(random.Random(seed))
        found = difference(program)
        assert found is None, f"seed {seed}: {found}"
        merged += any(len(t.server.list) == program.capacity for t in run_oracle(program).threads)
    assert merged > 0


@pytest.mark.cases(200)
def test_margin(seeds: Iterator[int]) -> None:
    """With the margin the kernel adds, it runs as one whose budgets are larger by it."""
    for seed in seeds:
        rng = random.Random(seed)
        program = random_program(rng)
        threads = [
            replace(t, budget=t.budget + 2, period=t.period + 2) if t.budget else t
            for t in program.threads
        ]
        found = difference(replace(program, threads=threads, margin=2, capacity=8))
        assert found is None, f"seed {seed}: {found}"


@pytest.mark.cases(400)
def test_the_clock_makes_no_difference(seeds: Iterator[int]) -> None:
    """The same program from clock 0 and from any other reading, across the wrap or not."""
    for seed in seeds:
        rng = random.Random(seed)
        program = random_program(rng)
        plain = tidy(run_program(replace(program, clock=0)).segments, program.until)
        for clock in (1 << 31, (1 << 32) - 1, (1 << 32) - program.until // 2):
            moved = tidy(run_program(replace(program, clock=clock)).segments, program.until)
            assert moved == plain, f"seed {seed}, clock {clock}"


@pytest.mark.cases(40)
def test_long_periods(seeds: Iterator[int]) -> None:
    """Periods up to the longest, sleeps of minutes, for hours: the clock wraps several times."""
    for seed in seeds:
        rng = random.Random(seed)
        unit = rng.choice((1 << 12, 1 << 20, 1 << 23))
        threads = [
            Thread(c * unit, min(t * unit, 1 << 28), [])
            for c, t in random_sets(rng, 4, 1.1)
            if c * unit < 1 << 28
        ]
        threads.append(Thread(unit, 1 << 28, [(RUN, 1 << 31, 0)]))
        for t in threads[:-1]:
            t.script = [
                (RUN, rng.randint(1, 2 * t.budget), 0),
                (SLEEP, rng.randint(1, min(1 << 29, 5 * t.period)), 0),
            ]
        until = min(1 << 34, unit * rng.randint(100, 3000))
        program = Program(threads, until, clock=rng.getrandbits(32))
        found = difference(program)
        assert found is None, f"seed {seed}: {found}"


@st.composite
def small_programs(draw: st.DrawFn) -> Program:
    """Few threads and short scripts: what hypothesis can shrink to something readable."""
    duration = st.integers(1, 12)
    op = st.one_of(
        st.tuples(st.just(RUN), duration, st.just(0)),
        st.tuples(st.just(SLEEP), duration, st.just(0)),
        st.tuples(st.sampled_from((WAIT, SIGNAL)), st.integers(0, 1), st.just(0)),
        st.tuples(st.just(WAIT_FOR), st.integers(0, 1), duration),
    )
    threads = []
    for place in range(draw(st.integers(1, 3))):
        script = [*draw(st.lists(op, max_size=4)), (RUN, draw(duration), 0)]
        if draw(st.booleans()):
            script += [(LOCK, place, 0), (RUN, draw(duration), 0), (UNLOCK, place, 0)]
        budget = draw(st.integers(0, 8))
        threads.append(Thread(budget, budget + draw(duration), script, draw(st.integers(0, 1))))
    threads.sort(key=lambda t: (t.budget == 0, t.period))
    interrupts = st.builds(Interrupt, st.integers(0, 80), st.integers(0, 4), st.integers(0, 2))
    return Program(
        threads,
        100,
        draw(st.lists(interrupts, max_size=3)),
        [0, 0, 0],
        draw(st.sampled_from((0, (1 << 32) - 50))),
        draw(st.sampled_from((2, 8))),
    )


@settings(max_examples=500, deadline=None)
@given(small_programs())
def test_small_programs(program: Program) -> None:
    """As above, from hypothesis: a failure comes as a minimal program."""
    assert difference(program) is None
