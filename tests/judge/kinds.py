"""The kinds of threads that random sketches are made of: their text, and what is asked of each.

`view` is what the judge has: edges by pin, the sketch, bounds (see verdict.py). Every kind says in
plain words what fell short.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from work import Work, work_of

GRID_US = 50  # releases are looked for in these steps

if TYPE_CHECKING:
    from rules import Rule
    from verdict import View


def us_text(us: int) -> str:
    """A duration in a header."""
    return str(us // 1000) if us % 1000 == 0 else f"{us}_us"


@dataclass
class Kind:
    """One thread. `weight` is its part of what the CPU has, before that is scaled."""

    id: int
    period_us: int
    weight: float
    budget_us: int = 0
    pins: tuple[int, ...] = ()
    extra: str = ""  # what else a unit does

    scaled = True

    @property
    def name(self) -> str:
        """As the build calls it."""
        return f"loop {self.id}"

    @property
    def outputs(self) -> tuple[int, ...]:
        return self.pins

    def section_us(self, rule: Rule) -> float:
        """Of the section in a unit, at most: by so much its budget may end late, and it has as much
        less in the next period."""
        rounds = re.search(r"spin\((\d+)\)", self.extra)
        return int(rounds[1]) * 1.3 * rule.spin_ns / 1000 + rule.extra_us if rounds else 0.0

    @property
    def header(self) -> str:
        return f"loop({self.id}, {us_text(self.budget_us)}, {us_text(self.period_us)})"

    def text(self) -> str:
        raise NotImplementedError

    def setup(self) -> str:
        """Its lines in setup()."""
        return ""

    def globals(self) -> str:
        return ""

    def judge(self, view: View) -> list[str]:
        raise NotImplementedError


@dataclass
class Greedy(Kind):
    """Never waits. endless: in a for(;;), else a unit a call."""

    spin: int = 150
    endless: bool = True

    def text(self) -> str:
        unit = f"toggle({self.pins[0]}, s); {self.extra}spin({self.spin});"
        body = f"for (;;) {{ {unit} }}" if self.endless else unit
        return f"void {self.header} {{ static bool s; {body} }}\n"

    def judge(self, view: View) -> list[str]:
        """Of windows from view.start on, the instant that suits the whole program best."""
        work = work_of(view.edges(self.pins[0]))
        if work is None:
            return [f"{self.name}: no work to be seen on pin {self.pins[0]}"]
        length = view.cycles(self.period_us)
        count = (view.end - view.start) // length
        done = view.us(work.within(view.start, length, count))
        rule = view.rule
        wanted = rule.share * self.budget_us - rule.less_us - self.section_us(rule)
        found = [
            f"{self.name}: window {k} of {self.period_us} us holds {us:.1f} us of work, "
            f"{wanted:.1f} are promised (C {self.budget_us} us)"
            for k, us in enumerate(done)
            if us < wanted
        ]
        return found + self._over(view, work, length, count)

    def _over(self, view: View, work: Work, length: int, count: int) -> list[str]:
        """What it took beyond its budget, where a task without one takes all spare time."""
        if not view.sketch.spare_is_eaten or view.sketch.tasks_us:
            return []
        at = view.start + length * np.arange(count + 1)
        least = view.us(work.least(at[1:]) - work.most(at[:-1]))
        late = self.section_us(view.rule) + view.us(2 * work.unit)
        most = self.budget_us * 1.01 + view.rule.over_us + late
        return [
            f"{self.name}: window {k} holds {us:.1f} us of work, more than C {self.budget_us} us"
            for k, us in enumerate(least)
            if us > most
        ]


@dataclass
class First(Greedy):
    """The most urgent of some that start together, with a budget of which little is much."""

    scaled = False


@dataclass
class Company(Kind):
    """Starts when that one does, and is not looked at."""

    sleeps: bool = False

    scaled = False

    def text(self) -> str:
        body = f"delay({self.period_us}_us);" if self.sleeps else "for (;;) spin(1);"
        return f"void {self.header} {{ {body} }}\n"

    def judge(self, view: View) -> list[str]:
        return []


@dataclass
class Sleeper(Kind):
    """Works and sleeps. light: meant to use less in two periods than one budget, so that it has
    budget whenever it wakes."""

    sleep_us: int = 1000
    units: int = 1
    spin: int = 50
    light: bool = False

    def text(self) -> str:
        work = f"for (uint16_t n = {self.units}; n; n--) {{ {self.extra}spin({self.spin}); }}"
        pin = self.pins[0]
        return (
            f"void {self.header} {{ digitalWrite({pin}, HIGH); {work} "
            f"digitalWrite({pin}, LOW); delay({self.sleep_us}_us); }}\n"
        )

    def judge(self, view: View) -> list[str]:
        edges = view.edges(self.pins[0])
        if len(edges) < 4:
            return [f"{self.name}: it did not run"]
        wakes, ends = edges[2::2], edges[1::2]
        count = min(len(wakes), len(ends))
        asleep = view.us(wakes[:count] - ends[:count])
        found = [
            f"{self.name}: asleep for {us:.2f} us, {self.sleep_us} us were asked for"
            for us in asleep[asleep < self.sleep_us]
        ]
        return found + (self._late(view, edges, asleep) if self._is_light(view, edges) else [])

    def _is_light(self, view: View, edges: np.ndarray) -> bool:
        """Whether two periods' wake-ups take less than a budget, with what waking may cost."""
        work = view.us((edges[1::2] - edges[0::2][: len(edges[1::2])]).min())
        wakes = 2 * self.period_us / (self.sleep_us + work) + 2
        return self.light and wakes * (work + view.rule.wake_us) < self.budget_us

    def _late(self, view: View, edges: np.ndarray, asleep: np.ndarray) -> list[str]:
        """It may be preempted before it has asked to sleep; all of it within its bound."""
        bound = view.bound(self.name)
        first = view.is_first(self)
        most = self.sleep_us + (1 if first else 2) * bound + view.rule.call_us
        found = [
            f"{self.name}: woke {us - self.sleep_us:.1f} us after the time it asked for, "
            f"bound {bound} us"
            for us in asleep[asleep > most]
        ]
        runs = view.us(edges[1::2] - edges[0::2][: len(edges[1::2])])
        return found + [
            f"{self.name}: took {us:.1f} us from waking to the end of its work, bound {bound} us"
            for us in runs[runs > bound + view.rule.call_us]
        ]


