"""What docs/guarantees.md promises beside bottom halves, on runs of the kernel itself; the oracle
has no part in it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction

import pytest
from compare import difference, run_program
from io_admitted import admitted, native, overhead
from kernel_library import EV_CHUNK, EV_CLIENTS, EV_ISR, Run
from oracle_program import ENABLE, EVENTS_OF, LOCK, RUN, SHARE, SLEEP, UNLOCK, Interrupt, Thread
from programs import FOREVER, Program
from takt.admit.admit_library import IoVcpu, Loop, NativeSet
from use import Stretch, foreground, stretches

GREEDY = [(EVENTS_OF, 0, 0), (RUN, 1 << 20, 0)]  # a bottom half that is never done


def bottoms_of(program: Program) -> int:
    return sum(t.share is not None for t in program.threads)


def short_of_budget(program: Program, run: Run) -> list[tuple[int, int, int]]:
    """(place, period, got) wherever a greedy loop got less or more than C."""
    found = []
    for place, t in enumerate(program.threads):
        if not t.budget or any(op[0] != RUN for op in t.script):
            continue
        use = foreground(run, program, place)
        for k in range(program.until // t.period):
            got = use.between(k * t.period, (k + 1) * t.period)
            if got != t.budget:
                found.append((place, k, got))
    return found


@pytest.mark.cases(3000)
def test_admitted_loops_get_their_budget(seeds: Iterator[int]) -> None:
    """C in every period of every greedy loop, every budget within its bound, no starvation, with
    interrupts as fast as they can come."""
    tight = 0
    for seed in seeds:
        program = admitted(random.Random(seed))
        run = run_program(program)
        bottoms, limits = bottoms_of(program), native(program)
        assert run.stop == "time", run.fatal
        assert not any(run.starved[bottoms:]), seed
        assert not short_of_budget(program, run), seed
        bounds = [limits.response(i) for i in range(len(program.threads) - bottoms)]
        for time, kind, place, value in run.events:
            if kind == EV_CHUNK and place >= bottoms:
                assert value <= bounds[place - bottoms], (seed, time, place)
                tight += value == bounds[place - bottoms]
    assert tight > 0


def ranks(run: Run, place: int) -> list[tuple[int, int]]:
    """(since, rank) of a bottom half, the rank of nobody being 31."""
    return [(0, 31)] + [
        (time, (value & -value).bit_length() - 1 if value else 31)
        for time, kind, who, value in run.events
        if kind == EV_CLIENTS and who == place
    ]


def levels(run: Run, program: Program) -> list[tuple[Stretch, int]]:
    """Foreground stretches, cut where ranks change, with the rank at which each ran."""
    found = []
    changes = [ranks(run, place) for place in range(bottoms_of(program))]
    at = [0] * len(changes)
    for start, end, place in stretches(run, program):
        if place >= len(changes):
            found.append(((start, end, place), place))
            continue
        steps = changes[place]
        while start < end:
            while at[place] + 1 < len(steps) and steps[at[place] + 1][0] <= start:
                at[place] += 1
            more = at[place] + 1 < len(steps)
            stop = min(end, steps[at[place] + 1][0]) if more else end
            found.append(((start, stop, place), steps[at[place]][1]))
            start = stop
    return found


def top_halves(run: Run) -> list[tuple[int, int]]:
    """When those of lines ran, as far as they took time."""
    return [
        (t - took, t) for t, kind, who, took in run.events if kind == EV_ISR and who == 2 and took
    ]


def check_demand(program: Program, run: Run, io: int, level: int) -> bool:
    """From the start of every busy period of a level on, a bottom half takes while it serves at
    that level or above at most W(t) = U t + (1 - U) U T. Together with top halves, x of which
    belong to a budget, W(t) = U t + (1 - U) (U T + x) and x once. Returns whether this was ever
    reached, but for what rounding takes."""
    u = Fraction(*program.threads[io].share)
    once = (1 - u) * u * program.threads[level].period
    x = overhead(program.lines, io) if bottoms_of(program) == 1 else None
    begun, last, used, tops, tight = 0, -1, 0, 0, False
    handlers = [((start, end, -1), -1) for start, end in top_halves(run)]
    for (start, end, place), rank in sorted(levels(run, program) + handlers):
        if rank > level or (place == -1 and start > last):
            continue  # a top half prolongs a busy period, but does not begin one
        if start > last:
            begun, used, tops = start, 0, 0
        last = end
        used += end - start if place == io else 0
        tops += end - start if place == -1 else 0
        most = u * (end - begun) + once
        assert used <= most, (io, level, begun, end, used, float(most))
        if x is not None:
            assert used + tops <= most + (1 - u) * x + x, (io, level, begun, end, used, tops)
        tight |= place == io and used > most - 2
    return tight


@pytest.mark.cases(2000)
def test_demand_of_an_io_vcpu(seeds: Iterator[int]) -> None:
    """W(t) in every busy period of every level, at every instant of it."""
    tight = 0
    for seed in seeds:
        program = admitted(random.Random(seed))
        run = run_program(program)
        for io in range(bottoms_of(program)):
            for level in range(bottoms_of(program), len(program.threads)):
                tight += check_demand(program, run, io, level)
    assert tight > 0


def alone(share: tuple[int, int], sets: list[tuple[int, int]], events: list[Interrupt]) -> Program:
    """Greedy loops beside a bottom half that is never done."""
    threads = [Thread(0, 0, GREEDY, share=share)] + [Thread(c, t, [FOREVER]) for c, t in sets]
    return Program(threads, 20 * sets[-1][1], events)


def most_beyond(program: Program, run: Run, period: int) -> Fraction:
    """Largest excess of the bottom half over U t + (1 - U) U T in any window whatever."""
    u = Fraction(*program.threads[0].share)
    use = foreground(run, program, 0)
    windows = ((a, b) for a in use.starts for b in use.ends if b > a)
    once = (1 - u) * u * period
    return max((use.between(a, b) - u * (b - a) - once for a, b in windows), default=Fraction())


@pytest.mark.cases(400)
def test_demand_of_the_most_urgent(seeds: Iterator[int]) -> None:
    """W(t) in every window whatever, for who is never preempted; however often it is switched off
    and on or its share is lessened and restored."""
    for seed in seeds:
        rng = random.Random(seed)
        d = rng.randint(2, 30)
        n, t = rng.randint(1, d - 1), rng.randint(4, 80)
        toggle = [(ENABLE, 0, 0), (SLEEP, rng.randint(1, t), 0), (ENABLE, 0, 1)]
        lessen = [(SHARE, 0, rng.randint(0, n) << 16 | d), (SLEEP, 3, 0), (SHARE, 0, n << 16 | d)]
        script = [*rng.choice([[], toggle, lessen]), (SLEEP, rng.randint(1, 2 * t), 0)]
        bottom = [(EVENTS_OF, 0, 0), (RUN, rng.randint(1, 2 * t), 0)]
        bottom += [(SLEEP, rng.randint(1, t), 0), (RUN, 3, 0)] * rng.randint(0, 1)
        threads = [Thread(0, 0, bottom, share=(n, d)), Thread(1, t, script)]
        times = sorted(rng.randrange(40 * t) for _ in range(60))
        raised = [Interrupt(at, 0, places=(1,)) for at in times]
        program = Program(threads, 40 * t, raised, clock=rng.getrandbits(32))
        run = run_program(program)
        assert most_beyond(program, run, t) <= 0, seed


def test_a_budget_is_trimmed_as_the_design_tells_it() -> None:
    """Loops 0.5/10, 4/12, 5/100, share .1, woken for T = 100, then for T = 10 (here tenths): the
    loop of T = 12 gets its 4 all the same."""
    sets = [(5, 100), (40, 120), (50, 1000)]
    assert NativeSet([Loop("", *s) for s in sets], ios=[IoVcpu("", 1, 10)]).exact()[0] == 0
    for at in range(0, 240, 3):
        events = [Interrupt(0, 0, places=(3,)), Interrupt(at, 0, places=(1,))]
        program = alone((1, 10), sets, events)
        run = run_program(program)
        assert foreground(run, program, 0).until(program.until) > 1900
        assert not short_of_budget(program, run), at
        assert not any(run.starved), at


def test_a_rising_rank_does_not_bring_two_budgets_at_once() -> None:
    """Woken for T = 50000 and kept from running for 85, then for T = 100: without dating the budget
    anew, two would follow each other, and the loop of 95/120, released just then, would be late."""
    sets = [(1, 100), (95, 120), (85, 20000), (1, 50000)]
    limits = NativeSet([Loop("", *s) for s in sets], ios=[IoVcpu("", 1, 10)])
    assert limits.exact()[0] == 0
    program = alone((1, 10), sets, [Interrupt(0, 0, places=(4,)), Interrupt(85, 0, places=(1,))])
    program.until = 20000
    for t in program.threads[1:3]:
        t.script = [(SLEEP, 85, 0), FOREVER]
    run = run_program(program)
    late = [v for _, kind, place, v in run.events if kind == EV_CHUNK and place == 2]
    assert max(late) <= limits.response(1) == 120
    assert not any(run.starved)


def test_a_large_share_rounds_in_favour_of_others() -> None:
    """U = 3/4, T = 24: at most 58 of any 72 (rounding down would let 63 pass; W = 58.5)."""
    program = alone((3, 4), [(1, 24)], [Interrupt(0, 0, places=(1,))])
    use = foreground(run_program(program), program, 0)
    assert 54 <= use.most_in(72, program.until) <= 58


def test_no_share_never_runs() -> None:
    """U = 0: no microsecond, whatever comes, and none either when floor(U T) is 0."""
    for share, sets in (((0, 1), [(40, 100)]), ((1, 101), [(40, 100)]), ((0, 7), [(90, 100)])):
        events = [Interrupt(at, 1, places=(1,)) for at in range(0, 900, 50)]
        program = alone(share, sets, events)
        run = run_program(program)
        assert foreground(run, program, 0).until(program.until) == 0
        assert foreground(run, program, 1).until(program.until) >= 20 * sets[0][0]


def test_a_mutex_is_given_back_without_any_budget() -> None:
    """A bottom half that holds a mutex comes to serve a T of which it has floor(T / 10) = 0."""
    bottom = Thread(
        0, 0, [(EVENTS_OF, 0, 0), (LOCK, 0, 0), (RUN, 20, 0), (UNLOCK, 0, 0)], share=(1, 10)
    )
    loops = [Thread(2, 4, [FOREVER]), Thread(10, 100, [FOREVER])]
    raised = [Interrupt(0, 0, places=(2,)), Interrupt(5, 0, places=(1,))]
    program = Program([bottom, *loops], 400, raised, [0])
    assert difference(program) is None
    assert foreground(run_program(program), program, 0).until(400) == 20


def test_a_share_from_nothing_and_back() -> None:
    """0 to 1/4 is usable after the longest period; back to 0 ends it; 1 is refused."""
    script = [(SLEEP, 1000, 0), (SHARE, 0, 1 << 16 | 4), (SLEEP, 2000, 0), (SHARE, 0, 4)]
    script += [(SHARE, 0, 1 << 16 | 1), (SLEEP, 1 << 20, 0)]
    threads = [
        Thread(0, 0, GREEDY, share=(0, 1)),
        Thread(10, 100, script),
        Thread(9, 400, [FOREVER]),
    ]
    program = Program(threads, 6000, [Interrupt(0, 0, places=(1,))])
    run = run_program(program)
    use = foreground(run, program, 0)
    assert (use.until(1400), use.between(3100, 6000)) == (0, 0)
    assert 380 <= use.between(1400, 3000) <= 420
    assert run.refused == 1
