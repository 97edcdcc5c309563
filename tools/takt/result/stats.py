"""Figures of a run, from its trace. Where the machine sees what threads are delivered
(delivered.py), cpu_us, background_us and what follows from them are cycles of the thread's own, and
kernel_cpu_us is what the kernel's trace makes of cpu_us; elsewhere both are the kernel's.

measured span   from the end of setup() (kernel start in a C program) to the end of the run.
cpu_us          foreground time: the thread ran on its budget, handlers left out.
background_us   the thread ran without budget.
periods         whole periods T in the measured span. Their borders are span start + k * T: there
                every budget starts afresh, and as long as a loop always wants CPU its budget
                is replenished exactly at these borders. A loop that blocks shifts its
                replenishments; its minimum then only says how much it wanted.
cpu_us_min/max  least and most foreground time in one of these periods.
least_us        C, less what being interrupted may cost (delivered.py): what it must be delivered.
exhausted       how often the budget ran out, also by being charged for waking.
response_max_us longest time from a budget being due (replenished, and the loop ready or to be
                woken) until it was delivered or the loop blocked: responses.py.
                A delivery that is still open at the end counts once it is late.
share_us        of a bottom half, which has no budget of its own: C and T of interruptsVcpu().
starved         how often the kernel dated budget anew that was not used for a period.
short           periods through which a loop that was promised its C wanted CPU, and was delivered
                less, on budget and in spare time together, but for what it paid for handlers that
                its own calls made work, for its pieces (owed.py) and for its own section.
over            periods through which one that never waits was delivered more on its budget than C
                and what the kernel may find too late (G2), its own section included.
misses          responses longer than the bound that admission promised, with the budgets of that
                time, and the starved; or periods that were short, if these are more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from takt.result import budgets, owed, responses
from takt.result.budgets import used_between
from takt.result.delivered import Delivered, Tolerance
from takt.result.deliveries import Delivery
from takt.result.jobs import Jobs
from takt.result.pipe_traffic import Traffic
from takt.result.rebudgets import Promised, constant
from takt.result.task_runs import Ran
from takt.result.trace import KERNEL, NOBODY, Kind, Trace

TOLERANCE = Tolerance()


class ThreadInfo(Protocol):
    """What stats need to know of a thread; the build's Thread has it."""

    name: str
    place: int
    budget_us: int | None
    period_us: int | None


@dataclass
class ThreadStats:
    """Figures of one thread; see the module for their meaning."""

    name: str
    place: int
    budget_us: int | None
    period_us: int | None
    bound_us: int | None = None
    least_us: float | None = None
    cpu_us: int = 0
    kernel_cpu_us: int = 0
    periods: int = 0
    cpu_us_min: int | None = None
    cpu_us_max: int | None = None
    exhausted: int = 0
    background_us: int = 0
    response_max_us: int | None = None
    misses: int = 0
    short: int = 0
    over: int = 0
    starved: int = 0
    blocked: int = 0
    interrupted: int = 0  # while it ran, as the machine has seen
    share_us: tuple[int | None, int | None] = (None, None)

    @property
    def always_wants_cpu(self) -> bool:
        """Never blocked in the measured span."""
        return self.blocked == 0 and self.cpu_us + self.background_us > 0


@dataclass
class SourceStats:
    """Figures of one interrupt source."""

    source: int
    count: int
    total_us: int
    max_us: int


@dataclass
class Stats:
    """Figures of a run."""

    threads: list[ThreadStats]
    interrupts: list[SourceStats]
    span_us: int
    idle_us: int
    isr_us: int
    kernel_us: int  # choosing and switching
    lost: int
    origin_us: int
    cpus: int = 1
    others_us: float | None = None  # handlers and the kernel, as the machine saw it
    per_period: dict[int, list[int]] = field(default_factory=dict)
    deliveries: list[Delivery] = field(default_factory=list)  # events, per handler
    pipes: list[Traffic] = field(default_factory=list)
    jobs: list[Jobs] = field(default_factory=list)  # per periodic thread
    tasks: list[Ran] = field(default_factory=list)  # the most urgent first

    @property
    def overhead_pct(self) -> float:
        """Share of the span that interrupt handlers and the kernel took, of all CPUs."""
        if self.span_us <= 0:
            return 0.0
        if self.others_us is not None:
            return round(100 * self.others_us / self.span_us, 4)
        return round(100 * (self.isr_us + self.kernel_us) / (self.span_us * self.cpus), 4)


def per_period(trace: Trace, place: int, period_us: int) -> np.ndarray:
    """Foreground us of a thread in each whole period of the measured span."""
    count = (trace.end - trace.origin) // period_us
    borders = trace.origin + period_us * np.arange(count + 1, dtype=np.int64)
    knots, used = trace.used_until(place, background=False)
    if count < 1 or len(knots) < 2:
        return np.zeros(max(count, 0), dtype=np.int64)
    return np.rint(np.diff(np.interp(borders, knots, used))).astype(np.int64)


