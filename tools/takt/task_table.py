"""The tasks of a program (takt/task.h), and how much stack they take on top of what runs them.

Preemptive, every task can be interrupted by a more urgent one, all on one stack: the sum of all,
and between any two what interrupts and starts the next. One at a time: the deepest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from takt.delivered import Delivered
from takt.elf import Program
from takt.trace import Kind, Trace

PREFIX = "takt_task_"
TABLE, TABLE_END = "takt_tasks", "takt_tasks_end"  # kernel/job/task_table.c
NUMBER = f"{PREFIX}number_"  # where the linker composes the pass


@dataclass(frozen=True)
class Task:
    """One record of the table."""

    name: str
    place: int  # 0 is the most urgent
    run: int  # address of its function
    period: int  # ticks
    address: int


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
        period = task.period * _tick_us(program)
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
        period = task.period * _tick_us(program)
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


def _tick_us(program: Program) -> int:
    tick = program.by_name.get("takt_task_tick")
    return tick.address if tick else 0


def read(program: Program) -> list[Task]:
    """Most urgent first."""
    symbols = program.by_name
    if composed := [s for s in program.symbols if s.name.startswith(NUMBER)]:
        return [_composed(program, s.name.removeprefix(NUMBER), n)
                for n, s in enumerate(sorted(composed, key=lambda s: s.address))]  # fmt: skip
    table = extent(program)
    size = symbols.get(f"{PREFIX}bytes")
    if not (table and size and size.address):
        return []
    names = {s.address: s.name for s in program.symbols if s.kind == "OBJECT"}
    pointer = program.architecture.pointer
    span = {5: 1, 8: 2}.get(size.address, 4)
    found = []
    for place, at in enumerate(range(table.start, table.stop, size.address)):
        period = int.from_bytes(program.read(at + pointer, span), "little")
        name = names.get(at, f"{PREFIX}{place}").removeprefix(PREFIX)
        found.append(Task(name, place, program.code_at(at), period, at))
    return found


def _composed(program: Program, name: str, place: int) -> Task:
    """One whose piece of the pass is code (port/avr/port_task_composed.h), as is its period."""
    run = program.by_name[f"{PREFIX}run_{name}"].address
    return Task(name, place, run, 0, program.by_name[f"{PREFIX}{name}"].address)


def extent(program: Program) -> range:
    """Where the table is."""
    start, end = (program.by_name.get(name) for name in (TABLE, TABLE_END))
    return range(start.address, end.address) if start and end else range(0)


def alone(program: Program) -> bool:
    """Do its tasks run without threads?"""
    return bool(read(program)) and not program.descriptors()


def on_top(program: Program, need: Callable[[int], int], between: int, in_turn: bool) -> int:
    """Stack bytes of all tasks; need: of a function and what it calls; between: of what interrupts
    a task and starts another."""
    needs = [need(task.run) for task in read(program)]
    if not needs:
        return 0
    if in_turn:
        return max(needs)
    return sum(needs) + between * (len(needs) - 1)
