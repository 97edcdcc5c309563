"""What follows from what is asked of a pipe, against buffers that are filled packet by packet."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import oracle_pipes as oracle
import pytest
from takt.admit.admit_library import PERIOD_MAX, IoVcpu, Loop, NativeSet
from takt.admit.headers import constant
from takt.admit.pipe_library import (
    Attrs,
    Derived,
    Endpoint,
    NativeEndpoint,
    Qos,
    Reason,
    Refused,
    Transfer,
    derive,
    echoes,
)

SECOND = 10**9


def random_pipe(rng: random.Random) -> tuple[Attrs, Qos, int]:
    """A device, what is asked of it, and its delay in us."""
    packet = rng.choice((1, 8, 64, rng.randint(1, 512)))
    rate = Fraction(rng.choice((rng.randint(1, 300), rng.randint(1, 20000))), rng.choice((1, 1, 7)))
    latency = rng.choice((SECOND, rng.randint(10**5, 10**8)))
    tput = max(1, int(rate * 8 * packet * latency / SECOND))
    slots = rng.randint(1, 300)
    fill = slots * 8 * packet * latency // tput
    texec = rng.choice((0, rng.randint(0, fill), rng.randint(0, fill) // 20))
    delay = rng.choice((0, 0, rng.randint(0, 2 * fill // 1000)))
    qos = Qos(latency, tput, slots * packet + rng.randint(0, packet - 1), texec)
    return Attrs(min_pktsz=packet, max_pktsz=packet), qos, delay


@pytest.mark.cases(800)
def test_the_period_is_the_longest_safe_one(seeds: Iterator[int]) -> None:
    """And one us more is not safe, unless it is the latency that limits it."""
    refused = 0
    for seed in seeds:
        attrs, qos, delay = random_pipe(random.Random(seed))
        rate = Fraction(qos.tput, 8 * attrs.max_pktsz * qos.latency)
        slots = qos.slots(attrs)
        longest = oracle.longest_period(slots, rate, qos.texec_time, 1000 * delay, qos.latency)
        budget = -(-qos.texec_time // 1000)
        found = derive(attrs, qos, delay)
        if isinstance(found, Refused):
            none = qos.texec_time == 0
            assert found.reason == (Reason.NO_TIME if none else Reason.TOO_LONG), seed
            assert none or longest is None or budget > longest, (seed, found)
            refused += 1
        else:
            assert (found.budget_us, found.period_us) == (budget, longest), seed
            assert found.paper_us == int(slots / rate) // 1000, seed
    assert refused > 0


def test_the_paper_s_examples() -> None:
    """Sections III-A and IV-B: 46 and 41 ms overflow; 24 and 21 ms do not. 128 bytes at 512 kbit/s
    with 1 ms of execution: the paper has T = 2 ms."""
    can = Attrs(min_pktsz=64, max_pktsz=64)
    for rate, paper, safe in ((2752, 46, 24), (3073, 41, 21)):
        found = derive(can, Qos(SECOND, 512 * rate, 128 * 64, 2_000_000), 0)
        assert isinstance(found, Derived)
        assert (found.paper_us // 1000, found.period_us // 1000) == (paper, safe)
        packets = Fraction(rate, SECOND)
        assert oracle.fits(found.period_us, 2_000_000, 0, packets, 128)
        assert not oracle.fits(found.period_us + 1, 2_000_000, 0, packets, 128)
        assert not oracle.fits(1000 * paper, 2_000_000, 0, packets, 128)
        assert oracle.most_in(Fraction(10**6 * (2 * paper - 2)), packets) > 2 * 120
    assert derive(Attrs(), Qos(SECOND, 512_000, 128, 1_000_000), 0) == Derived(1000, 1499, 2000)


@pytest.mark.parametrize(
    "change, reason",
    [
        ({"latency": 0}, Reason.NO_LATENCY),
        ({"latency": 1 << 63}, Reason.NO_LATENCY),
        ({"tput": 0}, Reason.NO_RATE),
        ({"tput": (1 << 64) - 1}, Reason.NO_RATE),
        ({"iobufsz": 63}, Reason.NO_PACKET),
        ({"iobufsz": (1 << 64) - 1}, Reason.NO_PACKET),
        ({"latency": 999}, Reason.TOO_SOON),
        ({"texec_time": 30_000_000}, Reason.TOO_LONG),
        ({"texec_time": (1 << 64) - 1}, Reason.TOO_LONG),
        ({"texec_time": 0}, Reason.NO_TIME),
    ],
)
def test_what_cannot_be_is_refused(change: dict[str, int], reason: Reason) -> None:
    attrs = Attrs(min_pktsz=64, max_pktsz=64, min_latency=1000)
    asked = Qos(SECOND, 512 * 5000, 64 * 64, 1_000_000)
    assert isinstance(derive(attrs, asked, 0), Derived)
    found = derive(attrs, replace(asked, **change), 0)
    assert isinstance(found, Refused) and found.reason == reason


ODD = Attrs(max_pktsz=7)
LONGEST, RING = constant("types.h", "TAKT_DURATION_MAX"), 65535  # TAKT_RING_SLOTS


@pytest.mark.parametrize(
    "attrs, field, most, reason",
    [
        (Attrs(), "latency", 1000 * LONGEST, Reason.NO_LATENCY),
        (Attrs(), "tput", 1 << 48, Reason.NO_RATE),
        (ODD, "iobufsz", 7 * RING - 1, Reason.NO_PACKET),
        (Attrs(max_pktsz=64), "iobufsz", 1 << 20, Reason.NO_PACKET),
        (Attrs(), "texec_time", SECOND, Reason.TOO_LONG),
    ],
)
def test_the_most_that_can_be_asked(attrs: Attrs, field: str, most: int, reason: Reason) -> None:
    asked = Qos(SECOND, 8, 1000, 1)
    at_most, beyond = (derive(attrs, replace(asked, **{field: n}), 0) for n in (most, most + 1))
    assert isinstance(beyond, Refused) and beyond.reason == reason
    assert not isinstance(at_most, Refused) or at_most.limit < beyond.limit


def test_no_period_is_longer_than_there_may_be() -> None:
    found = derive(Attrs(), Qos(1000 * LONGEST, 8, 100, 1), 0)
    assert isinstance(found, Derived) and found.period_us == PERIOD_MAX


CAN = Attrs(
    max_channels=5, max_tput=5_000_000 * 8, min_latency=SECOND, min_ebufsz=4096, max_ebufsz=4096,
    min_pktsz=64, max_pktsz=64, transfer=Transfer.ASKED, hold_ns=50_000, interval_us=1000,
    top_ns=2000, bottom_ns=4000, batch_ns=10_000, packet_ns=3000,
)  # fmt: skip
TABLE_I = (398, 334, 1191, 1334, 2742)  # frames per second, design 10.9


def served(period_us: int, budget_us: int, before: list[Loop]) -> tuple[NativeSet, Endpoint]:
    """The paper's adapter, its thread with a budget and a period, beside more urgent loops."""
    loops = sorted([*before, Loop("rx", budget_us, period_us)], key=lambda t: t.period_us)
    place = [loop.name for loop in loops].index("rx")
    asked = tuple(Qos(SECOND, 512 * rate, 8192, 10**6) for rate in TABLE_I)
    native = NativeSet(loops, ios=[IoVcpu("usb", 1, 100)])
    return native, Endpoint(CAN, asked, place, 0, period_us, period_us, place)


