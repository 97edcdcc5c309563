"""Figure 12: the time between two settings of a rover's motors."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from takt import boards

from .cases import Defines, Session, built, each, row

SECONDS = 60
PAPER_MS = 103  # "stable at about 103ms"
PAPER_CLANTON_MS = (383, 591)  # Linux, single loop
GOAL_MIN_MS, GOAL_MAX_MS, GOAL_JITTER_MS = 100, 103, 1
CASES: dict[str, Defines] = {
    "multi-loop": {},
    "single-loop": {"MULTI_LOOP": 0, "SINGLE_LOOP": 1},
    "interrupt": {"MULTI_LOOP": 0, "ECHO_INTERRUPT": 1},
    "busy-multi-loop": {"BUSY": 1},
    "baseline-no-budgets": {"NO_BUDGETS": 1},
    "baseline-no-budgets-busy": {"NO_BUDGETS": 1, "BUSY": 1, "PRIORITY_OF_LOOP(id)": "((id) % 3)"},
}
GOALS = ("multi-loop", "busy-multi-loop")


def _intervals_ms(board: boards.Board, case: str, seconds: float) -> list[float]:
    session = Session(built("fig12", case, board, CASES[case]))
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
