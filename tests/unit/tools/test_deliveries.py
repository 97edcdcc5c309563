"""Figures of events, from traces written by hand."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

import numpy as np
import pytest
from takt.admit.admit_library import Delivery as Bound
from takt.admit.shares import Share
from takt.result import deliveries
from takt.result.deliveries import analyse, histogram
from takt.result.trace import NOBODY, Kind, decode

BOTTOM, TICK, TOCK = 0, 1, 2
OFF = 0 << 16 | 1


@dataclass
class Info:
    """As the build describes a handler."""

    handler: str = "tick"
    place: int = TICK
    budget_us: int = 3000
    period_us: int = 10_000
    share: Share = field(default_factory=lambda: Share(5000, 100_000))
    bound: Bound = field(default_factory=lambda: Bound(1000, 700, 800))


def row(time: int, kind: Kind, place: int = BOTTOM, value: int = 0) -> bytes:
    return struct.pack("<IIBBH", time, value, kind, place, 0)


def event(time: int, pin: int = 2) -> bytes:
    return row(time, Kind.EVENT, BOTTOM, pin)


def deliver(time: int, took: int, pin: int = 2, place: int = TICK) -> bytes:
    return row(time, Kind.DELIVER, place, pin << 24 | took)


def merged(time: int, count: int = 1, pin: int = 2, place: int = TICK) -> bytes:
    return row(time, Kind.MERGED, place, pin << 24 | count)


def forget(time: int, pin: int = 2) -> bytes:
    return row(time, Kind.FORGET, NOBODY, pin << 24)


def share(time: int, value: int) -> bytes:
    return row(time, Kind.SHARE, BOTTOM, value)


def figures(*rows: bytes, end: int = 100_000, infos: tuple[Info, ...] = (Info(),)):
    data = row(0, Kind.START, NOBODY, 3) + row(1, Kind.SETUP) + b"".join(rows)
    return analyse(decode(data, end=end), infos)


def one(*rows: bytes, **more: int):
    return figures(*rows, **more)[0]


def test_figures_of_deliveries():
    rows = [b for i in range(200) for b in (event(100 + 400 * i), deliver(130 + 401 * i, 30 + i))]
    tick = one(*rows)
    assert (tick.handler, tick.pins) == ("tick", [2])
    assert (tick.events, tick.delivered, tick.merged, tick.late) == (200, 200, 0, 0)
    assert (tick.min_us, tick.max_us, tick.mean_us, tick.p99_us) == (30, 229, 129.5, 227)
    assert (tick.bound_safe_us, tick.bound_paper_us, tick.bound_paper_corrected_us) == (
        1000, 700, 800)  # fmt: skip
    assert sum(tick.histogram["counts"]) == 200


def test_nothing_happened():
    tick = one()
    assert (tick.events, tick.max_us, tick.histogram) == (0, None, {})
    assert tick.as_dict()["handler"] == "tick"


def test_later_than_the_safe_bound_is_late():
    tick = one(event(100), deliver(1100, 1000), event(2000), deliver(3001, 1001))
    assert (tick.late, tick.max_us) == (1, 1001)


def test_without_a_bound_nothing_is_late():
    infos = (Info(bound=Bound(None, None, None)),)
    tick = figures(event(100), deliver(90_000, 89_900), event(91_000), infos=infos)[0]
    assert (tick.late, tick.max_us, tick.events) == (0, 89_900, 2)


def test_before_setup_is_over_does_not_count():
    data = event(5) + deliver(60, 55) + row(80, Kind.SETUP) + deliver(90, 40)
    assert analyse(decode(data, end=100), (Info(),))[0].events == 0


def test_each_handler_has_its_pins():
    infos = (Info(), Info("tock", TOCK))
    tick, tock = figures(event(10, 2), event(11, 3), deliver(20, 10), event(30, 4),
                         deliver(40, 29, 3, TOCK), deliver(50, 20, 4), infos=infos)  # fmt: skip
    assert (tick.pins, tick.delivered) == ([2, 4], 2)
    assert (tock.pins, tock.delivered, tock.max_us) == ([3], 1, 29)


WAITS = {
    "not yet": ([event(99_500)], 1, 0, None),
    "for too long": ([event(90_000)], 1, 1, 10_000),
    "the next one": ([event(100), event(200), deliver(900, 800)], 2, 1, 99_800),
    "the next one, merged": ([event(100), event(200), merged(300), deliver(900, 800)], 2, 0, 800),
    "more edges": ([event(100), merged(150, 3), deliver(900, 800)], 4, 0, 800),
    "passed with more edges": ([event(100), merged(150)], 2, 1, 99_900),
    "dropped": ([event(100), forget(300)], 0, 0, None),
    "passed and dropped": ([event(100), event(200), forget(300)], 0, 0, None),
    "told by the bottom half": ([event(100, 0xFF), deliver(300, 200)], 1, 0, 200),
    "seen by nobody yet": ([event(100, 0xFF)], 0, 0, None),
}  # fmt: skip


@pytest.mark.parametrize("name", WAITS)
def test_what_waits_at_the_end(name: str):
    rows, events, late, longest = WAITS[name]
    tick = one(*rows)
    assert (tick.events, tick.late, tick.max_us) == (events, late, longest)


def test_a_pin_that_never_got_through_is_the_slowest_handlers():
    infos = (Info(), Info("tock", TOCK, bound=Bound(5000, 1, 1)))
    assert [f.late for f in figures(event(100, 9), infos=infos)] == [0, 1]


def test_while_interrupts_are_off_nothing_is_late():
    off = [event(100), share(200, OFF), share(9000, 5 << 16 | 100), deliver(9100, 9000)]
    assert one(*off).late == 0
    assert one(*off, event(20_000), deliver(22_000, 2000)).late == 1
    assert one(event(100), share(200, OFF)).late == 0  # until the end
    assert one(event(100), share(200, 4 << 16 | 100)).late == 0  # less than the bound is for
    assert one(event(100), share(200, 5 << 16 | 100)).late == 1


def test_histogram_up_to_the_bound():
    bins = histogram([30, 31, 999], 1000)
    assert bins["edges_us"][0] == 0
    assert bins["edges_us"][-1] >= 1000
    assert 20 <= len(bins["counts"]) <= 50
    assert sum(bins["counts"]) == 3


def test_histogram_far_below_the_bound_has_growing_bins():
    bins = histogram([30] * 10 + [45], 40_000)
    edges = bins["edges_us"]
    assert edges[-1] >= 40_000 > edges[-2]
    assert len(edges) < 50
    assert sorted(count for count in bins["counts"] if count) == [1, 10]


def test_histogram_beyond_the_bound():
    bins = histogram([5000], 1000)
    assert bins["edges_us"][-1] > 5000
    assert bins["counts"][-1] + bins["counts"][-2] == 1


def test_the_time_counts_from_the_edge() -> None:
    """The machine saw that an interrupt waited 700 us, whose handler took the time 3 us after."""
    waits = deliveries.Waits(np.array([997.5]), np.array([700.0]), 10.0)
    assert [waits.before(noted) for noted in (996, 1000, 1007, 1008)] == [0, 702, 710, 0]
    assert deliveries.NONE_WAITED.before(1000) == 0