def test_14_ms_with_64_bytes_is_refused_and_8_ms_is_admitted() -> None:
    """4096 bytes last 10.7 ms at Table I's rates."""
    late = NativeEndpoint(*served(14_000, 2000, [])).refused()
    assert late and late.reason == Reason.LOSES and late.value > late.limit == 64
    assert NativeEndpoint(*served(8000, 500, [])).refused() is None
    hogs = [Loop(f"hog {i}", 1000, 7000) for i in range(3)]
    behind = NativeEndpoint(*served(8000, 500, hogs)).refused()
    assert behind and behind.reason == Reason.LOSES  # up to 11 ms apart
    assert NativeEndpoint(*served(6900, 500, hogs)).refused() is None


def test_acknowledgements_take_room_and_time() -> None:
    """2742 frames a second that are sent, 32 bytes each on the way back."""
    native, end = served(6000, 500, [])
    out = replace(CAN, transfer=Transfer.PUSHED, max_ebufsz=64 * 124, echo_bytes=32, delay_us=14000)
    count = echoes(out, replace(CAN, delay_us=20_000), Qos(SECOND, 512 * 2742, 8192, 10**6))
    assert count == 2742 * 34 // 1000 + 1
    heavy = replace(end, echoes=count, echo_bytes=32)
    alone, both = NativeEndpoint(native, end).refused(), NativeEndpoint(native, heavy).refused()
    assert alone is None
    assert both and both.reason == Reason.LOSES and both.limit == 64
    assert both.value > (93 * 32) // 64
    sender = replace(end, attrs=out, asked=end.asked[4:], output=True, echoes=125)
    found = NativeEndpoint(native, sender).refused()
    assert found and (found.reason, found.value, found.limit) == (Reason.WAITS, 125, 124)
    assert NativeEndpoint(native, replace(sender, echoes=124)).refused() is None


