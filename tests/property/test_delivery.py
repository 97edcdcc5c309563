"""How late an event may reach its handler: the bounds against their derivation, and runs of the
kernel against the bounds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import oracle_delivery as oracle
import pytest
from compare import run_program
from io_delivery import Paths, admitted
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
from oracle_response import Io, Task
from programs import FOREVER, Program, random_sets
from takt.admit.admit_library import Costs, Delivery, EventPath, IoVcpu, Loop, NativeSet
from takt.admit.admit_library import Interrupt as Source

NS = oracle.NS


def random_case(rng: random.Random) -> tuple[list[Loop], list[Source], list[IoVcpu], Costs]:
    """Loops, interrupts, I/O VCPUs and costs; times from some us to some ms."""
    unit = rng.choice((1, 10, 50))
    costs = rng.choice((Costs(), Costs(rng.randint(0, 900), rng.randint(0, 900), 5)))
    loops = [
        Loop("", c * unit, t * unit, *(rng.choice((0, 0, rng.randint(0, 9))) for _ in range(3)))
        for c, t in random_sets(rng, 6, rng.choice((0.3, 0.6, 0.9)))
    ]
    sources = [
        Source("", rng.randint(0, 9000), rng.choice((rng.randint(50, 3000), 1 << 30)))
        for _ in range(rng.choice((0, 0, 1, 2)))
    ]
    ios = []
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        d = rng.choice((3, 10, 100, 65535, rng.randint(2, 1000)))
        n = rng.randint(0, max(1, d // rng.choice((2, 4, 10))))
        ios.append(IoVcpu("", n, d, 0, rng.choice((0, 0, rng.randint(1, 40)))))
    return loops, sources, ios, costs


def random_path(rng: random.Random, loops: list[Loop], ios: list[IoVcpu]) -> EventPath:
    """Works about multiples of a budget or anything, with waits about its return."""
    place, io = rng.randrange(len(loops)), rng.randrange(len(ios))
    period = loops[place].period_us
    served = [period, *(t.period_us for t in rng.sample(loops, rng.randint(0, len(loops))))]
    if rng.random() < 0.5:
        served = [t for t in served if t >= period]  # only then budgets are never cut
    c = period * ios[io].numerator // ios[io].denominator
    works, waits = [], []
    for _ in range(rng.choice((1, 1, 2, 4))):
        near = max(1, rng.randint(1, 4) * c + rng.choice((-1, 0, 1)))
        works.append(rng.choice((near, near, rng.randint(1, 6 * period))))
        waits.append(rng.choice((0, rng.randint(0, 9), rng.randint(0, 2 * period))))
    top = rng.choice((0, rng.randint(0, 9)))
    return EventPath(place, io, min(served), max(served), top, tuple(works), tuple(waits[:-1]))


def setting_of(
    loops: list[Loop], sources: list[Source], ios: list[IoVcpu], costs: Costs
) -> oracle.Setting:
    tasks = [
        Task(
            (t.budget_us + costs.margin_us) * NS + t.fragments * 2 * costs.switch_ns,
            t.period_us * NS,
            t.jitter_us * NS,
            t.blocking_us * NS,
            t.fragments * 2 * costs.alarm_ns,
            2 * (costs.switch_ns + costs.alarm_ns),
        )
        for t in loops
    ]
    servers = [Io(Fraction(v.numerator, v.denominator), 0, v.overhead_us * NS) for v in ios]
    return oracle.Setting(
        tasks, [Task(s.cost_ns, s.separation_us * NS, s.jitter_us * NS) for s in sources], servers
    )


def paper_of(case: tuple, path: EventPath, corrected: bool) -> int | None:
    """Equation 3."""
    loop, io = case[0][path.place], case[2][path.io]
    u = Fraction(io.numerator, io.denominator)
    works, waits = list(path.work_us), list(path.wait_us)
    return oracle.paper(loop.budget_us, loop.period_us, u, works, waits, corrected)


@pytest.mark.cases(2400)
def test_bounds_equal_their_derivation(seeds: Iterator[int]) -> None:
    """The safe bound and the paper's, corrected or not, of admitted sets."""
    for seed in seeds:
        rng = random.Random(seed)
        case = random_case(rng)
        while NativeSet(*case).exact()[0] != 0:
            case = random_case(rng)
        path = random_path(rng, case[0], case[2])
        found = NativeSet(*case).delivery(path)
        assert found.paper_us == paper_of(case, path, False), seed
        assert found.corrected_us == paper_of(case, path, True), seed
        setting, way = setting_of(*case), oracle.Path(*vars(path).values())
        least = oracle.safe(setting, way)
        if least is None or len(case[2]) == 1:
            assert found.safe_us == least, seed
            continue
        # With several I/O VCPUs each term is rounded up to a nanosecond by itself.
        task = setting.tasks[path.place]
        setting.tasks[path.place] = replace(task, blocking=task.blocking + len(case[2]))
        assert least <= found.safe_us <= oracle.safe(setting, way), seed