@dataclass
class Job(Kind):
    """A periodic job of `units`, that begins and ends with an edge each."""

    units: int = 10
    spin: int = 150
    policy: str = ""
    fits: bool = True  # meant to need less than C; what it needs is seen

    @property
    def name(self) -> str:
        return f"periodic {self.id}"

    def text(self) -> str:
        policy = f", {self.policy}" if self.policy else ""
        c, t = us_text(self.budget_us), us_text(self.period_us)
        start, end, unit = self.pins
        work = f"for (uint16_t n = {self.units}; n; n--) {{ toggle({unit}, u); {self.extra}"
        return (
            f"void periodic({self.id}, {c}, {t}{policy}) {{ static bool s, e, u; "
            f"toggle({start}, s); {work}spin({self.spin}); }} toggle({end}, e); }}\n"
        )

    def judge(self, view: View) -> list[str]:
        starts, ends = view.edges(self.pins[0]), view.edges(self.pins[1])
        if len(starts) < 3:
            return [f"{self.name}: {len(starts)} jobs began"]
        period = view.cycles(self.period_us)
        release = _releases(starts, period)
        work = work_of(view.edges(self.pins[2]))
        if work is None:
            return [f"{self.name}: no work to be seen"]
        needs = view.us(work.unit) * self.units + view.rule.call_us
        if needs > self.budget_us:
            return self._windows(view, work, release, period)
        return [
            *self._missed(view, starts, release, period),
            *self._ended(view, work, starts, ends),
            *self._late(view, ends, release, period),
        ]

    def _missed(self, view: View, starts: np.ndarray, release: int, period: int) -> list[str]:
        """Each release has a job."""
        numbers = (starts - release) // period
        wanted = np.arange((view.end - view.cycles(view.bound(self.name)) - release) // period)
        gone = sorted(set(wanted.tolist()) - set(numbers.tolist()))
        return [f"{self.name}: release {k} has no job" for k in gone]

    def _ended(self, view: View, work: Work, starts: np.ndarray, ends: np.ndarray) -> list[str]:
        """Between two beginnings is an end."""
        between = np.searchsorted(ends, starts)
        killed = np.flatnonzero(np.diff(between) < 1)
        needs = view.us(work.unit) * self.units
        found = []
        for k in killed:
            had = view.us(work.between(starts[k], starts[k + 1]))
            found.append(
                f"{self.name}: job {k} was ended with {had:.1f} us of its {needs:.1f} us of work "
                f"done, C {self.budget_us} us"
            )
        return found

    def _late(self, view: View, ends: np.ndarray, release: int, period: int) -> list[str]:
        """An end belongs to the release before it: a later one than its period's end has been found
        as a release without a job, or is late by this measure for the next."""
        bound = view.bound(self.name)
        if bound > self.period_us or not len(ends):
            return []
        took = view.us((ends - release) % period)
        most = bound + view.rule.call_us
        return [
            f"{self.name}: ended {us:.1f} us after its release, bound {bound} us"
            for us in took[took > most]
        ]

    def _windows(self, view: View, work: Work, release: int, period: int) -> list[str]:
        """It needs more than C: at least C is there from each release to the next. The release may
        be earlier than seen, by its bound: what suits it best counts."""
        ends = view.edges(self.pins[1])
        earliest = release - view.cycles(view.bound(self.name))
        shifts = np.arange(release, earliest, -view.cycles(GRID_US))
        return min((self._short(view, work, ends, int(at), period) for at in shifts), key=len)

    def _short(self, view: View, work: Work, ends: np.ndarray, at: int, period: int) -> list[str]:
        """Of windows in which it did not finish, or had done so without coming to its next wait."""
        first = max(0, -((at - view.set_up) // period))
        count = (view.end - at) // period
        done = view.us(work.within(at, period, count))
        wanted = view.rule.share * self.budget_us - view.rule.less_us - GRID_US
        wanted -= self.section_us(view.rule)
        finished = set(((ends - at) // period).tolist())
        with_all = {k + 1 for k in finished if k < count and done[k] >= self.budget_us}
        excused = finished | with_all if self.policy == "SKIP" else finished
        return [
            f"{self.name}: {us:.1f} us of work after release {k}, C {self.budget_us} us"
            for k, us in enumerate(done)
            if us < wanted and k >= first and k not in excused
        ]


def _releases(starts: np.ndarray, period: int) -> int:
    """The first release. No job begins before its own, and each within its bound after it, so on
    the circle of a period what lies behind the longest gap is the least late."""
    phases = np.sort(starts % period)
    gaps = np.diff(phases, prepend=phases[-1] - period)
    phase = int(phases[int(np.argmax(gaps))])
    return int(starts[0]) - (int(starts[0]) - phase) % period


@dataclass
class Talker(Kind):
    """Prints a number, again and again."""

    gap_us: int = 20_000

    def text(self) -> str:
        return (
            f"void {self.header} {{ static unsigned n; toggle({self.pins[0]}, said); "
            f"Serial.println(n++); delay({self.gap_us}_us); }}\n"
        )

    def globals(self) -> str:
        return "static bool said;\n"

    def judge(self, view: View) -> list[str]:
        """All it said arrived, in order; the last line may be under way."""
        lines = view.said.split(b"\r\n")[:-1]
        if not lines:
            return [f"{self.name}: nothing was printed"]
        for number, line in enumerate(lines):
            if line != b"%d" % number:
                said = line[:40].decode("latin-1")
                return [f"{self.name}: line {number} is {said!r}"]
        rounds = len(view.edges(self.pins[0]))
        lag = 64 // (len(str(rounds)) + 2) + 3
        if len(lines) < rounds - lag:
            return [f"{self.name}: {len(lines)} lines of {rounds} came"]
        return []


@dataclass
class Reader(Kind):
    """Takes bytes from Serial, which come numbered; a toggle for each."""

    sent: int = 0

    def text(self) -> str:
        return (
            f"void {self.header} {{ static bool s; static uint8_t n; while (Serial.available()) "
            f"{{ if (Serial.read() != n++) wrong(); toggle({self.pins[0]}, s); }} delay(5); }}\n"
        )

    def judge(self, view: View) -> list[str]:
        got = len(view.edges(self.pins[0]))
        return [] if got == self.sent else [f"{self.name}: {got} of {self.sent} bytes were read"]


@dataclass
class Handler(Kind):
    """Of a pin's edges; toggles its own pin first."""

    input: int = 0
    mode: str = "RISING"
    spin: int = 50
    vcpu: bool = True
    wanted: tuple[float, ...] = field(default=(), repr=False)  # edges that the mode is for
    quiet: tuple[float, ...] = field(default=(), repr=False)  # edges long after the one before
    last: tuple[float, ...] = field(default=(), repr=False)  # edges long before the next one

    scaled = False

    @property
    def name(self) -> str:
        return f"h{self.id}" if self.vcpu else "handlers"

    def globals(self) -> str:
        unit = f"toggle({self.pins[0]}, s); if (inCritical) wrong(); spin({self.spin});"
        return f"void h{self.id}() {{ static bool s; {unit} }}\n"

    def text(self) -> str:
        return ""

    def setup(self) -> str:
        pin = f"pinMode({self.input}, INPUT); "
        if not self.vcpu:
            to = f"digitalPinToInterrupt({self.input})"
            return f"{pin}attachInterrupt({to}, h{self.id}, {self.mode});"
        c, t = us_text(self.budget_us), us_text(self.period_us)
        return f"{pin}attachInterruptVcpu({self.input}, h{self.id}, {self.mode}, {c}, {t});"

    def judge(self, view: View) -> list[str]:
        """An edge after a pause has its handler within the bound; after the last one of many the
        handler begins again."""
        calls = view.edges(self.pins[0])
        bound = view.event_bound(self.name)
        if bound is None:
            return [f"{self.name}: no bound was given"]
        found = []
        ends = view.us(np.array([view.end]))[0]
        for edges, most, what in ((self.quiet, bound, "edge"), (self.last, 3 * bound, "last edge")):
            for at in edges:
                if at + most + view.rule.call_us > ends:
                    continue
                delay = _first_after(calls, view.cycles(at), view)
                if delay is None or delay > most + view.rule.call_us:
                    took = "never" if delay is None else f"{delay:.1f} us later"
                    found.append(f"{self.name}: {what} at {at:.1f} us handled {took}, "
                                 f"bound {bound} us")  # fmt: skip
        return found + self._uncaused(view, calls, view.cycles(3 * bound))

    def _uncaused(self, view: View, calls: np.ndarray, pause: int) -> list[str]:
        """Calls for which no edge is left. Edges that were merged have none, and allow none later
        than a pause."""
        edges = [view.cycles(at) for at in self.wanted]
        found, left, number = [], 0, 0
        for call in calls.tolist():
            while number < len(edges) and edges[number] <= call:
                if number and edges[number] - edges[number - 1] > pause:
                    left = 0
                left, number = left + 1, number + 1
            if not left:
                found.append(f"{self.name}: no edge caused the call at {view.us(call):.1f} us")
            left = max(0, left - 1)
        return found


def _first_after(calls: np.ndarray, cycle: int, view: View) -> float | None:
    index = int(np.searchsorted(calls, cycle))
    return float(view.us(calls[index] - cycle)) if index < len(calls) else None


@dataclass
class Pipe(Kind):
    """Numbered bytes from Serial1, a toggle for each; `lost` rises if the pipe says so."""

    rate: int = 500
    room: int = 100
    sent: int = 0

    scaled = False

    @property
    def name(self) -> str:
        return f"p{self.id}"

    def text(self) -> str:
        byte, lost = self.pins
        return (
            f"void pipe(p{self.id}, uartIn(1, 9600), qos({self.rate}, {self.room}, "
            f"{self.budget_us}_us)) {{ static bool s; static uint8_t n; int c; "
            f"while ((c = p{self.id}.read()) >= 0) {{ if (c != n++) wrong(); toggle({byte}, s); }} "
            f"if (p{self.id}.lost()) digitalWrite({lost}, HIGH); }}\n"
        )

    def judge(self, view: View) -> list[str]:
        got = len(view.edges(self.pins[0]))
        found = [] if got == self.sent else [f"{self.name}: {got} of {self.sent} bytes came"]
        return found + ([f"{self.name}: bytes were lost"] if len(view.edges(self.pins[1])) else [])


@dataclass
class Task(Kind):
    """A short task. Only that it runs is asked: without a budget nothing is promised."""

    spin: int = 100

    scaled = False

    @property
    def name(self) -> str:
        return "tasks"

    def text(self) -> str:
        return (
            f"void task({self.id}, {us_text(self.period_us)}) {{ static bool s; "
            f"toggle({self.pins[0]}, s); spin({self.spin}); }}\n"
        )

    def judge(self, view: View) -> list[str]:
        return []
