"""The USB schedule against the bus itself, exhaustive search and Algorithm 1."""

from __future__ import annotations

import random
from collections.abc import Iterator

import oracle_usb as oracle
import pytest
from takt.can import usb_schedule
from takt.can.usb_schedule import SLOTS, UsbSchedule

EINVAL, EADMIT = -4, -7
LIMITS = {name: usb_schedule.timing(name).periodic for name in usb_schedule.TIMINGS}


def placed(schedule: UsbSchedule, live: dict[int, oracle.Stream], grain: int) -> list[int]:
    """The bus's load, twice around the table, from what is live and where it was put."""
    offsets = schedule.offsets()
    assert offsets.keys() == live.keys()
    assert all(offset < live[number][1] for number, offset in offsets.items())
    streams = list(live.values())
    return oracle.loads(streams, [offsets[number] for number in live], 2 * SLOTS, grain)


@pytest.mark.cases(200)
def test_streams_come_and_go(seeds: Iterator[int]) -> None:
    """No slot is ever beyond its limit, nothing live moves, what goes is given back; who is refused
    finds no offset with room."""
    refused = 0
    for seed in seeds:
        rng = random.Random(seed)
        bus, grain = rng.choice(usb_schedule.TIMINGS), rng.choice((1, 1, 2, 8, SLOTS))
        schedule, limit = UsbSchedule(bus, grain), LIMITS[bus]
        live: dict[int, oracle.Stream] = {}
        for _ in range(rng.randint(5, 40)):
            before = schedule.offsets()
            if live and rng.random() < 0.35:
                gone = rng.choice(list(live))
                assert schedule.remove(gone) == 0
                del live[gone], before[gone]
            else:
                wanted = (rng.randint(1, limit), 1 << rng.randint(0, 10))
                room = schedule.room(wanted[1])
                code, number = schedule.add(*wanted)
                assert code in (0, EADMIT), seed
                assert (code == 0) == (wanted[0] <= room), seed
                refused += code == EADMIT
                if code == 0:
                    live[number] = wanted
                    before[number] = schedule.offsets()[number]
            assert schedule.offsets() == before, seed
            load = placed(schedule, live, grain)
            assert load[SLOTS:] == schedule.used(), seed  # in the steady state
            assert max(load) <= limit and schedule.sound(), seed
        for number in live:
            assert schedule.remove(number) == 0
        assert not any(schedule.used())
    assert refused


