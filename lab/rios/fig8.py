"""rios.fig8: what scheduling costs (Figure 8), with a tick of 25 ms and of 1 ms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from takt import boards
from takt.cli.labs import drawing as lab_drawing
from takt.code.elf import Program
from takt.paths import ROOT

from .count import Count, Counter
from .programs import MHZ, SCHEDULER, Made, code_lines, functions, printed, takt

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from takt.cli.labs.lab import Outcome

SECOND = MHZ * 1_000_000
SHIFT = SECOND // 80  # half of 25 ms: the second begins between two ticks
TASKS = [f"takt_task_run_{name}" for name in ("one", "two", "three")]
THREADS = [f"body_{name}" for name in ("one", "two", "three")]
HANDLER = "__vector_"
NOT_OF_THREADS = (
    "code_lines",
    "code_lines_with_api",
    "tick_path_us_per_s",
)  # a whole kernel; an alarm, no tick
PRINTED = [f"TickFct_{n}" for n in (1, 2, 3)]
FAST = {"TAKT_TICK_US": 1000}
PORT = {"TAKT_TASKS_COMPOSED": 1}
PAPER = {"overhead_us_per_s": 1250, "text_data_bytes": 830, "code_lines": 116}
GOALS = {"overhead_us_per_s": 750, "text_data_bytes": 450, "code_lines": 80}
GOALS_PORT = {"overhead_us_per_s": 540, "text_data_bytes": 480}
GOALS_FAST = {"overhead_us_per_s": 3800}
UNITS = {"overhead_us_per_s": "us", "tick_path_us_per_s": "us", "text_data_bytes": "B",
         "code_lines": "lines", "code_lines_with_api": "lines",
         "irq_off_max_us": "us"}  # fmt: skip


def programs(board: boards.Board) -> dict[str, tuple[Made, list[str], dict[str, float]]]:
    """case -> program, its tasks' functions, goals"""
    every, sparse = ({"RUN": f"takt_tasks_run_{how}"} | FAST for how in ("every", "sparse"))
    port = {"composed": True}
    return {
        "takt-task": (takt("fig8", "25ms", board), TASKS, GOALS),
        "takt-task-port": (takt("fig8", "port", board, PORT, **port), TASKS, GOALS_PORT),
        "takt-thread": (takt("threads", "25ms", board), THREADS, {}),
        "takt-task-1ms": (takt("fig8", "every", board, every), TASKS, GOALS_FAST),
        "takt-task-1ms-look-every-tick": (takt("fig8", "1ms", board, FAST), TASKS, {}),
        "takt-task-1ms-sparse": (takt("fig8", "sparse", board, sparse), TASKS, {}),
        "takt-task-port-1ms": (takt("fig8", "port-1ms", board, PORT | FAST, **port), TASKS, {}),
        "takt-thread-1ms": (takt("threads", "1ms", board, {"TICK_US": 1000}), THREADS, {}),
        "rios-preemptive": (printed("preemptive", "fig8", "25ms"), PRINTED, {}),
        "rios-preemptive-1ms": (printed("preemptive", "fig8", "1ms", {"GCD": 1}), PRINTED, {}),
        "rios-in-turn": (printed("in_turn", "fig8", "25ms"), PRINTED, {}),
    }


def vectors(program: Program) -> list[int]:
    """Of interrupts that have handlers: avr-libc names the others, too."""
    none = program.by_name.get("__bad_interrupt")
    return [
        4 * int(s.name.removeprefix(HANDLER))
        for s in program.symbols
        if s.name.startswith(HANDLER)
        and s.name.removeprefix(HANDLER).isdigit()
        and not (none and s.address == none.address)
    ]


def counted(made: Made, names: list[str]) -> Count:
    """A second of a program that has started."""
    bodies = functions(made, names)
    program = Program(made.elf)
    starting = Counter(made.machine(), program, bodies, vectors(program))
    starting.to_first_sleep()
    starting.run(SHIFT)
    starting.begin()
    return starting.run(SECOND)


def figures(made: Made, count: Count) -> dict[str, float]:
    return {
        "overhead_us_per_s": round(count.rest / MHZ, 1),
        "tick_path_us_per_s": round(count.tick_path / MHZ, 1),
        "text_data_bytes": made.bytes,
        "code_lines": made.lines,
        "code_lines_with_api": made.all_lines,
        "irq_off_max_us": round(count.masked_max / MHZ, 2),
    }


