"""Pipes of a linked program: what they ask for, what follows, and what is proved of them.

The kernel's own code judges (pipe_library.py); pipe_words.py says why it refuses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from takt.admit.admission import Admission
from takt.admit.admit_library import Interrupt
from takt.admit.fixes import Case
from takt.admit.layout import Thread
from takt.admit.pipe_clients import Client, others_ns
from takt.admit.pipe_conflicts import excluded
from takt.admit.pipe_library import (
    Attrs,
    Bounds,
    Derived,
    Endpoint,
    NativeEndpoint,
    Qos,
    Reason,
    Refused,
    derive,
    echoes,
)
from takt.admit.pipe_words import Service, refusal
from takt.admit.places import Where
from takt.errors import UserError


@dataclass(frozen=True)
class End:
    """A device's end of pipes."""

    name: str
    address: int
    attrs: Attrs
    output: bool
    thread: Thread | None  # on a Main VCPU
    bottom: Thread | None  # on an I/O VCPU
    driver: int  # address of what the ends of a device share
    line: str = ""  # of a serial port: its name
    taken: bool = False  # the sketch uses that port without a pipe, too


@dataclass(frozen=True)
class Asked:
    """A pipe as the program defines it."""

    name: str
    thread: Thread
    end: End
    qos: Qos
    channel: int = 0

    @property
    def slots(self) -> int:
        """Packets its buffer holds."""
        return self.qos.slots(self.end.attrs)


@dataclass(frozen=True)
class Pipe:
    """A pipe, the bounds of it, and why it is refused. bounds None: the program is refused."""

    asked: Asked
    derived: Derived | None
    bounds: Bounds | None
    refusal: str = ""
    where: str = ""  # file and line, if it is refused

    @property
    def name(self) -> str:
        return self.asked.name

    @property
    def place(self) -> int:
        """Its number in the trace."""
        return self.asked.thread.place

    def as_dict(self) -> dict[str, Any]:
        """For --json."""
        asked, bounds = self.asked, self.bounds
        return {
            "name": self.name,
            "endpoint": asked.end.name,
            "direction": "out" if asked.end.output else "in",
            "budget_us": asked.thread.budget_us,
            "period_us": asked.thread.period_us,
            "paper_period_us": self.derived.paper_us if self.derived else None,
            "rate_per_s": round(asked.qos.packets_per_s(asked.end.attrs), 3),
            "packet_bytes": asked.end.attrs.max_pktsz,
            "slots": asked.slots,
            "peak_bound": bounds.peak if bounds else None,
            "latency_bound_us": bounds.delay_us if bounds else None,
            "paper_latency_us": bounds.paper_us if bounds else None,
            "refusal": self.refusal or None,
        }


