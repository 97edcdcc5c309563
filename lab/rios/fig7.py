"""rios.fig7: what lies on the stack while three tasks run (Figure 7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from takt import boards
from takt.cli.labs import drawing as lab_drawing
from takt.code.elf import Program
from takt.machine.avr import SP, AvrMachine

from .programs import MHZ, Made, functions, takt

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from takt.cli.labs.lab import Outcome

SOURCE = "RIOS: Miller, Vahid, Givargis, WESE 2012. Virtual time, the same in every run."
SPAN_MS = 1400
TICK = "__vector_13"
WAKE = "__vector_14"
TASKS = {"takt_task_run_one": "T1", "takt_task_run_two": "T2", "takt_task_run_three": "T3"}
COLOURS = {"main": "#d9d9d9", "ISR": "#f2c14e", "T1": "#4c9f70", "T2": "#3d7ea6", "T3": "#c8553d"}
PAPER_DONE_MS, PAPER_FRAMES = 900, 5  # "approximately 900 milliseconds"; main, ISR, T3, ISR, T1


@dataclass
class Frame:
    """Something on the stack: level 0 is main."""

    name: str
    level: int
    start_ms: float
    end_ms: float


def frames(made: Made) -> tuple[list[Frame], int]:
    """All of them, and the most bytes of stack; by breaks where each comes and goes."""
    machine, program = made.machine(), Program(made.elf)
    bodies = functions(made, [*TASKS, TICK])
    ends = {where[-1] - 1: name for name, where in bodies.items()}
    starts = {where[0]: name for name, where in bodies.items()}
    for address in (*starts, *ends):
        machine.break_at(address)
    origin = _first_tick(machine, program)
    open_: list[Frame] = [Frame("main", 0, 0, SPAN_MS)]
    closed, deepest = [open_[0]], 0
    top = machine.register(SP)
    while machine.run(origin + SPAN_MS * 1000 * MHZ).reason == "break":
        at = (machine.now - origin) / 1000 / MHZ
        if name := starts.get(machine.pc):
            open_.append(Frame(TASKS.get(name, "ISR"), len(open_), at, SPAN_MS))
            closed.append(open_[-1])
        elif machine.pc in ends:
            open_.pop().end_ms = at
        deepest = max(deepest, top - machine.register(SP))
    return closed, deepest


def _first_tick(machine: AvrMachine, program: Program) -> int:
    """Just before the first tick: where main has been told to wake."""
    wake = program.by_name[WAKE].address
    machine.break_at(wake)
    machine.run(machine.now + 1_000_000 * MHZ)
    if machine.now < 100_000:  # a compare at the start, before the first tick
        machine.run(machine.now + 1_000_000 * MHZ)
    machine.break_at(wake, False)
    return machine.now


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """What lies on the stack while three tasks run (Figure 7)."""
    found, deepest = frames(takt("fig7", "plain", board))
    third = next(frame for frame in found if frame.name == "T3")
    ticks = [frame for frame in found if frame.name == "ISR" and frame.end_ms < third.end_ms]
    values = {
        "frames_max": (max(frame.level for frame in found) + 1, "", PAPER_FRAMES),
        "third_returns_ms": (round(third.end_ms, 2), "ms", PAPER_DONE_MS),
        "preemptions": (len(ticks), "", None),
        "stack_bytes_max": (deepest, "B", None),
    }
    rows = [
        {"case": "takt-task", "metric": metric, "value": value, "unit": unit, "paper": paper,
         "goal": None}
        for metric, (value, unit, paper) in values.items()
    ]  # fmt: skip
    config = {
        "tasks": "T1 10 ms every 250 ms, T2 100 every 500, T3 500 every 1000",
        "frames": [[f.name, f.level, round(f.start_ms, 3), round(f.end_ms, 3)] for f in found],
        "frames_max": "the paper has a handler below a task that main starts itself here",
    }
    return {"board": board.name, "config": config, "rows": rows}


def draw(outcome: Outcome) -> Figure:
    """Time to the right, the stack upwards."""
    figure, (axes,) = lab_drawing.sheet(
        SOURCE,
        "Frames on one stack (Figure 7)",
        "Three tasks: 10 ms every 250, 100 every 500, 500 every 1000; tick 250 ms. Time to the "
        "right, the stack upwards.",
    )
    for name, level, start, end in outcome.config["frames"]:
        width = max(end - start, 2)
        axes.broken_barh([(start, width)], (level, 0.94), color=COLOURS[name], edgecolor="black")
        if end - start > 20:
            middle = (start + end) / 2
            axes.text(middle, level + 0.47, name, ha="center", va="center", fontsize=9)
        elif name != "main":
            axes.text(start - 3, level + 0.47, name, ha="right", va="center", fontsize=9)
    axes.set_xlim(-40, SPAN_MS)
    axes.set_ylim(0, 5)
    axes.set_yticks([])
    axes.set_xticks(range(0, SPAN_MS + 1, 250))
    axes.set_xlabel("ms")
    axes.set_ylabel("stack")
    return figure
