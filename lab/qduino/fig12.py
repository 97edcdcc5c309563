"""Figure 12: the time between two settings of a rover's motors."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from matplotlib.figure import Figure
from takt import boards
from takt.cli.labs.lab import Outcome, row
from takt.result.pictures.panel import GRID

from . import drawing
from .cases import Defines, Session, built, each

SECONDS = 60
SHOWN = 150  # intervals in the picture
PAPER_MS = 103  # "stable at about 103ms"
PAPER_CLANTON_MS = (383, 591)  # Linux, single loop
GOAL_MIN_MS, GOAL_MAX_MS, GOAL_JITTER_MS = 100, 103, 1
GALILEO = "galileo"
CASES: dict[str, Defines] = {
    "multi-loop": {},
    "single-loop": {"MULTI_LOOP": 0, "SINGLE_LOOP": 1},
    "interrupt": {"MULTI_LOOP": 0, "ECHO_INTERRUPT": 1},
    "busy-multi-loop": {"BUSY": 1},
    "galileo-multi-loop": {},
    "galileo-busy-multi-loop": {"BUSY": 1},
    "baseline-no-budgets": {"NO_BUDGETS": 1},
    "baseline-no-budgets-busy": {"NO_BUDGETS": 1, "BUSY": 1, "PRIORITY_OF_LOOP(id)": "((id) % 3)"},
}
GOALS = ("multi-loop", "busy-multi-loop", "galileo-multi-loop", "galileo-busy-multi-loop")


def _intervals_ms(board: boards.Board, case: str, seconds: float) -> list[float]:
    where = boards.load(GALILEO) if case.startswith(GALILEO) else board
    session = Session(built("fig12", case, where, CASES[case]))
    session.run(session.cycles(1000 * seconds))
    rover = session.bench.world.parts["wheels"]
    return [(b - a) * 1000 / session.hz for a, b in pairwise(rover.calls)]


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """Time between motor actuations of the rover (Figure 12)."""
    seconds = float(options.get("seconds", SECONDS))
    found = each(lambda case: _intervals_ms(board, case, seconds), CASES, board.name, trace=False)
    rows = []
    for case, intervals in zip(CASES, found, strict=True):
        low, high = min(intervals), max(intervals)
        paper = PAPER_MS if case == "multi-loop" else None
        goals = (GOAL_MIN_MS, GOAL_MAX_MS, GOAL_JITTER_MS) if case in GOALS else (None,) * 3
        rows.append(row(case, "interval_min_ms", low, "ms", paper, goals[0]))
        rows.append(row(case, "interval_max_ms", high, "ms", paper, goals[1]))
        rows.append(row(case, "jitter_ms", high - low, "ms", None, goals[2]))
    config = {
        "seconds": seconds,
        "clanton_single_loop_ms": PAPER_CLANTON_MS,
        "intervals_ms": {
            case: [round(one, 4) for one in intervals]
            for case, intervals in zip(CASES, found, strict=True)
        },
    }
    return {"board": board.name, "config": config, "rows": rows}


def draw(outcome: Outcome) -> Figure:
    """Intervals one after the other, as in the paper."""
    figure, (axes,) = drawing.sheet(
        "Time between two settings of a rover's motors (Figure 12)",
        "Time between two settings of the motors. Each setting is kept for 100 ms; measuring the "
        "distance takes a pause of 200 ms, and is in a loop of its own (multi-loop) or not.",
    )
    low, high = outcome.config["clanton_single_loop_ms"]
    axes.axhspan(low, high, color=drawing.PAPER, alpha=0.15, linewidth=0)
    axes.text(
        1, high + 4, "paper: Linux, single loop, 383 to 591 ms", fontsize=8.5, color=drawing.PAPER
    )
    axes.axhline(PAPER_MS, color=drawing.PAPER, linestyle="--", linewidth=1)
    axes.text(
        1,
        PAPER_MS - 75,
        "paper: Qduino, multi-loop, about 103 ms",
        fontsize=8.5,
        color=drawing.PAPER,
    )
    styles = {
        "multi-loop": (drawing.TAKT, 2.4, "multi-loop"),
        "busy-multi-loop": (drawing.OTHER, 1.2, "multi-loop beside a busy, more urgent loop"),
        "galileo-multi-loop": ("#9333ea", 1.2, "multi-loop on the galileo"),
        "single-loop": (drawing.BASELINE, 1.6, "single loop"),
        "interrupt": ("#b45309", 1.6, "single loop, echo timed by an interrupt, no pause"),
        "baseline-no-budgets-busy": ("#7c2d12", 1.6, "busy, without budgets"),
    }
    for name, (colour, width, text) in styles.items():
        times = outcome.config["intervals_ms"].get(name, [])[:SHOWN]
        if times:
            text += f": {min(times):.2f} to {max(times):.2f} ms"
            axes.plot(range(1, len(times) + 1), times, color=colour, linewidth=width, label=text)
    axes.set_xlim(0, SHOWN)
    axes.set_ylim(0, 1650)
    axes.set_xlabel("setting of the motors", fontsize=9)
    axes.set_ylabel("ms since the one before", fontsize=9)
    axes.grid(axis="y", color=GRID, linewidth=0.7)
    drawing.key(axes, loc="upper left")
    return figure
