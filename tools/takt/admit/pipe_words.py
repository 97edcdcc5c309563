"""Why a pipe is refused, in words that name the arithmetic: what is wrong; what would do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from takt.admit.fixes import duration
from takt.admit.pipe_library import Reason, Refused
from takt.admit.pipe_room import Room, room

if TYPE_CHECKING:
    from takt.admit.pipes import Asked


@dataclass(frozen=True)
class Service:
    """How an endpoint is served; times in us.

    per_s: packets of all its pipes. response: of its thread. unread: until that begins to read
    again. longest: a period that would do.
    """

    per_s: float
    response: int | None
    unread: int | None
    longest: int | None


def rate(bits: float) -> str:
    """Bits per second, as people say it."""
    for unit, size in (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)):
        if bits >= size:
            return f"{bits / size:.4g} {unit}"
    return f"{bits:.4g} bit/s"


def packets(count: int, each: int) -> str:
    """So many bytes or packets."""
    return f"{count} bytes" if each == 1 else f"{count} packets of {each} bytes"


def _ns(value: int) -> str:
    return f"{value} ns" if value % 1000 else duration(value // 1000)


def _fill_us(one: Asked) -> int:
    """How long a full buffer lasts."""
    return round(one.slots * 1e6 / one.qos.packets_per_s(one.end.attrs))


def _asked(one: Asked, why: Refused, start_us: int) -> str:
    """What cannot be, whatever else runs."""
    end, attrs, qos = one.end.name, one.end.attrs, one.qos
    match why.reason:
        case Reason.NO_CHANNEL:
            return (
                f"{end} has {why.limit} channels for pipes and {why.value} are asked for; "
                "leave pipes out"
            )
        case Reason.NO_LATENCY:
            return (
                f"a latency of {_ns(why.value)} is not one; "
                f"choose more than 0 and at most {_ns(why.limit)}"
            )
        case Reason.NO_RATE:
            return f"a throughput of {why.value} bits is not one; say how much comes at most"
        case Reason.NO_PACKET if why.value < why.limit:
            return (
                f"a buffer of {why.value} bytes does not hold a packet of {end}, "
                f"which has {why.limit} bytes; give it {why.limit} bytes or more"
            )
        case Reason.NO_PACKET:
            return f"a buffer of {why.value} bytes is too large; at most 65534 packets, 1 MB"
        case Reason.NO_TIME:
            return "handling a full buffer takes some time; say how long at most"
        case Reason.TOO_MUCH:
            return (
                f"the pipes of {end} ask for {rate(why.value)} together, and it can do "
                f"{rate(why.limit)} ({attrs.max_tput} bits in {_ns(attrs.min_latency)}); "
                "ask for less"
            )
        case Reason.TOO_SOON:
            return (
                f"a latency of {_ns(why.value)} is less than {_ns(why.limit)}, the time between "
                f"two packets of {end}; ask for that or more"
            )
        case _ if qos.latency <= 1000 * attrs.delay_us:
            return (
                f"a latency of {_ns(qos.latency)}, of which {end} may need "
                f"{duration(attrs.delay_us)} before a packet is in the buffer, leaves no time for "
                "handling it; ask for more"
            )
        case _:
            return _too_long(one, why, room(attrs, qos, start_us))


def _too_long(one: Asked, why: Refused, could: Room) -> str:
    """A full buffer is not handled before it overflows: which figure is too much, and how much of
    each would do."""
    attrs, each = one.end.attrs, one.end.attrs.max_pktsz
    last = (
        f"{packets(one.slots, each)} last {duration(_fill_us(one))} at "
        f"{one.qos.packets_per_s(attrs):.6g} per s, {one.end.name} may keep packets back for "
        f"{duration(attrs.delay_us)}, two reads are up to 2 T - C apart, and the latency asked for "
        f"is {_ns(one.qos.latency)}"
    )
    if why.limit == 0 or could.handling_ns is None:
        what = f"the buffer is too small for what comes: {last}"
    else:
        what = (
            f"handling a full buffer takes {duration(why.value)}, but a period of "
            f"{duration(why.limit)} follows: {last}"
        )
    ways = []
    if could.packets:
        more = packets(could.packets, each)
        ways.append(f"give it {more}, from which a period of {duration(could.period_us)} follows")
    if could.handling_ns:
        ways.append(f"handle a full buffer within {_ns(could.handling_ns)}")
    if could.per_s:
        ways.append(f"ask for {could.per_s} per s at most")
    return f"{what}; {', or '.join(ways) or 'make the latency longer'}"


def _unread(one: Asked, how: Service) -> str:
    """How long a packet may wait in the device, and of what that is the sum."""
    hold, thread = -(-one.end.attrs.hold_ns // 1000), one.end.thread
    if how.unread is None or how.response is None or thread is None:
        return "packets wait for long"
    last = "its period" if how.unread == thread.period_us else "the bottom half's wait"
    return (
        f"packets wait for up to {duration(hold + how.unread + how.response)} "
        f"({duration(hold)} held back, {duration(how.unread)} {last}, "
        f"{duration(how.response)} response)"
    )


def _shown(one: Asked, why: Refused, how: Service) -> str:
    """What does not fit with what runs."""
    end, attrs = one.end.name, one.end.attrs
    each, served = attrs.max_pktsz, one.end.thread
    match why.reason:
        case Reason.LOSES if served and served.period_us:
            fix = f"with a period of {duration(how.longest)} it would not" if how.longest else ""
            return (
                f"{end} would lose packets: served every {duration(served.period_us)} by "
                f"{served.name}, {_unread(one, how)}; at {how.per_s:.6g} per s, with what else it "
                f"says, these are up to {packets(why.value, each)} ({why.value * each} bytes), and "
                f"it holds {why.limit} ({why.limit * each} bytes); "
                f"{fix or 'ask for less throughput'}"
            )
        case Reason.LOSES:
            return (
                f"{end} would lose packets: up to {packets(why.value, each)} wait in the device, "
                f"which holds {why.limit}; ask for less throughput"
            )
        case Reason.SLOW:
            return (
                f"what comes from {end} in one period may take its thread {duration(why.value)}, "
                f"and it has {duration(why.limit)}; give it a larger budget, or ask for less"
            )
        case Reason.OVERFLOWS:
            return (
                f"up to {packets(why.value, each)} come between two reads, and the buffer holds "
                f"{why.limit}: {end} takes longer than the {duration(attrs.delay_us)} the pipe was "
                f"derived with; make the buffer hold {why.value}"
            )
        case Reason.LATE:
            return (
                f"a packet may take {duration(why.value)}, and the latency asked for is "
                f"{duration(why.limit)}; ask for {duration(why.value)}, or make the pipe's "
                "buffer smaller, from which a shorter period follows"
            )
        case Reason.WAITS:
            return (
                f"up to {packets(why.value, each)} wait for their acknowledgements at "
                f"{one.qos.packets_per_s(attrs):.6g} per s, and {end} lets {why.limit} do so; "
                "give the threads of the device shorter periods, or ask for less throughput"
            )
        case _:
            return "it does not fit with what runs; give other loops less"


def refusal(one: Asked, why: Refused, start_us: int = 0, how: Service | None = None) -> str:
    """One line: what, then "; " and what would do. start_us: of budget that a start costs."""
    if how is not None and why.reason >= Reason.LOSES:
        return f"{one.name}: {_shown(one, why, how)}"
    return f"{one.name}: {_asked(one, why, start_us)}"
