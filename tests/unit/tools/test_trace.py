"""Decoding of trace bytes."""

from __future__ import annotations

import random
import struct

import numpy as np
import pytest
from simsched import Sim, SimThread
from takt.result.drained import NEAR_US, Drained
from takt.result.trace import KERNEL, NOBODY, Kind, decode, unwrap


def event(time: int, kind: Kind, place: int = 0, value: int = 0) -> bytes:
    return struct.pack("<IIBBH", time & 0xFFFFFFFF, value, kind, place, 0)


def test_fields_are_where_the_kernel_puts_them():
    trace = decode(bytes.fromhex("78563412 15cd5b07 07 03 0000".replace(" ", "")))
    assert (trace.time[0], trace.value[0], trace.kind[0], trace.place[0]) == (
        0x12345678,
        123456789,
        Kind.CHUNK,
        3,
    )


def test_clock_wrap():
    raw = np.array([0xFFFFFFF0, 0xFFFFFFFF, 3, 0x70000000, 0xD0000000, 5], dtype=np.uint32)
    assert unwrap(raw).tolist() == [
        0xFFFFFFF0,
        0xFFFFFFFF,
        (1 << 32) + 3,
        (1 << 32) + 0x70000000,
        (1 << 32) + 0xD0000000,
        (2 << 32) + 5,
    ]


def test_small_step_back_is_not_a_wrap():
    assert unwrap(np.array([100, 98, 105], dtype=np.uint32)).tolist() == [100, 98, 105]


def test_empty_and_cut_short():
    assert decode(b"").end == 0
    assert len(decode(event(1, Kind.RUN) + b"\0" * 5).time) == 1


def test_a_thread_without_budget_runs_on_when_setup_is_over():
    """With one it is started anew; until then the kernel works."""
    begun = event(0, Kind.START) + event(1, Kind.RUN, 3) + event(5, Kind.SETUP, 3)
    for then, place in (([], 3), ([event(20, Kind.RUN, 1)], 3), ([event(9, Kind.RUN, 3)], KERNEL)):
        runs = decode(begun + b"".join(then), end=40).runs
        at = np.flatnonzero((runs.start <= 6) & (runs.end > 6))
        assert runs.place[at].tolist() == [place], then


def test_runs_span_to_the_end_and_empty_ones_vanish():
    data = (
        event(0, Kind.START)
        + event(0, Kind.RUN, 0)
        + event(10, Kind.RUN, 1)
        + event(10, Kind.RUN, 2, 1)
        + event(15, Kind.RUN, NOBODY)
    )
    runs = decode(data, end=40).runs
    assert runs.start.tolist() == [0, 10, 15]
    assert runs.end.tolist() == [10, 15, 40]
    assert runs.place.tolist() == [0, 2, NOBODY]
    assert runs.background.tolist() == [False, True, False]


def test_handler_time_is_not_the_threads():
    data = event(0, Kind.RUN, 0) + event(30, Kind.ISR, 13, 10) + event(50, Kind.RUN, NOBODY)
    trace = decode(data, end=60)
    knots, used = trace.used_until(0, background=False)
    assert np.interp([20, 30, 50, 60], knots, used).tolist() == [20, 20, 40, 40]


def test_nested_handlers_count_once():
    data = (
        event(0, Kind.RUN, 0)
        + event(25, Kind.ISR, 1, 5)  # inside the next one
        + event(40, Kind.ISR, 2, 30)
        + event(100, Kind.RUN, NOBODY)
    )
    _, used = decode(data, end=100).used_until(0, background=False)
    assert used[-1] == 70


def test_origin_is_setup_else_start():
    start = event(5, Kind.START)
    assert decode(start + event(9, Kind.RUN)).origin == 5
    assert decode(start + event(9, Kind.SETUP) + event(11, Kind.RUN)).origin == 9


def test_lost_events_are_summed():
    data = event(1, Kind.LOST, 0, 7) + event(2, Kind.RUN) + event(3, Kind.LOST, 0, 5)
    assert decode(data).lost == 12


def test_simulated_stream_across_the_wrap():
    threads = [SimThread("a", 0, 3000, 10000)]
    data = Sim(threads, clock_start=(1 << 32) - 25_000).run(100_000)
    trace = decode(data, end=(1 << 32) + 75_000)
    assert trace.end - trace.origin == 100_000
    assert (np.diff(trace.time) >= 0).all()


def test_kernel_time_before_a_run_event_is_nobodys():
    data = (
        event(0, Kind.RUN, 0)
        + event(40, Kind.RUN, 1, 7 << 1)  # 7 us before were the kernel's
        + event(60, Kind.BLOCK, 1)
        + event(63, Kind.RUN, 0, 1)
    )
    runs = decode(data, end=80).runs
    assert runs.start.tolist() == [0, 33, 40, 60, 63]
    assert runs.place.tolist() == [0, KERNEL, 1, KERNEL, 0]
    assert runs.background.tolist() == [False, False, False, False, True]


def test_after_waking_the_processor_the_kernel_runs():
    data = (
        event(0, Kind.RUN, NOBODY)
        + event(20, Kind.ISR, 13, 2)  # woke nobody: sleeps on
        + event(50, Kind.ISR, 13, 4)
        + event(58, Kind.RUN, 0)
        + event(70, Kind.BLOCK, 0)
        + event(71, Kind.RUN, NOBODY)
    )
    runs = decode(data, end=90).runs
    assert list(zip(runs.start.tolist(), runs.place.tolist(), strict=True)) == [
        (0, NOBODY),
        (50, KERNEL),
        (58, 0),
        (70, KERNEL),
        (71, NOBODY),
    ]


@pytest.mark.parametrize("seed", range(30))
def test_times_are_right_however_long_nothing_happens(seed):
    """Drained a little after each event, over many turns of the clock."""
    rng, drained, clock, times = random.Random(seed), Drained(), 0, []
    for _ in range(60):
        clock += rng.choice((5, 10_000, NEAR_US, 1 << 31, 1 << 32, 3_600_000_000, 1 << 34))
        some = b""
        for _ in range(rng.randrange(3)):
            times.append(clock - rng.randrange(5))
            some += event(times[-1] & 0xFFFFFFFF, Kind.MARK)
        cut = rng.choice((0, len(some), len(some) // 2))
        for part in (some[:cut], some[cut:]):
            drained.add(part, clock + rng.randrange(10_000) + 0.25)
    found = decode(bytes(drained.data), taken=drained.taken)
    assert found.time.tolist() == times
    assert decode(b"", 5, drained.taken).end == 5


def test_few_times_are_kept():
    drained = Drained()
    for n in range(10_000):
        drained.add(event(n * 100_000 & 0xFFFFFFFF, Kind.MARK), n * 100_000)
    assert len(drained.taken) <= 2 + 10_000 * 100_000 // NEAR_US
    found = decode(bytes(drained.data), taken=drained.taken)
    assert found.time.tolist() == [n * 100_000 for n in range(10_000)]
