"""What a run shows of tasks (takt/task.h): from the trace, or, of tasks alone, from the machine."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from takt.code.elf import Program
from takt.code.task_table import read, tick_us
from takt.result.delivered import Delivered
from takt.result.trace import Kind, Trace


@dataclass(frozen=True)
class Ran:
    """What a run shows of a task; cpu: of those that run without threads, as the machine saw it."""

    name: str
    period_us: int | None  # None: triggered
    releases: int  # started, missed, and one that may wait
    finished: int
    start_max_us: int | None  # from a release
    response_max_us: int | None  # to the end
    missed: int
    cpu_us: float | None = None
    cpu_us_min: float | None = None  # of a start that ended
    cpu_us_max: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """For --json."""
        return asdict(self)


def analyse(trace: Trace, program: Program) -> list[Ran]:
    """Those of a run; none where the trace has nothing of them."""
    found = []
    for task in read(program):
        starts, ends = (trace.value[trace.of(k, task.place)] for k in (Kind.TASK, Kind.TASK_END))
        if not len(trace.of(Kind.TASK)):
            return []
        missed, releases = len(trace.of(Kind.TASK_MISSED, task.place)), len(starts)
        triggered = f"takt_task_event_{task.name}" in program.by_name
        period = task.period * tick_us(program)
        if not triggered:
            releases = _released(trace, period)
            missed = max(missed, releases - len(starts) - 1)
        found.append(
            Ran(
                name=task.name,
                period_us=None if triggered else period,
                releases=releases,
                finished=len(ends),
                start_max_us=None if triggered else _most(starts),
                response_max_us=None if triggered else _most(ends),
                missed=0 if triggered else missed,
            )
        )
    return found


def seen(program: Program, machine: Delivered, end_us: float) -> list[Ran]:
    """Those of a run of tasks alone, in the order of read(), by the calls of their functions:
    nothing else tells of them. A release is counted from the first start of all on."""
    tasks = read(program)
    calls = [machine.calls(n) for n in range(len(tasks))]
    first = min((float(c.start[0]) for c in calls if len(c.start)), default=end_us)
    found = []
    for task, each in zip(tasks, calls, strict=True):
        period = task.period * tick_us(program)
        done = each.us[: each.finished]
        releases = int((end_us - first) // period) + 1 if period else len(each.start)
        found.append(
            Ran(
                name=task.name,
                period_us=period or None,
                releases=releases,
                finished=each.finished,
                start_max_us=None,
                response_max_us=None,
                missed=max(0, releases - len(each.start) - 1),
                cpu_us=round(float(each.us.sum()), 1),
                cpu_us_min=round(float(done.min()), 2) if len(done) else None,
                cpu_us_max=round(float(done.max()), 2) if len(done) else None,
            )
        )
    return found


def _released(trace: Trace, period: int) -> int:
    """Releases up to the end, by dates: the first start of all is of a task released at the start.
    What the kernel notes as missed comes later, when somebody has time to look."""
    starts = trace.of(Kind.TASK)
    first = int(trace.time[starts[0]]) - int(trace.value[starts[0]])
    return int(trace.end - first) // period + 1


def _most(values: Any) -> int | None:
    return int(values.max()) if len(values) else None