@pytest.mark.cases(400)
def test_together_against_exhaustive_search_and_algorithm_1(seeds: Iterator[int]) -> None:
    """Accepts no impossible set; accepts all that Algorithm 1 accepts, also beside live streams."""
    outcomes = set()
    for seed in seeds:
        rng = random.Random(seed)
        limit = LIMITS["high"]
        streams = list(oracle.sets(rng, rng.randint(2, 6), 8, limit))
        if not streams:
            continue
        schedule = UsbSchedule()
        code, _ = schedule.add_all(streams)
        outcomes.add(code)
        exists = oracle.possible(streams, limit)
        assert code in (0, EADMIT) and (code or exists), seed
        by_the_paper = oracle.algorithm1(streams, limit, [0] * SLOTS)
        assert code == 0 or not by_the_paper, seed
        more = list(oracle.sets(rng, rng.randint(1, 20), SLOTS, limit // 2))
        if more and oracle.algorithm1(more, limit, schedule.used()):
            assert schedule.add_all(more)[0] == 0, seed
    assert outcomes == {0, EADMIT}


@pytest.mark.cases(120)
def test_bulk_is_served_within_its_bound(seeds: Iterator[int]) -> None:
    """Whatever the controller's order; and the bound is not far from what can happen."""
    nearest = 0.0
    accepted = 0
    for seed in seeds:
        rng = random.Random(seed)
        schedule, timing = UsbSchedule(), usb_schedule.timing("high")
        schedule.add_all(list(oracle.sets(rng, 6, 32, timing.periodic)) or [(1000, 1)])
        bulk = []
        for _ in range(rng.randint(1, 4)):
            packets, packet = rng.randint(1, 16), rng.randint(1000, 12000)
            one = oracle.Reservation(packets, packet, rng.randint(1, 64))
            code, _ = schedule.reserve(packets, packet, one.interval, rng.randint(1, 128))
            assert code in (0, EADMIT)
            bulk += [one] if code == 0 else []
        bound = schedule.bulk_slots()
        assert (bound > 0) == bool(bulk) and bound <= SLOTS
        for order in ("first", "last", "random"):
            fresh = [oracle.Reservation(b.packets, b.packet_ns, b.interval) for b in bulk]
            first = rng.randrange(timing.slot)
            for one in fresh:
                one.due = rng.choice((first, rng.randrange(8 * timing.slot)))
            args = (timing.slot, timing.control, timing.probe, schedule.used(), fresh, rng, order)
            oracle.Bus(*args).run(400)
            for one in fresh:
                assert one.longest <= bound, (seed, order)
                nearest = max(nearest, one.longest / bound)
        accepted += bool(bulk)
    assert accepted
    assert nearest >= 0.5  # some transfer takes half of what is promised


def test_a_stream_makes_no_reservation_late() -> None:
    schedule = UsbSchedule()
    assert schedule.reserve(8, 10_000, 8, 2) == (0, 1)
    code, number = schedule.add(90_000, 1)
    assert code == EADMIT and schedule.bulk_slots() == 1
    assert schedule.room(1) == 100_000  # it is bulk that has not the time
    assert schedule.release(1) == 0
    code, number = schedule.add(90_000, 1)
    assert code == 0
    assert schedule.reserve(8, 10_000, 8, 2)[0] == EADMIT
    assert schedule.remove(number) == 0
    assert schedule.reserve(8, 10_000, 8, 2)[0] == 0


@pytest.mark.parametrize("interval", [0, 3, 7, 12, 1000, 1023, 1025, 2048, 4096])
def test_other_intervals_are_refused(interval: int) -> None:
    """Algorithm 1 takes what does not divide its table, and what is longer than it."""
    schedule = UsbSchedule()
    assert schedule.add(1000, interval)[0] == EINVAL
    assert schedule.room(interval) == 0
    assert not any(schedule.used())


def test_arguments() -> None:
    schedule = UsbSchedule()
    assert schedule.add(0, 8)[0] == EINVAL
    assert schedule.add(100_001, 8)[0] == EINVAL  # 80 % of a micro-frame at most
    assert schedule.add_all([(1000, 8)] * 256)[0] == EINVAL
    assert schedule.add_all([])[0] == EINVAL
    assert schedule.add_all([(1000, 8), (1000, 3)])[0] == EINVAL
    assert schedule.reserve(0, 1000, 8, 8)[0] == EINVAL
    assert schedule.reserve(1, 125_001, 8, 8)[0] == EINVAL
    assert schedule.reserve(1, 1000, 1025, 8)[0] == EINVAL
    assert schedule.reserve(1, 1000, 8, 0)[0] == EINVAL
    assert UsbSchedule(grain=3).code == UsbSchedule(grain=2048).code == EINVAL
    assert not any(schedule.used())


@pytest.mark.parametrize(
    ("wanted", "interval"),
    [(0, 1), (1, 1), (3, 2), (8, 8), (255, 128), (1024, 1024), (32768, 1024)],
)
def test_intervals_of_endpoints(wanted: int, interval: int) -> None:
    assert usb_schedule.interval(wanted) == interval


def test_times_on_the_wire() -> None:
    """USB 2.0's own examples (5.5 to 5.8): most transfers in a frame or micro-frame, within their
    limits as the formulas of 5.11.3, with bits stuffed, allow."""
    low, full, high = 2, 1, 3
    assert 9 <= 125_000 // usb_schedule.wire_ns(high, False, True, 512, 512) <= 13  # table 5-10
    assert 15 <= 1_000_000 // usb_schedule.wire_ns(full, False, True, 64, 64) <= 19  # table 5-9
    assert usb_schedule.wire_ns(full, True, True, 1023, 1023) <= 900_000  # table 5-4: one
    assert 2 * usb_schedule.wire_ns(full, True, True, 1023, 1023) > 900_000
    assert usb_schedule.wire_ns(low, False, True, 8, 8) < 200_000
    one, none = (usb_schedule.wire_ns(high, False, False, 512, n) for n in (1, 0))
    assert none < one < 2 * none
    four = usb_schedule.wire_ns(high, False, True, 512, 2048)
    assert four == 4 * usb_schedule.wire_ns(high, False, True, 512, 512)
    assert usb_schedule.wire_ns(high, False, True, 0, 8) == 0xFFFFFFFF
    assert usb_schedule.wire_ns(4, False, True, 1024, 1024) < 3000