@dataclass(frozen=True)
class Pipes:
    """All pipes of a program."""

    asked: tuple[Asked, ...] = ()
    start_us: int = 0  # of budget that a start costs
    ends: tuple[End, ...] = field(default=())
    clients: tuple[Client, ...] = field(default=())

    def impossible(self) -> tuple[str, str] | None:
        """The name of one that cannot be, whatever else runs, and why."""
        for one in self.asked:
            attrs, qos = one.end.attrs, one.qos
            found = derive(attrs, qos, attrs.delay_us, self.start_us)
            if isinstance(found, Refused):
                asked, offered = qos.tput / qos.latency, attrs.max_tput / attrs.min_latency
                if found.reason == Reason.TOO_LONG and asked > offered:
                    per_s = round(asked * 1e9), round(offered * 1e9)
                    found = Refused(Reason.TOO_MUCH, *per_s)
                return one.name, refusal(one, found, self.start_us)
        return excluded(self.asked)

    def require_possible(self, where: Where) -> None:
        """Raises UserError with the arithmetic."""
        if found := self.impossible():
            what, _, fix = found[1].rpartition("; ")
            raise UserError(what, where(found[0]), fix)

    def interrupts(self) -> list[Interrupt]:
        """Of endpoints without a bottom half, for admission."""
        return [
            Interrupt(f"{end.name} of a pipe", end.attrs.top_ns, max(1, end.attrs.apart_ns // 1000))
            for end in self.ends
            if end.bottom is None and end.attrs.apart_ns
        ]

    def assumed(self) -> list[str]:
        """What the proof takes for granted."""
        lines = [
            f"counted: {one.name}, {one.cost_ns / 1000:g} us at most every "
            f"{one.separation_us / 1000:g} ms"
            for one in self.interrupts()
        ]
        if self.asked:
            lines.append(
                "pipes: no more comes than they ask for, a full buffer is handled within the time "
                "they name, and less in proportion"
            )
        return lines

    def judge(
        self, verdict: Admission | None, bottoms: Sequence[Thread], where: Where
    ) -> list[Pipe]:
        """Every pipe with its bounds; a program that is refused has none."""
        if verdict is None or verdict.case is None:
            return []
        found = [self._judge(one, verdict, bottoms) for one in self.asked]
        return [replace(one, where=where(one.name)) if one.refusal else one for one in found]

    def _judge(self, one: Asked, verdict: Admission, bottoms: Sequence[Thread]) -> Pipe:
        derived = derive(one.end.attrs, one.qos, one.end.attrs.delay_us, self.start_us)
        if isinstance(derived, Refused):
            return Pipe(one, None, None, refusal(one, derived, self.start_us))
        if not verdict.admitted:
            return Pipe(one, derived, None)
        io = _io_of(one.end, verdict, bottoms)
        served = one.end.thread or one.thread
        case = verdict.case_for(served.name, *([io] if io else []))
        beside = verdict.case_for(one.thread.name)
        end = NativeEndpoint(case.native(), self.endpoint(one.end, case, io))
        bounds, refused = end.pipe(one.qos, place_of(beside, one.thread), beside.native())
        why = end.refused() or refused
        how = self._service(one, case, io, end) if why else None
        text = refusal(one, why, self.start_us, how) if why else ""
        return Pipe(one, derived, bounds, text)

    def _service(self, one: Asked, case: Case, io: str | None, end: NativeEndpoint) -> Service:
        mine = [other for other in self.asked if other.end == one.end]
        per_s = sum(other.qos.packets_per_s(one.end.attrs) for other in mine)
        thread = one.end.thread
        if thread is None or not thread.period_us:
            return Service(per_s, None, None, None)
        response = case.native().response(place_of(case, thread), thread.period_us)
        longest = self._longest(one, case, io)
        return Service(per_s, response, end.unread(response), longest)

    def endpoint(self, end: End, case: Case, io: str | None) -> Endpoint:
        """As the kernel's code sees it, beside what runs on its CPU. io: its I/O VCPU."""
        mine = [one for one in self.asked if one.end == end]
        served = [end.thread] if end.thread else [one.thread for one in mine]
        periods = [thread.period_us or 0 for thread in self._served_by(end.bottom)]
        periods += [thread.period_us or 0 for thread in served]
        here = {loop.name for loop in case.loops}
        places = [place_of(case, thread) for thread in served if thread.name in here]
        return Endpoint(
            end.attrs,
            tuple(one.qos for one in mine),
            place_of(case, end.thread) if end.thread else None,
            [one.name for one in case.ios].index(io) if io else None,
            min(periods),
            max(periods),
            max(places),
            end.output,
            *self._echoes(end),
            others_ns(self.clients, self.ends, end),
            self.start_us,
        )

    def _echoes(self, end: End) -> tuple[int, int]:
        """Acknowledgements of all that pipes out of an input's device send, and bytes of each; of
        an output's own pipes, the most of one."""
        mine = [one for one in self.asked if one.end.driver == end.driver]
        into = next((one.end.attrs for one in mine if not one.end.output), end.attrs)
        outs = [one for one in mine if one.end.output]
        counts = [echoes(one.end.attrs, into, one.qos) for one in outs]
        if end.output:
            return max(counts, default=0), 0
        return sum(counts), max((one.end.attrs.echo_bytes for one in outs), default=0)

    def _served_by(self, bottom: Thread | None) -> list[Thread]:
        """Threads for which a bottom half works: of endpoints, and others."""
        more = [one.thread for one in self.clients if bottom and one.bottom == bottom]
        ends = [end for end in self.ends if bottom and end.bottom == bottom]
        return (
            more
            + [end.thread for end in ends if end.thread]
            + [one.thread for one in self.asked if one.end in ends and not one.end.thread]
        )

    def _with_periods(self, case: Case, thread: Thread, end: End) -> Case:
        """With the endpoint's thread, and its pipes' periods as they follow."""
        periods = {thread.name: thread.period_us}
        for other in self.asked:
            found = derive(end.attrs, other.qos, end.attrs.delay_us, self.start_us)
            if other.end == end and not isinstance(found, Refused):
                periods[other.thread.name] = found.period_us
        for name, period in periods.items():
            names = [loop.name for loop in case.loops]
            if name in names:
                case = case.change(names.index(name), period_us=period)
        return case

    def _longest(self, one: Asked, case: Case, io: str | None) -> int | None:
        """The longest period of the endpoint's thread with which nothing is lost in the device."""
        if one.end.thread is None:
            return None
        before = one.end.thread.period_us or 1

        def fits(period: int) -> bool:
            thread = replace(one.end.thread, period_us=period)
            later = one.end.attrs.delay_us // before * (before - period)  # some periods, and more
            attrs = replace(one.end.attrs, delay_us=one.end.attrs.delay_us - later)
            end = replace(one.end, thread=thread, attrs=attrs)
            seen = replace(
                self,
                asked=tuple(replace(a, end=end) if a.end == one.end else a for a in self.asked),
                ends=tuple(end if other == one.end else other for other in self.ends),
                clients=tuple(
                    replace(c, thread=thread) if c.thread == one.end.thread else c
                    for c in self.clients
                ),
            )
            changed = seen._with_periods(case, thread, end)
            native = changed.native()
            if native.exact()[0] != 0:
                return False
            found = NativeEndpoint(native, seen.endpoint(end, changed, io)).refused()
            return found is None

        steps = sorted({before * k // 100 for k in range(1, 100)}, reverse=True)
        return next((p // 10 * 10 or p for p in steps if p and fits(p // 10 * 10 or p)), None)


def _io_of(end: End, verdict: Admission, bottoms: Sequence[Thread]) -> str | None:
    """The name of its I/O VCPU, as admission has it."""
    if end.bottom is None or verdict.case is None:
        return None
    shared = [thread for thread in bottoms if thread.share]
    return verdict.case.ios[shared.index(end.bottom)].name


def place_of(case: Case, thread: Thread) -> int:
    """Among the loops with budgets, in order of places."""
    names = [loop.name for loop in sorted(case.loops, key=lambda loop: loop.period_us)]
    return names.index(thread.name)


def require(found: Sequence[Pipe]) -> None:
    """Raises UserError with the first refusal."""
    for one in found:
        if one.refusal:
            what, _, fix = one.refusal.rpartition("; ")
            raise UserError(what, one.where, fix)