def _account(case: str, count: Count) -> list[str]:
    """Where the cycles go; a function's own."""
    parts = sorted(count.parts.items(), key=lambda part: -part[1])
    head = f"{case}: {count.rest} cycles in 1 s, {sum(count.runs.values())} jobs:"
    return [head, *(f"  {cycles:6}  {name}" for name, cycles in parts)]


def _lines() -> list[str]:
    """The lines of code of takt-task, by file."""
    files = {path: code_lines([ROOT / path]) for path in ("lab/rios/fig8/fig8.c", *SCHEDULER)}
    head = f"takt-task: {sum(files.values())} lines of code:"
    return [head, *(f"  {count:6}  {path}" for path, count in files.items())]


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """What scheduling costs (Figure 8): time, size, lines; ticks of 25 ms and of 1 ms."""
    rows, account = [], []
    for case, (made, names, goals) in programs(board).items():
        count = counted(made, names)
        for metric, value in figures(made, count).items():
            if case.startswith("takt-thread") and metric in NOT_OF_THREADS:
                continue
            if "-1ms" in case and metric.startswith("code_lines"):  # as without, or with more files
                continue
            paper = PAPER.get(metric) if case == "rios-preemptive" else None
            unit, goal = UNITS[metric], goals.get(metric)
            rows.append({"case": case, "metric": metric, "value": value, "unit": unit,
                         "paper": paper, "goal": goal})  # fmt: skip
        if case.startswith("takt-task"):
            account += _account(case, count)
    config = {
        "clock": f"{MHZ} MHz",
        "compiler": "avr-gcc 5.4 -Os; counts of ticks have 8 bits (TAKT_TASK_BITS), but of threads",
        "overhead": "cycles awake and in no task's function, with 4 for every interrupt's entry",
        "takt-task-port": "TAKT_TASKS_COMPOSED: the linker composes the pass",
        "takt-task-1ms": "takt_tasks_run_every(): 1000 interrupts, 40 looks (periods: 25 n ticks)",
        "takt-task-1ms-look-every-tick": "takt_tasks_run(), and so in takt-task-port-1ms",
        "takt-task-1ms-sparse": "takt_tasks_run_sparse(): the timer interrupts every 25 ms",
        "takt-thread-1ms": "another thread, the most urgent, wakes every 1 ms",
        "code_lines": "program and scheduler; code_lines_with_api: and the headers with its macros",
        "rios": "the paper's schedulers written anew from its description, with their errors",
    }
    account += _lines()
    return {"board": board.name, "config": config, "rows": rows, "account": account}


SOURCE = (
    "RIOS: Miller, Vahid, Givargis, WESE 2012. All values in virtual time, the same in every run."
)
SHOWN = {
    "takt-task": "Takt's tasks, C",
    "takt-task-port": "Takt's tasks, composed",
    "takt-thread": "Takt's threads",
    "rios-preemptive": "RIOS, written anew",
}
PANELS = {
    "overhead_us_per_s": ("(a) overhead, us in 1 s", (1250, 4170, 4170)),  # "approximately 30 %"
    "text_data_bytes": ("(b) size, bytes", (830, 3668, 2172)),
    "code_lines": ("(c) lines of code", (116, 4242, 733)),
}
OF_PAPER = ("RIOS (paper)", "FreeRTOS (paper)", "AtomThreads (paper)")


def draw(outcome: Outcome) -> Figure:
    """Overhead, size and lines, a panel each, as in the paper."""
    figure, panels = lab_drawing.sheet(
        SOURCE,
        "What three tasks' scheduling costs (Figure 8)",
        "Tasks of 1, 5 and 25 ms, every 25, 50 and 100 ms, for one second, tick 25 ms; ATmega324P "
        "at 8 MHz. The paper's overhead of the two others is told as about 3 times RIOS's.",
        len(PANELS),
    )
    colours = [*[lab_drawing.TAKT] * 3, lab_drawing.BASELINE, *[lab_drawing.PAPER] * 3]
    for axes, (metric, (title, paper)) in zip(panels, PANELS.items(), strict=True):
        ours = [lab_drawing.value(outcome, case, metric) for case in SHOWN]
        names = [*SHOWN.values(), *OF_PAPER]
        lab_drawing.bars(axes, names, [*ours, *paper], colours, missing="not counted")
        lab_drawing.heading(axes, title)
        axes.margins(x=0.35)
        if axes is not panels[0]:
            axes.set_yticklabels([])
    return figure
