"""Endpoints and their pipes by the words of admission/admit_pipe.c and include/takt/admit_pipe.h,
in exact rationals; response times are those of oracle_response. No code shared with
the kernel. Times are us where not said otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from takt.admit.pipe_library import Attrs, Endpoint, Qos, Reason, Refused, Transfer


def rate_of(attrs: Attrs, qos: Qos) -> Fraction:
    """Packets per ns."""
    return Fraction(qos.tput, 8 * attrs.max_pktsz * qos.latency)


def up(ns: int) -> int:
    """Whole us."""
    return ceil(Fraction(ns, 1000))


@dataclass(frozen=True)
class Served:
    """How soon: T and R of the endpoint's thread, 0 without; I + D of its bottom half."""

    period: int
    response: int
    noted: int

    def unread(self, transfer: int) -> int:
        """W, longest time without being emptied."""
        if transfer == Transfer.ASKED:
            return max(self.period, self.noted) + self.response
        return self.noted + self.period + self.response if transfer == Transfer.PUSHED else 0

    def delay(self, attrs: Attrs) -> int:
        """A, from the device to the buffer."""
        hold = up(attrs.hold_ns)
        if attrs.transfer == Transfer.ASKED:
            again = max(self.period, self.response + self.noted) + self.response
            return hold + self.unread(attrs.transfer) + again
        return hold + (self.unread(attrs.transfer) or self.response)


def most_in(us: int, rate: Fraction) -> int:
    """Packets in any time so long."""
    return int(1000 * us * rate) + 1


def come(end: Endpoint, us: int) -> int:
    """Packets of all pipes."""
    return sum(most_in(us, rate_of(end.attrs, qos)) for qos in end.asked)


def job(end: Endpoint, s: Served) -> int:
    """Of its budget, that one job of the endpoint's thread takes."""
    attrs = end.attrs
    since = up(attrs.hold_ns) + max(s.period, s.response + s.noted) + s.response
    packets = len(end.asked) if attrs.transfer == Transfer.SAMPLED else come(end, since)
    packets += 0 if end.output else end.echoes
    return up(attrs.batch_ns + packets * attrs.packet_ns) + end.start_us


def refused(end: Endpoint, s: Served, budget: int) -> Refused | None:
    """The first thing that is wrong."""
    attrs, packet = end.attrs, end.attrs.max_pktsz
    if len(end.asked) > attrs.max_channels:
        return Refused(Reason.NO_CHANNEL, len(end.asked), attrs.max_channels)
    asked = sum(ceil(8 * packet * 10**9 * rate_of(attrs, qos)) for qos in end.asked)
    offered = ceil(Fraction(attrs.max_tput * 10**9, attrs.min_latency))
    if asked > offered:
        return Refused(Reason.TOO_MUCH, asked, offered)
    window = attrs.max_ebufsz // packet
    if end.output and attrs.echo_bytes and end.echoes > window:
        return Refused(Reason.WAITS, end.echoes, window)
    beside = Fraction(end.echoes * end.echo_bytes + attrs.echo_bytes, packet)
    waits = come(end, up(attrs.hold_ns) + s.unread(attrs.transfer)) + ceil(beside)
    if not end.output and attrs.min_ebufsz and waits > attrs.min_ebufsz // packet:
        return Refused(Reason.LOSES, waits, attrs.min_ebufsz // packet)
    if end.place is not None and job(end, s) > budget:
        return Refused(Reason.SLOW, job(end, s), budget)
    return None


def noted(end: Endpoint, u: Fraction, overhead: int, within: Callable[[int], int]) -> int | None:
    """I + D, if the bottom half's budget is always back when it looks again; within: how long work
    takes at its rank."""
    attrs = end.attrs
    top, work = up(attrs.top_ns), up(attrs.bottom_ns + end.others_ns)
    if top + work > int(end.shortest_us * u) or top + work + overhead > attrs.interval_us * u:
        return None
    return attrs.interval_us + within(top + work + overhead)


def pipe(
    end: Endpoint, qos: Qos, period: int, response: int, delay: int
) -> tuple[int, int, Refused | None]:
    """Its delay, the peak in its buffer, and what is wrong."""
    slots, rate = qos.slots(end.attrs), rate_of(end.attrs, qos)
    peak = most_in(period + response - qos.texec_time // 1000 + delay, rate)
    whole = delay + (up(ceil(slots / rate)) if end.output else period + response)
    if peak > slots:
        return whole, peak, Refused(Reason.OVERFLOWS, peak, slots)
    late = 1000 * whole > qos.latency
    return whole, peak, Refused(Reason.LATE, whole, qos.latency // 1000) if late else None