def overdue(program: Program, line: Line, bound: int, times: list[int]) -> bool:
    """Has an event been taken, or not been taken by the end, beyond the bound? The next one comes a
    gap after the line is unmasked, which is before the delivery; other top halves may be first."""
    tops = sum(other.cost for other in program.lines)
    due = line.first + tops + bound
    for time in times:
        if time > due:
            return True
        due = time + max(line.gaps) + tops + bound
    return due < program.until


@pytest.mark.cases(3000)
def test_no_delivery_beyond_the_safe_bound(seeds: Iterator[int]) -> None:
    """Storms and single edges, works about multiples of a budget, several lines and bottom halves,
    more urgent loops at full budget, handlers that are busy or have just used their budget."""
    closest, corrected_exceeded = Fraction(), 0
    for seed in seeds:
        program, bounds = admitted(random.Random(seed))
        run = run_program(program)
        assert run.stop == "time", run.fatal
        for line, bound in zip(program.lines, bounds, strict=True):
            if bound.safe_us is None:
                continue
            found = [d for d in run.deliveries if d.place == line.place]
            worst = max((d.latency for d in found), default=0)
            assert worst <= bound.safe_us, (seed, line, bound)
            assert not overdue(program, line, bound.safe_us, [d.time for d in found]), (seed, line)
            closest = max(closest, Fraction(worst, bound.safe_us))
            corrected_exceeded += worst > bound.corrected_us
    print(f"closest {float(closest):.3f}, corrected form exceeded {corrected_exceeded} times")
    assert closest >= Fraction(1, 2)
    assert corrected_exceeded > 0


def second_event(
    runs: list[int], at: int, urgent: tuple[int, int] | None = None, margin: int = 0
) -> tuple[int, Delivery]:
    """Latency of an event at 1201, and its bounds. U = 1/10, T = 100, so C_io = 10; delta = 20.

    At 1000 come an event of another line, of 1, and a first one: the bottom half runs 1000..1010,
    1100..1110, 1200..1201. At once comes the second one, in the midst of a budget: 1201..1210,
    1300..1310, 1400..1401. From `at` on the handler's thread has something else to do, in `runs` of
    at most its C_h, the longest of them. `urgent` is (C, since when it wants to run).
    """
    c, handler = max(runs), 1 if urgent is None else 2
    bottom = [(EVENTS_OF, 0, 0), (SERVE, 1, 1), (SERVE, 0, 20)]
    script = [(WAIT, SEMS, 0), (TAKE, 0, 0)]
    for run in runs:
        script += [(WAIT, 0, 0), (RUN, run, 0)]
    threads = [Thread(0, 0, bottom, share=(1, 10))]
    loops = [Loop("", c, 100)]
    if urgent:
        threads.append(Thread(urgent[0] + margin, 100, [(SLEEP, urgent[1], 0), FOREVER]))
        loops.insert(0, Loop("", urgent[0], 100))
    threads.append(Thread(c + margin, 100, script, NO_BACKGROUND))
    lines = [Line(0, handler, 0, 1000, [0]), Line(0, handler, 0, 1000, [1 << 20])]
    others = [Interrupt(at, 0, 0) for _ in runs]
    program = Program(threads, 1800, others, lines=lines, margin=margin)
    native = NativeSet(loops, ios=[IoVcpu("", 1, 10)], costs=Costs(margin_us=margin))
    assert native.exact()[0] == 0
    path = EventPath(handler - 1, 0, 100, 100, 0, (20,))
    return run_program(program).deliveries[1].latency, native.delivery(path)


