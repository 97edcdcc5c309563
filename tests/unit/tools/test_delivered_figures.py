"""What machines saw, beside what kernels say: figures and verdicts worked out by hand."""

from __future__ import annotations

import struct
from dataclasses import replace

import numpy as np
import pytest
from simsched import SimThread
from takt.machine.records import PIECE
from takt.result.delivered import ASLEEP, LEFT, Curve, Delivered, Tolerance
from takt.result.rebudgets import constant
from takt.result.stats import analyse
from takt.result.trace import Kind, decode
from takt.result.witness import spent_on_waking, too_short

C, T, END = 20_000, 100_000, 500_000


def seen(*pieces: tuple[int, int] | tuple[int, int, int] | tuple[int, int, int, int]) -> Delivered:
    """Of (start, end[, thread[, end of the piece]]) in us; a cycle is half of one, the clock begins
    100 us after the machine."""
    rows = np.zeros(len(pieces), PIECE)
    for row, (start, end, *more) in zip(rows, pieces, strict=True):
        thread, why = [*more, *(0, 0)[len(more) :]]
        row["cycle"], row["cycles"] = 2 * (start + 100), 2 * (end - start)
        row["thread"], row["end"] = thread, why
    return Delivered(rows, 0.5, 100)


def traced(*events: tuple[int, Kind, int]) -> bytes:
    rows = [(0, Kind.SETUP, 0), *events]
    return b"".join(struct.pack("<IIBBH", t, v, kind, 0, 0) for t, kind, v in rows)


def figures(machine: Delivered, *events: tuple[int, Kind, int], bound: int | None = 50_000):
    trace = decode(traced(*events), end=END)
    return analyse(trace, [SimThread("a", 0, C, T)], {"a": bound}, machine=machine)


