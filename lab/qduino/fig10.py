"""Figure 10 and Table VI: three loops with budgets, alone and together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from matplotlib.figure import Figure
from takt import boards
from takt.cli.labs.lab import Outcome, row
from takt.result.pictures.panel import GRID

from . import drawing
from .cases import Defines, Session, built, each

RUNS = 5
LIMIT_MILLION = 7500  # cycles
GOAL_PCT = 0.5
LOOPS = (1, 2, 3)
SETTINGS: dict[str, Defines] = {
    "": {},
    "baseline-single-loop-": {"SINGLE_LOOP": 1},
    "baseline-no-budgets-": {"NO_BUDGETS": 1},
}


@dataclass(frozen=True)
class Case:
    """A sketch with some of the loops."""

    prefix: str
    loops: tuple[int, ...]
    runs: int

    @property
    def name(self) -> str:
        return f"{self.prefix}with-{'-'.join(map(str, self.loops))}"

    def defines(self) -> Defines:
        return {f"WITH_LOOP_{n}": int(n in self.loops) for n in LOOPS} | SETTINGS[self.prefix]


def _cycles_per_run(board: boards.Board, case: Case) -> dict[int, float]:
    """For each loop: from the start of all loops to the end of its last run, per run."""
    session = Session(built("fig10", case.name, board, case.defines()))
    names = {session.machine.symbol(f"run{n}"): n for n in case.loops}
    session.log("started")
    for n in case.loops:
        session.log(f"run{n}")
    ended: dict[int, int] = {}
    start = 0

    def finished() -> bool:
        nonlocal start
        for cycle, address, value in session.machine.stores():
            if address not in names:
                start = cycle
            elif value == case.runs:
                ended[names[address]] = cycle
        return len(ended) == len(case.loops)

    session.until(finished, LIMIT_MILLION, step_ms=100)
    return {n: (cycle - start) / case.runs for n, cycle in ended.items()}


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """Loops alone and together (Figure 10, Table VI): how much slower findPrime becomes."""
    runs = int(options.get("runs", RUNS))
    sets = [*((n,) for n in LOOPS), LOOPS]
    settings = options.get("settings", tuple(SETTINGS))
    cases = [Case(prefix, loops, runs) for prefix in settings for loops in sets]
    found = each(lambda case: _cycles_per_run(board, case), cases, board.name, trace=False)
    took = dict(zip(cases, found, strict=True))
    rows = []
    for prefix in settings:
        together = took[Case(prefix, LOOPS, runs)]
        for n in LOOPS:
            alone = took[Case(prefix, (n,), runs)][n]
            slower = 100 * (together[n] - alone) / alone
            case, goal = f"{prefix}loop-{n}", None if prefix else GOAL_PCT
            rows.append(row(case, "slowdown_pct", slower, "%", None, goal))
            rows.append(row(case, "cycles_alone", alone, "cycles"))
            rows.append(row(case, "cycles_together", together[n], "cycles"))
    config = {
        "work": "findPrime: all primes below 80000",
        "runs": runs,
        "time": "from the common start of the loops to the end of a loop's last run, per run",
    }
    return {"board": board.name, "config": config, "rows": rows}


def draw(outcome: Outcome) -> Figure:
    """Bars in pairs, as in the paper."""
    figure, panels = drawing.sheet(
        "Three loops together and alone (Figure 10)",
        "Time of a findPrime (all primes below 80000), mean of five, for a loop alone (light) and "
        "with the others (dark). The percentage: how much slower it is together; goal: <= 0.5 %.",
        3,
    )
    settings = {
        "": "40, 20, 10 ms in every 100 ms",
        "baseline-single-loop-": "baseline: a single loop",
        "baseline-no-budgets-": "baseline: no budgets",
    }
    for axes, (prefix, title) in zip(panels, settings.items(), strict=True):
        dark = drawing.BASELINE if prefix else drawing.TAKT
        for n in LOOPS:
            alone, together = (
                (drawing.value(outcome, f"{prefix}loop-{n}", metric) or 0) / 1e6
                for metric in ("cycles_alone", "cycles_together")
            )
            slower = drawing.value(outcome, f"{prefix}loop-{n}", "slowdown_pct")
            axes.bar(n - 0.19, alone, 0.36, color=dark, alpha=0.4)
            axes.bar(n + 0.19, together, 0.36, color=dark)
            axes.annotate(f"{slower:.3g} %" if abs(slower or 0) >= 0.01 else "0 %",
                          (n + 0.19, together), xytext=(0, 4), textcoords="offset points",
                          ha="center", fontsize=9)  # fmt: skip
        axes.set_xticks(LOOPS, [f"loop {n}" for n in LOOPS])
        axes.grid(axis="y", color=GRID, linewidth=0.7)
        axes.margins(y=0.12)
        drawing.heading(axes, title)
    panels[0].set_ylabel("million cycles a run (125 = 1 s)", fontsize=9)
    return figure