def test_equation_3_is_exceeded() -> None:
    """C_h = 10, used in 1390..1400, is back at 1490, so the event is taken after 289. The paper:
    (100 - 10) + (100 - 10) + ceil(20 / 10 - 1) 100 + 20 mod 10 = 280, short by C_io; corrected 290.
    """
    assert second_event([10], 1390) == (289, Delivery(322, 280, 290))


def test_the_corrected_form_is_exceeded_with_a_more_urgent_loop() -> None:
    """As above, but at 1490 a loop of 20/100 starts: the handler's budget is there, and waits until
    1510. Until 1520 the bottom half comes first, with the third event."""
    assert second_event([10], 1390, (20, 1490)) == (319, Delivery(364, 280, 290))


def test_the_corrected_form_is_exceeded_by_a_run_under_way() -> None:
    """A run of 9 and the first 1 of a run of 10 use up C_h = 10 by 1400; from 1490 on what is left
    of the latter comes before the event, which is taken at 1499."""
    assert second_event([9, 10], 1390) == (298, Delivery(322, 280, 290))


def test_a_run_as_long_as_the_budget_needs_the_margin() -> None:
    """C_h = 2 and two runs of 2, the first until 1399. A budget that is as long as the second one
    has ended at 1499 when the thread asks for the event, which it takes out of the next one, beyond
    the bound. A margin of 1, which comes on top of C, is enough for asking."""
    late, bounds = second_event([2, 2], 1397)
    assert (late, bounds.safe_us) == (396, 313)
    late, bounds = second_event([2, 2], 1397, margin=1)
    assert (late, bounds.safe_us) == (297, 314)


def two_lines(
    bottom: list[tuple[int, int, int]], tops: int, gaps: tuple[list[int], list[int]], busy: int
) -> tuple[int, NativeSet]:
    """Largest latency of line 0, whose handler gets two runs of 1, all of its budget, from `busy`
    on. U = 1/10, handlers of 2/100, top halves of line 1 of `tops`."""
    threads = [Thread(0, 0, [(EVENTS_OF, 0, 0), *bottom], share=(1, 10))]
    for i in (0, 1):
        script = [(WAIT, SEMS + i, 0), (TAKE, i, 0), (RUN, 1, 0)]
        threads.append(Thread(2, 100, script, NO_BACKGROUND))
    lines = [Line(0, 1, 0, 300, gaps[0]), Line(0, 2, tops, 300, gaps[1])]
    others = [Interrupt(busy + i, 0, SEMS) for i in (0, 1)]
    program = Program(threads, 3000, others, lines=lines)
    native = Paths(program).native()
    assert native.exact()[0] == 0
    return max(d.latency for d in run_program(program).deliveries if d.place == 1), native


def test_another_line_may_interrupt_twice() -> None:
    """Before and after it is served: with works of 3 and 2, top halves of 5 make 15 of 10, and one
    budget more."""
    bottom = [(SERVE, 1, 2), (SERVE, 0, 3)]
    latency, native = two_lines(bottom, 5, ([138, 110], [0, 119]), 868)
    bounds = [native.delivery(EventPath(0, 0, 100, 100, 0, (work,))).safe_us for work in (10, 15)]
    assert (bounds[0], latency, bounds[1]) == (283, 375, 428)


def test_top_halves_may_come_in_any_piece() -> None:
    """Works of 2 and 9 about a wait of 153, C_io = 10: it is the second that two top halves of 4
    make too long for one budget."""
    bottom = [(SERVE, 1, 2), (SLEEP, 153, 0), (SERVE, 0, 9)]
    latency, native = two_lines(bottom, 4, ([0], [20, 162]), 881)
    first = native.delivery(EventPath(0, 0, 100, 100, 0, (10, 9), (153,))).safe_us
    any_piece = native.delivery(EventPath(0, 0, 100, 100, 0, (10, 17), (153,))).safe_us
    assert (first, latency, any_piece) == (439, 513, 577)
