"""admission/admit_pipe.c against its words in exact rationals, with random devices."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

import oracle_endpoint as oracle
import oracle_response
import pytest
from takt.admit.admit_library import EventPath, Interrupt, IoVcpu, Loop, NativeSet
from takt.admit.pipe_library import Attrs, Endpoint, NativeEndpoint, Qos, Reason, Refused, Transfer

NS, SECOND = 1000, 10**9


@dataclass(frozen=True)
class Case:
    """A schedulable set, an endpoint on its first I/O VCPU or on none, and its response times."""

    loops: list[Loop]
    irqs: list[Interrupt]
    ios: list[IoVcpu]
    end: Endpoint
    native: NativeSet

    def within(self, work_us: int, place: int) -> int:
        """How long that takes at a place, of another thread."""
        tasks = [oracle_response.Task(t.budget_us * NS, t.period_us * NS) for t in self.loops]
        tasks[place] = replace(tasks[place], cost=work_us * NS)
        sources = [oracle_response.Task(i.cost_ns, i.separation_us * NS) for i in self.irqs]
        exact = oracle_response.response(tasks, place, sources)
        assert exact is not None
        return ceil(exact / NS)

    def response(self, place: int) -> int:
        found = self.native.response(place)
        assert found is not None
        return found


def random_attrs(rng: random.Random) -> Attrs:
    packet = rng.choice((1, 8, 64))
    slow = (8 * packet * rng.randint(1, 2000), rng.choice((7 * SECOND // 9, 10**8 + 7)))
    tput, latency = rng.choice((slow, slow, (8 * packet * 10**6, SECOND)))
    return Attrs(
        max_channels=rng.randint(1, 4),
        max_tput=tput,
        min_latency=latency,
        min_ebufsz=rng.choice((0, rng.randint(1, 40) * packet + rng.randint(0, packet - 1))),
        max_ebufsz=rng.randint(0, 40) * packet + rng.randint(0, packet - 1),
        min_pktsz=packet,
        max_pktsz=packet,
        transfer=rng.choice(tuple(Transfer)),
        echo_bytes=rng.choice((0, rng.randint(1, 100))),
        hold_ns=rng.choice((0, rng.randint(1, 300_000))),
        interval_us=rng.choice((0, rng.randint(1, 4000))),
        top_ns=rng.randint(1, 20_000),
        bottom_ns=rng.randint(1, 60_000),
        batch_ns=rng.randint(0, 90_000),
        packet_ns=rng.randint(0, 9000),
    )


def random_qos(rng: random.Random, attrs: Attrs) -> Qos:
    latency = rng.choice((SECOND, rng.randint(10**6, 10**8)))
    packets = rng.randint(1, max(2, latency // rng.choice((10**3, 10**5, 10**6, 10**7))))
    size = rng.randint(1, 60) * attrs.max_pktsz + rng.randint(0, attrs.max_pktsz - 1)
    return Qos(latency, 8 * attrs.max_pktsz * packets, size, rng.randint(1, 900_000))


def random_case(rng: random.Random) -> Case | None:
    """None: the set is not schedulable."""
    attrs = random_attrs(rng)
    periods = sorted(rng.randint(800, 9000) for _ in range(rng.randint(1, 4)))
    loops = [Loop(str(i), rng.randint(50, t // 3), t) for i, t in enumerate(periods)]
    irqs = [Interrupt("irq", rng.randint(0, 9000), rng.randint(500, 3000))][: rng.randint(0, 1)]
    ios = [IoVcpu("io", rng.randint(1, 4), 50, 0, rng.choice((0, 3)))][: rng.randint(0, 1)]
    thread = rng.choice((None, *range(len(loops))))
    if attrs.transfer != Transfer.PUSHED:
        thread = rng.randrange(len(loops))
    user = rng.randrange(len(loops))
    served = loops[user if thread is None else thread].period_us
    times = (served, served + rng.choice((0, 0, 2000)))
    asked = tuple(random_qos(rng, attrs) for _ in range(rng.randint(1, 3)))
    more = (rng.random() < 0.5, rng.choice((0, rng.randint(1, 50))), rng.randint(0, 40))
    more += (rng.choice((0, rng.randint(1, 30_000))), rng.choice((0, rng.randint(1, 60))))
    end = Endpoint(attrs, asked, thread, 0 if ios else None, *times, user, *more)
    native = NativeSet(loops, irqs, ios)
    return None if native.exact()[0] else Case(loops, irqs, ios, end, native)


def served(case: Case) -> oracle.Served:
    """What follows from the set for its endpoint."""
    end, attrs = case.end, case.end.attrs
    place = end.user if end.place is None else end.place
    own = case.loops[place]
    noted: int | None = 0
    if attrs.transfer != Transfer.SAMPLED and not case.ios:
        noted = attrs.interval_us + case.within(oracle.up(attrs.top_ns), 0)
    elif attrs.transfer != Transfer.SAMPLED:
        u = Fraction(case.ios[0].numerator, case.ios[0].denominator)
        noted = oracle.noted(end, u, case.ios[0].overhead_us, lambda us: case.within(us, place))
    if noted is None:  # as an interrupt's way to a handler, but for the handler
        work = oracle.up(attrs.bottom_ns + end.others_ns)
        way = EventPath(place, 0, end.shortest_us, end.longest_us, oracle.up(attrs.top_ns), (work,))
        safe = case.native.delivery(way).safe_us
        assert safe is not None
        noted = attrs.interval_us + safe - own.period_us - case.response(place)
    if end.place is None:
        return oracle.Served(0, 0, noted)
    return oracle.Served(own.period_us, case.response(place), noted)


@pytest.mark.cases(3000)
def test_endpoints_are_as_said(seeds: Iterator[int]) -> None:
    """Delay, verdict, and what a pipe gets."""
    reasons: Counter[Reason] = Counter()
    for seed in seeds:
        rng = random.Random(seed)
        if (case := random_case(rng)) is None:
            continue
        end, s = case.end, served(case)
        native = NativeEndpoint(case.native, end)
        assert native.delay() == s.delay(end.attrs), seed
        budget = 0 if end.place is None else case.loops[end.place].budget_us
        expected = oracle.refused(end, s, budget)
        assert native.refused() == expected, seed
        assert native.work() == (0 if end.place is None else oracle.job(end, s)), seed
        place, qos = rng.randrange(len(case.loops)), rng.choice(end.asked)
        period, response = case.loops[place].period_us, case.response(place)
        qos = replace(qos, texec_time=rng.choice((1, 1000 * rng.randint(1, period))))
        bounds, found = native.pipe(qos, place)
        wanted = oracle.pipe(end, qos, period, response, s.delay(end.attrs))
        assert (bounds.delay_us, bounds.peak, found) == wanted, seed
        assert bounds.paper_us == 3 * s.period + period, seed
        reasons.update(one.reason if one else Reason.FITS for one in (expected, found))
    assert len(reasons) > 4


def test_rates_beyond_all_devices_saturate() -> None:
    """At 2^56 bits a second; those of so long a time that a millionth of it is whole are right."""
    attrs = Attrs(max_channels=2, max_tput=1, min_latency=SECOND, max_pktsz=1 << 20)
    fast, slow = Qos(1, 1 << 48, 0, 1), Qos((1 << 40) - 1, 8 << 20, 0, 1)
    native = NativeSet([Loop("loop", 1, 100)])
    per_s = ceil(Fraction((8 << 20) * SECOND, (1 << 40) - 1))
    for asked, bits in (((fast, fast), 1 << 56), ((slow,), per_s)):
        found = NativeEndpoint(native, Endpoint(attrs, asked)).refused()
        assert found == Refused(Reason.TOO_MUCH, bits, 1)
