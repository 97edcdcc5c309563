"""The tasks of a program (takt/task.h), and how much stack they take on top of what runs them.

Preemptive, every task can be interrupted by a more urgent one, all on one stack: the sum of all,
and between any two what interrupts and starts the next. One at a time: the deepest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from takt.code.elf import Program

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


def tick_us(program: Program) -> int:
    """Of the periods in the table."""
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