def _borders(trace: Trace, period_us: int) -> np.ndarray:
    """Of the whole periods of the measured span."""
    count = max(0, (trace.end - trace.origin) // period_us)
    return trace.origin + period_us * np.arange(count + 1, dtype=np.int64)


def _from_machine(
    found: ThreadStats,
    trace: Trace,
    machine: Delivered,
    tolerance: Tolerance,
    promised: Promised,
) -> list[int]:
    """Fills in what the machine knows better; on budget per period."""
    curve = machine.curve(found.place)
    spare = curve.within(trace.stretches(found.place, background=True))
    span = [trace.origin, trace.end]
    everything, beyond = (float(np.diff(c.at(span))[0]) for c in (curve, spare))
    found.cpu_us, found.background_us = round(everything - beyond), round(beyond)
    found.interrupted = machine.interruptions(found.place)
    if not found.period_us or not len(trace.time):
        return []
    borders = _borders(trace, found.period_us)
    if found.budget_us:
        found.least_us = round(tolerance.least_us(found.budget_us), 1)
    judged = found.bound_us is not None and found.name not in promised.unseen
    if judged and found.least_us is not None:
        # Where it has slept its budget has other dates: windows begin where that suits it best.
        shifts = found.period_us * np.arange(16) // 16 if found.blocked else (0,)
        given = (found, trace, machine, tolerance, curve, spare, promised)
        found.short = min(owed.short(*given, borders + at) for at in shifts)
        found.misses = max(found.misses, found.short)
    on_budget = np.diff(curve.at(borders)) - np.diff(spare.at(borders))
    if judged and found.budget_us and not found.blocked and found.name not in promised.changed:
        most = found.budget_us + tolerance.over_us + promised.sections.get(found.name, 0)
        found.over = int((on_budget > most).sum())
    return np.rint(on_budget).astype(int).tolist()


def _delivered_by(
    info: ThreadInfo, promised: Promised, machine: Delivered
) -> Callable[[int, int], float]:
    """By when a thread had its C that was due at one instant, and has ended by another."""
    curve, c_us = machine.curve(info.place), info.budget_us or 0

    def had(due: int, end: int) -> float:
        return curve.reached(due, float(promised.budgets(info.name, c_us, np.array([due, end]))[0]))

    return had


def _thread(
    trace: Trace,
    info: ThreadInfo,
    promised: Promised,
    start_us: int,
    machine: Delivered | None,
    tolerance: Tolerance,
) -> tuple[ThreadStats, list[int]]:
    place, since, bound_us = info.place, trace.origin, promised.longest(info.name)
    had = _delivered_by(info, promised, machine) if machine else None
    delivery = responses.of(trace, place, since, tolerance.more_us, had)
    found = ThreadStats(info.name, place, info.budget_us, info.period_us, bound_us)
    if share := getattr(info, "share", None):
        found.share_us = (share.c_us, share.t_us)
    found.cpu_us = used_between(trace, place, since, trace.end)
    found.background_us = used_between(trace, place, since, trace.end, background=True)
    found.exhausted = budgets.exhausted(trace, info)
    found.starved = len(trace.of(Kind.STARVED, place, since))
    found.blocked = len(trace.of(Kind.BLOCK, place, since))
    if len(delivery.us):
        found.response_max_us = int(delivery.us.max())
    limits = promised.limits(info.name, delivery.ends - delivery.us, delivery.ends)
    found.misses = found.starved + int(((delivery.us > limits) & ~delivery.starved).sum())
    usable = budgets.usable_since(trace, info, start_us)
    usable = delivery.overdue_since if usable is None else usable
    late = 0 if usable is None else trace.end - usable
    if late > promised.limit(info.name, trace.end - late, trace.end):
        found.misses += 1
        found.response_max_us = max(late, found.response_max_us or 0)
    windows: list[int] = []
    found.kernel_cpu_us, found.least_us = found.cpu_us, found.budget_us
    if machine:
        windows = _from_machine(found, trace, machine, tolerance, promised)
    elif info.period_us:
        windows = per_period(trace, place, info.period_us).tolist()
    found.periods = len(windows)
    if windows:
        found.cpu_us_min, found.cpu_us_max = min(windows), max(windows)
    return found, windows


def _interrupts(trace: Trace) -> list[SourceStats]:
    start, end, source = trace.isr
    inside = end > trace.origin
    length, source = (end - start)[inside], source[inside]
    return [
        SourceStats(
            int(s),
            int((source == s).sum()),
            int(length[source == s].sum()),
            int(length[source == s].max()),
        )
        for s in np.unique(source)
    ]


def analyse(
    trace: Trace,
    threads: list[ThreadInfo],
    bounds: Promised | dict[str, int | None],
    start_us: int = budgets.START_US,
    machine: Delivered | None = None,
    tolerance: Tolerance = TOLERANCE,
) -> Stats:
    """All figures of a run. bounds: us promised by admission, by thread name; start_us: what the
    board charges for a start; machine: what it has seen, if it can."""
    promised = bounds if isinstance(bounds, Promised) else constant(bounds)
    rows = [_thread(trace, info, promised, start_us, machine, tolerance) for info in threads]
    pieces, in_isr = trace.pieces
    inside = pieces.end > trace.origin
    length = np.where(inside, pieces.end - np.maximum(pieces.start, trace.origin), 0)
    idle = (pieces.place == NOBODY) & ~in_isr
    others_us = None
    if machine:
        places = [info.place for info in threads]
        others_us = machine.others_us(trace.origin, trace.end, places)
    return Stats(
        threads=[row for row, _ in rows],
        interrupts=_interrupts(trace),
        span_us=trace.end - trace.origin,
        idle_us=int(length[idle].sum()),
        isr_us=int(length[in_isr].sum()),
        kernel_us=int(length[(pieces.place == KERNEL) & ~in_isr].sum()),
        lost=trace.lost,
        origin_us=trace.origin,
        cpus=len(trace.parts),
        others_us=others_us,
        per_period={row.place: windows for row, windows in rows},
    )
