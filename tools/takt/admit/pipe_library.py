"""What the kernel's own code says of pipes (admission/admit_pipe.c and _qos.c), called by cffi."""

from __future__ import annotations

from dataclasses import astuple, dataclass, field, fields
from enum import IntEnum
from typing import Any

from takt.admit.admit_library import NEVER, NativeSet, loaded


class Transfer(IntEnum):
    """enum takt_transfer."""

    PUSHED = 0
    ASKED = 1
    SAMPLED = 2


class Reason(IntEnum):
    """enum takt_pipe_reason."""

    FITS = 0
    NO_CHANNEL = 1
    NO_LATENCY = 2
    NO_RATE = 3
    NO_PACKET = 4
    NO_TIME = 5
    TOO_MUCH = 6
    TOO_SOON = 7
    TOO_LONG = 8
    LOSES = 9
    SLOW = 10
    OVERFLOWS = 11
    LATE = 12
    NOT_ADMITTED = 13
    WAITS = 14
    SHORT = 15


def _as(kind: str, default: int) -> Any:
    """A field, and its type in C (structs.py)."""
    return field(default=default, metadata={"kind": kind})


@dataclass(frozen=True)
class Attrs:
    """What a device can do; fields as struct takt_endpoint_attrs."""

    max_channels: int = _as("i32", 1)
    max_tput: int = _as("u64", 0)
    min_latency: int = _as("u32", 1)
    min_ebufsz: int = _as("i32", 0)
    max_ebufsz: int = _as("i32", 0)
    min_pktsz: int = _as("i32", 1)
    max_pktsz: int = _as("i32", 1)
    transfer: int = _as("u8", Transfer.PUSHED)
    echo_bytes: int = _as("u8", 0)
    hold_ns: int = _as("u32", 0)
    interval_us: int = _as("u32", 0)
    top_ns: int = _as("u32", 0)
    bottom_ns: int = _as("u32", 0)
    batch_ns: int = _as("u32", 0)
    packet_ns: int = _as("u32", 0)
    delay_us: int = _as("u32", 0)
    min_period_us: int = _as("u32", 0)
    max_period_us: int = _as("u32", 0)
    apart_ns: int = _as("u32", 0)


ATTRS = tuple((one.name, one.metadata["kind"]) for one in fields(Attrs))  # as structs.py reads them


@dataclass(frozen=True)
class Qos:
    """What is asked of a pipe; fields as struct takt_qos."""

    latency: int  # ns
    tput: int  # bits in that time
    iobufsz: int  # bytes
    texec_time: int  # ns

    def slots(self, attrs: Attrs) -> int:
        """Packets the buffer holds."""
        return self.iobufsz // attrs.max_pktsz

    def packets_per_s(self, attrs: Attrs) -> float:
        """The rate asked for."""
        return self.tput * 1e9 / (8 * attrs.max_pktsz * self.latency) if self.latency else 0.0


@dataclass(frozen=True)
class Refused:
    """Why not, and the two figures that say so (include/takt/admit_pipe.h)."""

    reason: Reason
    value: int
    limit: int


@dataclass(frozen=True)
class Derived:
    """What follows from what is asked, us."""

    budget_us: int
    period_us: int
    paper_us: int


@dataclass(frozen=True)
class Endpoint:
    """An endpoint and what its pipes ask for; fields as struct takt_admit_endpoint."""

    attrs: Attrs
    asked: tuple[Qos, ...]
    place: int | None = None
    io: int | None = None
    shortest_us: int = 0
    longest_us: int = 0
    user: int = 0
    output: bool = False
    echoes: int = 0  # see echoes()
    echo_bytes: int = 0
    others_ns: int = 0
    start_us: int = 0


@dataclass(frozen=True)
class Bounds:
    """Of a pipe; None: there is no bound."""

    delay_us: int | None
    paper_us: int
    peak: int


