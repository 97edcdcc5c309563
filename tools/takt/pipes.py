"""Pipes of a linked program: what they ask for, what follows, and what is proved of them.

The kernel's own code judges (pipe_library.py); pipe_words.py says why it refuses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from takt import structs
from takt.admission import Admission
from takt.admit_library import Interrupt
from takt.elf import Program
from takt.errors import UserError
from takt.fixes import Case
from takt.layout import Thread
from takt.pipe_library import (
    ATTRS,
    Attrs,
    Bounds,
    Derived,
    Endpoint,
    NativeEndpoint,
    Qos,
    Refused,
    derive,
)
from takt.pipe_words import refusal
from takt.structs import POINTER

RECORD = "takt_record_"  # symbols of struct takt_pipe_record
FIELDS = (
    *((name, POINTER) for name in ("pipe", "thread", "end", "attrs")),
    *((name, "u64") for name in ("latency", "tput", "iobufsz", "texec_time")),
)
END_FIELDS = (
    *((name, POINTER) for name in ("attrs", "ops", "bottom", "thread", "name", "driver")),
    ("packet", "u16"),
    ("direction", "u8"),
)


@dataclass(frozen=True)
class End:
    """A device's end of pipes."""

    name: str
    address: int
    attrs: Attrs
    output: bool
    thread: Thread | None  # on a Main VCPU
    bottom: Thread | None  # on an I/O VCPU


@dataclass(frozen=True)
class Asked:
    """A pipe as the program defines it."""

    name: str
    thread: Thread
    end: End
    qos: Qos

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

    def impossible(self) -> str:
        """Why there is no budget and period for one of them, whatever else runs."""
        for one in self.asked:
            found = derive(one.end.attrs, one.qos, one.end.attrs.delay_us, self.start_us)
            if isinstance(found, Refused):
                return refusal(one, found)
        return ""

    def require_possible(self, where: str) -> None:
        """Raises UserError with the arithmetic."""
        what, _, fix = self.impossible().partition("; ")
        if what:
            raise UserError(what, where, fix)

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

    def judge(self, verdict: Admission | None, bottoms: Sequence[Thread]) -> list[Pipe]:
        """Every pipe with its bounds; a program that is refused has none."""
        if verdict is None or verdict.case is None:
            return []
        return [self._judge(one, verdict, bottoms) for one in self.asked]

    def _judge(self, one: Asked, verdict: Admission, bottoms: Sequence[Thread]) -> Pipe:
        derived = derive(one.end.attrs, one.qos, one.end.attrs.delay_us, self.start_us)
        if isinstance(derived, Refused):
            return Pipe(one, None, None, refusal(one, derived))
        if not verdict.admitted:
            return Pipe(one, derived, None)
        io = _io_of(one.end, verdict, bottoms)
        served = one.end.thread or one.thread
        case = verdict.case_for(served.name, *([io] if io else []))
        beside = verdict.case_for(one.thread.name)
        end = NativeEndpoint(case.native(), self.endpoint(one.end, case, io))
        bounds, refused = end.pipe(one.qos, place_of(beside, one.thread), beside.native())
        why = end.refused() or refused
        text = refusal(one, why, self._longest(one, case, io)) if why else ""
        return Pipe(one, derived, bounds, text)

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
        )

    def _served_by(self, bottom: Thread | None) -> list[Thread]:
        """Threads of all endpoints for which a bottom half works."""
        ends = [end for end in self.ends if bottom and end.bottom == bottom]
        return [end.thread for end in ends if end.thread] + [
            one.thread for one in self.asked if one.end in ends and not one.end.thread
        ]

    def _longest(self, one: Asked, case: Case, io: str | None) -> int | None:
        """The longest period of the endpoint's thread with which nothing is lost in the device."""
        if one.end.thread is None:
            return None
        index = [loop.name for loop in case.loops].index(one.end.thread.name)

        def fits(period: int) -> bool:
            changed = case.change(index, period_us=period)
            thread = replace(one.end.thread, period_us=period)
            end = replace(one.end, thread=thread)
            asked = tuple(replace(a, end=end) if a.end == one.end else a for a in self.asked)
            seen = replace(self, asked=asked)
            native = changed.native()
            if native.exact()[0] != 0:
                return False
            found = NativeEndpoint(native, seen.endpoint(end, changed, io)).refused()
            return found is None

        longest = one.end.thread.period_us or 0
        steps = sorted({longest * k // 100 for k in range(1, 100)}, reverse=True)
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


def require(found: Sequence[Pipe], where: str) -> None:
    """Raises UserError with the first refusal."""
    for one in found:
        if one.refusal:
            what, _, fix = one.refusal.partition("; ")
            raise UserError(what, where, fix)


def find(program: Program, threads: Sequence[Thread], start_us: int) -> Pipes:
    """Those of a program. start_us: of budget that a start costs."""
    by_address = dict(zip(program.descriptors(), threads, strict=True))
    ends: dict[tuple[int, int], End] = {}
    asked = []
    records = sorted(
        s.address for s in program.symbols if s.name.startswith(RECORD) and s.kind == "OBJECT"
    )
    for address in records:
        record = structs.read(program, address, FIELDS)
        key = record["end"], record["attrs"]
        if key not in ends:
            ends[key] = _end(program, *key, by_address)
        qos = Qos(*(record[name] for name in ("latency", "tput", "iobufsz", "texec_time")))
        thread = by_address[record["thread"]]
        asked.append(Asked(thread.name, thread, ends[key], qos))
    asked.sort(key=lambda one: one.thread.place)
    return Pipes(tuple(asked), start_us, tuple(ends.values()))


def _end(program: Program, address: int, attrs: int, threads: dict[int, Thread]) -> End:
    found = structs.read(program, address, END_FIELDS)
    return End(
        program.text(found["name"]) if found["name"] else "endpoint",
        address,
        Attrs(**structs.read(program, attrs, ATTRS)),
        found["direction"] == 1,
        threads.get(found["thread"]),
        threads.get(found["bottom"]),
    )