def test_an_endpoint_refuses_what_it_cannot_do() -> None:
    native, end = served(6000, 500, [])
    more = replace(end, asked=(*end.asked, end.asked[0]))
    found = NativeEndpoint(native, more).refused()
    assert found and (found.reason, found.value, found.limit) == (Reason.NO_CHANNEL, 6, 5)
    fast = replace(end, asked=(Qos(SECOND, 41_000_000, 8192, 10**6),))
    found = NativeEndpoint(native, fast).refused()
    assert found and (found.reason, found.value, found.limit) == (
        Reason.TOO_MUCH, 41_000_000, 40_000_000,
    )  # fmt: skip
    slow = NativeEndpoint(*served(6000, 100, [])).refused()
    assert slow and slow.reason == Reason.SLOW and slow.limit == 100


def test_a_start_is_part_of_what_the_endpoint_s_thread_needs() -> None:
    """It waits for the time and then for its device: the second start comes from its budget."""
    native, end = served(6000, 400, [])
    without = [c for c in range(1, 400) if not refused(served(6000, c, []), 0)]
    with_start = [c for c in range(1, 400) if not refused(served(6000, c, []), 40)]
    assert min(with_start) == min(without) + 40
    found = NativeEndpoint(native, replace(end, start_us=400)).refused()
    assert found and found.reason == Reason.SLOW and found.value == min(without) + 400


def refused(case: tuple[NativeSet, Endpoint], start_us: int) -> bool:
    return NativeEndpoint(case[0], replace(case[1], start_us=start_us)).refused() is not None


def test_what_the_bottom_half_does_for_others_comes_on_top() -> None:
    """As part of its work at each look; beyond its share its budget is not always back."""
    _, end = served(6000, 500, [])
    end = replace(end, attrs=replace(CAN, transfer=Transfer.PUSHED))
    native = NativeSet([Loop("rx", 500, 6000)], ios=[IoVcpu("usb", 1, 20)])
    alone = NativeEndpoint(native, end).delay()
    beside = NativeEndpoint(native, replace(end, others_ns=7000)).delay()
    beyond = NativeEndpoint(native, replace(end, others_ns=100_000)).delay()
    assert alone and beside and beyond
    assert beside == alone + 7 and beyond > beside + 1000


def test_equation_2_leaves_out_what_the_bound_has() -> None:
    """E = 3 T_rx + T_usr knows no bottom half, and takes for granted that the user's thread is
    woken with budget; with R near T the bound is above it."""
    loops = [Loop("rx", 500, 6000), Loop("hog", 17_000, 23_000), Loop("user", 2000, 24_000)]
    native = NativeSet(loops, ios=[IoVcpu("usb", 1, 100)])
    assert native.exact()[0] == 0
    asked = Qos(SECOND, 512 * 1000, 8192, 10**6)
    end = NativeEndpoint(native, Endpoint(CAN, (asked,), 0, 0, 6000, 6000))
    bounds, refused = end.pipe(asked, 2)
    assert refused is None
    assert bounds.paper_us == 3 * 6000 + 24_000
    assert bounds.delay_us is not None and bounds.delay_us > bounds.paper_us
    assert bounds.delay_us < 3 * 6000 + 2 * 24_000 + 2 * 1000 + 1000
