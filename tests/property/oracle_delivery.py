"""How late an event may reach its handler, by other means than admission/admit_delivery.c's.

An I/O VCPU of share U serves threads of various periods, the handler's T among them; x is charged
to it beside each budget. Everything below is exact until the end, in microseconds.

* A budget of some period T' is C' = floor(U T'). If all of it has just been used, the next comes
  (C' + x) / U after it began. The longest such gap is that of the longest period.
* From then on work d has budgets of C = floor(U T) at its disposal, one every (C + x) / U, or as
  late as the response time of a whole one. The last one takes as long as the response time of what
  is left of the work.
* If shorter periods are served too, any budget may be cut to C' of the shortest. So many budgets
  may be needed; they pass at the rate U, and each may be rounded up; the last one may be as long as
  all the work or a whole budget.
* A bottom half that waited for a device has a new budget, but not before (d + x) / U of the last.
* The handler's own budget is back T later at the latest, and delivered its response time later.

The paper's Equation 3 counts budgets of exactly C per T for both, and no one else.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from oracle_response import Io, Task, response

NS = 1000


@dataclass(frozen=True)
class Path:
    """By place of the handler and number of its I/O VCPU; times in us."""

    place: int
    io: int
    shortest: int
    longest: int
    top: int
    work: tuple[int, ...]
    wait: tuple[int, ...] = ()


@dataclass(frozen=True)
class Setting:
    """Threads (ns), other interrupts (ns), and I/O VCPUs with overheads in ns."""

    tasks: list[Task]
    sources: list[Task]
    ios: list[Io]

    def of_work(self, path: Path, work: int) -> int | None:
        """Response time in us of work of the I/O VCPU just before the handler."""
        handler = self.tasks[path.place]
        item = Task(work * NS, handler.period, 0, handler.blocking)
        tasks = [*self.tasks[: path.place], item, *self.tasks[path.place :]]
        others = [io for i, io in enumerate(self.ios) if i != path.io]
        found = response(tasks, path.place, self.sources, others, 1 << 41)
        return None if found is None else ceil(found / NS)


def safe(setting: Setting, path: Path) -> int | None:
    """Bound from the top half's start until the handler takes the event."""
    io, handler = setting.ios[path.io], setting.tasks[path.place]
    u, x, period = io.u, io.overhead // NS, handler.period // NS
    whole, least, most = (int(u * t) for t in (period, path.shortest, path.longest))
    if least == 0:
        return None
    total = path.top + max(0, ceil((most + x) / u) - most)
    for i, work in enumerate(path.work):
        pieces = max(1, ceil(Fraction(work, least)))
        if least == whole:
            apart = ceil((whole + x) / u)
            if pieces > 1:
                apart = max(apart, setting.of_work(path, whole + x))
            total += (pieces - 1) * apart
            last = work - (pieces - 1) * whole
        else:
            if pieces > 1:
                total += pieces - 1 + ceil((work + (pieces - 1) * x) / u)
            last = min(work, whole)
        total += setting.of_work(path, last + x)
        if i < len(path.wait):
            wait = path.wait[i]
            total += wait + max(0, ceil((last + x) / u) - last - wait)
    own = response(setting.tasks, path.place, setting.sources, setting.ios, handler.period)
    return None if own is None else total + period + ceil(own / NS)


def paper(
    c: int, period: int, u: Fraction, work: list[int], wait: list[int], corrected: bool
) -> int | None:
    """Equation 3, with T_io = T_h; the waits, which it does not know, are added."""
    c_io, delta = int(u * period), sum(work)
    if c_io == 0:
        return None
    full = ceil(Fraction(delta, c_io) - 1)
    rest = delta - full * c_io if corrected else delta % c_io
    return (period - c) + (period - c_io) + full * period + rest + sum(wait)