def greedy(each: int) -> list[tuple[int, Kind, int]]:
    """What the kernel says of a loop that it gives its C in each period, and then nothing."""
    return [
        event
        for k in range(END // T)
        for event in (
            (k * T, Kind.REPLENISH, C),
            (k * T, Kind.RUN, 0),
            (k * T + C, Kind.CHUNK, C),
            (k * T + C, Kind.EXHAUST, 0),
            (k * T + C, Kind.RUN, each),
        )
    ]


def test_a_curve_within_stretches() -> None:
    curve = Curve(np.array([0.0, 10, 30, 40]), np.array([0.0, 10, 10, 20]))
    part = curve.within(np.array([[5, 8], [20, 35], [38, 90]]))
    assert part.at([0, 5, 8, 20, 30, 35, 38, 40, 90]).tolist() == [0, 0, 3, 3, 3, 8, 8, 10, 10]
    assert curve.within(np.zeros((0, 2))).at([7]).tolist() == [0]


def test_the_kernel_says_c_and_the_machine_does_not() -> None:
    """The kernel charges C in each period, all the same."""
    whole, less = (0, 20_000), (100_000, 119_700)
    machine = seen(whole, less, (200_000, 220_000), (300_000, 320_000), (400_000, 420_000))
    stats = figures(machine, *greedy(1))
    (a,) = stats.threads
    assert (a.kernel_cpu_us, a.cpu_us, a.cpu_us_min) == (5 * C, 5 * C - 300, 19_700)
    assert (a.short, a.misses, a.periods) == (1, 1, 5)
    assert figures(machine, *greedy(1), bound=None).threads[0].misses == 0, "nothing is promised"


@pytest.mark.parametrize(("delivered", "short"), [(19_796, 0), (19_794, 1)])
def test_tolerance(delivered: int, short: int) -> None:
    machine = seen(*((k * T, k * T + (C if k != 3 else delivered)) for k in range(5)))
    assert figures(machine, *greedy(1)).threads[0].short == short


def test_spare_time_counts_as_delivered() -> None:
    """What a loop lacks on its budget it may have had beside it: an edge on a pin shows no band."""
    machine = seen(*((k * T, k * T + 15_000) for k in range(5)), (490_000, 500_000))
    stats = figures(machine, *greedy(1))
    assert stats.threads[0].short == 4 and stats.threads[0].background_us == 10_000


def test_who_blocks_is_not_judged() -> None:
    """In the second period and the third: it sleeps over their border."""
    events = [(150_000, Kind.BLOCK, 0), (250_000, Kind.READY, 0)]
    machine = seen((0, 20_000), (300_000, 320_000), (400_000, 420_000))
    assert figures(machine, *events).threads[0].short == 0
    assert figures(machine).threads[0].short == 2


def test_a_loop_pays_for_the_pieces_that_it_has_made() -> None:
    """It has slept once, and gets two pieces since; one that has not is to get all in one."""
    pieces = [
        event
        for k in range(1, END // T)
        for event in ((k * T + 10_000, Kind.CHUNK, 10_000), (k * T + C, Kind.CHUNK, C))
    ]
    machine = seen(*((k * T, k * T + C - 900) for k in range(END // T)))
    paid = Tolerance(start_us=700)

    def short(*events: tuple[int, Kind, int]) -> int:
        trace = decode(traced(*events), end=END)
        threads = [SimThread("a", 0, C, T)]
        return (
            analyse(trace, threads, {"a": 50_000}, machine=machine, tolerance=paid).threads[0].short
        )

    slept = ((0, Kind.RUN, 0), (100, Kind.BLOCK, 0), (200, Kind.READY, 0), (210, Kind.RUN, 0))
    assert short(*slept, *pieces) == 0
    assert short((0, Kind.RUN, 0), *pieces) == 5


def test_a_response_ends_when_c_was_delivered() -> None:
    """The kernel's budget holds more, and tells that it has ended after a handler of 500 us."""
    events = [(0, Kind.REPLENISH, C), (0, Kind.RUN, 0), (24_500, Kind.CHUNK, 24_500),
              (24_500, Kind.EXHAUST, 0), (24_500, Kind.RUN, 1)]  # fmt: skip
    whole = figures(seen((0, 9_000), (10_000, 23_000), (24_500, 30_000)), *events)
    assert whole.threads[0].response_max_us == 21_000
    less = figures(seen((0, 9_000), (15_000, 23_000), (24_600, 26_000)), *events)
    assert less.threads[0].response_max_us == 24_500, "what it had in spare time is no part of it"


def test_handlers_and_the_kernel_are_what_is_left() -> None:
    machine = seen((0, 100_000, 0, LEFT), (120_000, 500_000, ASLEEP))
    stats = figures(machine)
    assert stats.others_us == 20_000 and stats.overhead_pct == 4.0


def test_a_difference_between_kernel_and_machine() -> None:
    tolerance = Tolerance(0.99, 5)
    assert not tolerance.differs(100_000, 98_950, 9)
    assert tolerance.differs(100_000, 98_940, 9)
    assert not tolerance.differs(90_000, 100_000, 9), "what it asked the kernel for is its own"
    paid = Tolerance(0.99, 5, start_us=85)
    assert not paid.differs(100_000, 98_100, 9)
    assert paid.differs(100_000, 98_090, 9), "more than ten starts cost"
    beside = Tolerance(0.99, 5, interrupt_us=14)
    assert not beside.differs(100_000, 98_810, 9, 10)
    assert beside.differs(100_000, 98_800, 9, 10)


def due(*events: tuple[int, Kind, int]):
    trace = decode(traced(*events), end=END)
    return analyse(trace, [SimThread("a", 0, C, T)], {"a": 50_000}).threads[0]


ASLEEP_TILL_100 = [(10, Kind.DUE, 100_000), (10, Kind.CHUNK, 10), (11, Kind.BLOCK, 0)]


def test_a_sleeper_noticed_late_has_waited_since_it_was_due() -> None:
    woken = [(140_000, Kind.READY, 0), (140_001, Kind.RUN, 0), (140_020, Kind.CHUNK, 20),
             (140_020, Kind.BLOCK, 1)]  # fmt: skip
    assert due(*ASLEEP_TILL_100, *woken).response_max_us == 40_020
    assert due(*woken).response_max_us == 20
    later = [(160_000, Kind.READY, 0), (160_010, Kind.CHUNK, 10), (160_010, Kind.BLOCK, 1)]
    assert due(*ASLEEP_TILL_100, *later).misses == 1


def test_a_budget_dated_anew_has_waited_since_it_was_there() -> None:
    starved = [(100_001, Kind.READY, 0), (220_000, Kind.STARVED, 1), (220_001, Kind.RUN, 0),
               (220_017, Kind.CHUNK, 16), (220_017, Kind.BLOCK, 1)]  # fmt: skip
    a = due(*ASLEEP_TILL_100, *starved)
    assert (a.response_max_us, a.starved, a.misses) == (120_017, 1, 1)


def test_who_should_be_awake_and_is_not() -> None:
    """Interrupts are off, and nobody has noticed by the end."""
    assert due(*ASLEEP_TILL_100).response_max_us == END - 100_000
    assert due(*ASLEEP_TILL_100).misses == 1
    assert due((10, Kind.DUE, END - 20_000), (11, Kind.BLOCK, 0)).misses == 0


def test_the_date_to_wake_at_wraps_with_the_clock() -> None:
    late = (1 << 32) - 50_000
    events = [(late, Kind.DUE, 20_000), (late, Kind.BLOCK, 0)]
    data = traced(*((t & 0xFFFFFFFF, kind, v) for t, kind, v in events), (30_000, Kind.READY, 0),
                  (30_050, Kind.CHUNK, 50), (30_050, Kind.BLOCK, 1))  # fmt: skip
    data = data[12:]  # no SETUP: it would be 71 minutes earlier
    trace = decode(data)
    found = analyse(trace, [SimThread("a", 0, C, T)], {"a": 50_000}).threads[0]
    assert found.response_max_us == 10_050


def test_a_budget_that_came_back_and_was_dated_anew_has_waited_since_it_came_back() -> None:
    gone = [(20_000, Kind.CHUNK, C), (20_000, Kind.EXHAUST, 0)]
    starved = [(100_000, Kind.REPLENISH, C), (230_000, Kind.STARVED, 1), (250_000, Kind.CHUNK, C)]
    a = due(*gone, *starved, (250_000, Kind.EXHAUST, 0))
    assert (a.response_max_us, a.starved, a.misses) == (150_000, 1, 1)


def test_what_a_loop_paid_for_its_handlers_is_no_shortage_and_is_paid_once() -> None:
    paid = [(100_000 + 5_000, Kind.CHARGE, 4_000), (115_000, Kind.CHARGE, 2_000)]
    events = sorted([*greedy(1), *paid], key=lambda event: event[0])

    def short(*lengths: int) -> int:
        machine = seen(*((k * T, k * T + length) for k, length in enumerate(lengths)))
        return figures(machine, *events).threads[0].short

    assert short(C, C - 6_000, C, C, C) == 0
    assert short(C, C - 4_000, C - 2_000, C, C) == 0, "the rest a period later"
    assert short(C, C - 6_000, C - 2_000, C, C) == 1, "but not twice"
    assert short(C - 6_000, C, C, C, C) == 1, "nor before"


def test_a_run_in_which_no_period_ends_says_so() -> None:
    """100 s instead of 100 ms: half a second shows nothing of it."""
    long, short = SimThread("b", 1, 20_000_000, 100_000_000), SimThread("a", 0, C, T)
    bounds = {"a": 50_000, "b": 90_000_000}
    stats = analyse(decode(traced(), end=END), [short, long], bounds, machine=seen((0, 20_000)))
    (told,) = too_short(stats.threads)
    assert told.startswith("no period of b ended") and "--seconds 200" in told


def test_a_section_of_its_own_may_take_from_the_next_period() -> None:
    machine = seen(*((k * T, k * T + 17_000 + 3_000 * (k % 2)) for k in range(5)))
    trace, promised = decode(traced(), end=END), constant({"a": 50_000})
    for section_us, short in ((2_000, 3), (3_000, 0)):
        given = replace(promised, sections={"a": section_us})
        found = analyse(trace, [SimThread("a", 0, C, T)], given, machine=machine)
        assert found.threads[0].short == short


@pytest.mark.parametrize(("ran_us", "told"), [(9_000, 1), (19_000, 0)])
def test_a_loop_that_spends_its_budget_on_waking_is_told(ran_us: int, told: int) -> None:
    events = [
        (at + k * T, kind, 0)
        for k in range(END // T)
        for at, kind in (
            (100, Kind.BLOCK), (200, Kind.READY), (210, Kind.RUN), (900, Kind.BLOCK),
            (1_000, Kind.READY), (1_010, Kind.RUN), (C + 1_000, Kind.EXHAUST),
            (C + 2_000, Kind.BLOCK), (C + 9_000, Kind.READY),
        )
    ]  # fmt: skip
    stats = figures(seen(*((k * T, k * T + ran_us) for k in range(END // T))), *events)
    assert stats.threads[0].exhausted > 0
    assert len(spent_on_waking(stats)) == told