class NativeEndpoint:
    """A struct takt_admit_endpoint beside a set, and the kernel's verdicts on it."""

    def __init__(self, case: NativeSet, end: Endpoint) -> None:
        self._ffi, self._lib = loaded()
        self._case = case
        attrs = _attrs(end.attrs)
        rates = self._ffi.new("struct takt_admit_rate[]", max(1, len(end.asked)))
        for i, qos in enumerate(end.asked):
            rates[i] = self._lib.takt_admit_rate(qos.tput, _bits(end.attrs, qos))
        places = [NEVER if place is None else place for place in (end.place, end.io)]
        times = (end.shortest_us, end.longest_us)
        more = (end.user, end.output, end.echoes, end.echo_bytes, end.others_ns, end.start_us)
        fields = (attrs, *places, *times, rates, len(end.asked), *more)
        self._keep = (attrs, rates)
        own = None if end.place is None else case.pointer.threads[end.place]
        self._served_us = own.period_us if own else 0
        self._end = self._ffi.new("struct takt_admit_endpoint *", fields)

    def delay(self) -> int | None:
        """From the device to a pipe's buffer, or the other way, us."""
        return _bound(self._lib.takt_admit_endpoint_delay(self._case.pointer, self._end))

    def unread(self, response: int | None) -> int | None:
        """max(T, I + D) of a device that is asked: how long after it was read it is again, R apart.
        From the delay, which is hold + max(T, I + D) + R + max(T, R + I + D) + R."""
        delay = self.delay()
        if delay is None or response is None or self._end.attrs.transfer != Transfer.ASKED:
            return None
        period, hold = self._served_us, -(-self._end.attrs.hold_ns // 1000)
        twice = delay - hold - 3 * response  # I + D, if that is more than T
        return max(period, twice // 2)

    def refused(self) -> Refused | None:
        """Why it cannot serve its pipes."""
        why = self._ffi.new("struct takt_pipe_refusal *")
        code = self._lib.takt_admit_endpoint(self._case.pointer, self._end, why)
        return _refused(why) if code < 0 else None

    def work(self) -> int:
        """What one job of its thread may take, us; 0: it has none."""
        return self._lib.takt_admit_endpoint_work(self._case.pointer, self._end)

    def pipe(
        self, qos: Qos, place: int, case: NativeSet | None = None
    ) -> tuple[Bounds, Refused | None]:
        """The bounds of a pipe whose thread has a place, and which of them is too large. case:
        what runs on the pipe's CPU, if it is another one."""
        delay = self._lib.takt_admit_endpoint_delay(self._case.pointer, self._end)
        fields = (astuple(qos), self._end.attrs, place, delay, self._served_us, self._end.output)
        pipe = self._ffi.new("struct takt_admit_pipe *", fields)
        bounds = self._ffi.new("struct takt_pipe_bounds *")
        why = self._ffi.new("struct takt_pipe_refusal *")
        beside = (case or self._case).pointer
        code = self._lib.takt_admit_pipe(beside, pipe, bounds, why)
        found = Bounds(_bound(bounds.delay_us), bounds.paper_us, bounds.peak)
        return found, _refused(why) if code < 0 else None


def echoes(out: Attrs, into: Attrs, qos: Qos) -> int:
    """Packets of a pipe that may have to wait at once until they are acknowledged."""
    ffi, lib = loaded()
    rate = ffi.new("struct takt_admit_rate *", lib.takt_admit_rate(qos.tput, _bits(out, qos)))
    return lib.takt_admit_echoes(_attrs(out), _attrs(into), rate)


def _bits(attrs: Attrs, qos: Qos) -> int:
    """Bits of a packet times the latency."""
    return 8 * attrs.max_pktsz * qos.latency


def derive(attrs: Attrs, qos: Qos, delay_us: int, start_us: int = 0) -> Derived | Refused:
    """Budget and period of a pipe, or why there are none."""
    ffi, lib = loaded()
    asked = ffi.new("struct takt_qos *", astuple(qos))
    found = ffi.new("struct takt_pipe_derived *")
    why = ffi.new("struct takt_pipe_refusal *")
    if lib.takt_pipe_derive(_attrs(attrs), asked, delay_us, start_us, found, why) < 0:
        return _refused(why)
    return Derived(found.budget_us, found.period_us, found.paper_us)


def _attrs(attrs: Attrs) -> Any:
    ffi, _ = loaded()
    return ffi.new("struct takt_endpoint_attrs *", astuple(attrs))


def _refused(why: Any) -> Refused:
    return Refused(Reason(why.reason), why.value, why.limit)


def _bound(value: int) -> int | None:
    return None if value == NEVER else value
