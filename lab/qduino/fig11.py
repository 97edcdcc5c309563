"""Figure 11 and Table VII: findPrime beside a pin that interrupts as fast as it likes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from matplotlib.figure import Figure
from takt import boards
from takt.cli.labs.lab import Outcome, row
from takt.machine.wave import Square
from takt.result.pictures.panel import GRID

from . import drawing
from .cases import Defines, Session, built, each

PIN = 2
RATES_HZ = (1_000, 10_000, 200_000, 1_000_000)  # edges per second
PAPER_RATE_HZ = 220
USUAL_HZ = 200_000  # the rate of the cases without one in their name
RUNS, LIMIT_MS = 5, 30_000
GOAL_PCT = 1
GOALS = ("case-2", "case-3", "case-4")
# Table VII; in case 5 the handler runs in the interrupt.
CASES: dict[str, Defines] = {
    "case-1": {"IO_MS": 10},
    "case-2": {"IO_MS": 0},
    "case-3": {"IO_MS": 5},
    "case-4": {"IO_MS": 10},
    "case-5": {"IN_INTERRUPT": 1},
    "baseline-single-loop": {"POLL": 1},
    "baseline-no-budgets": {"NO_BUDGETS": 1, "IN_INTERRUPT": 1},
}


@dataclass(frozen=True)
class Seen:
    """Some findPrimes: how long one took (None: they did not end), calls of the handler, edges."""

    cycles: float | None
    interrupts: int
    edges: int


def _run(board: boards.Board, case: str, hz: int, runs: int, limit_ms: float) -> Seen:
    session = Session(built("fig11", case, board, CASES[case] | {"RUNS": runs}))
    session.log("mark")
    seen: dict[int, int] = {}

    def reached(value: int) -> bool:
        seen.update((number, cycle) for cycle, _, number in session.machine.stores() if number)
        return value in seen

    if hz:
        session.bench.wave(PIN, Square(session.cycles(10), session.hz / hz))
    begin = session.machine.now
    while not reached(2) and session.machine.now < begin + session.cycles(limit_ms):
        session.run(session.machine.now + session.cycles(1))
    edges = session.bench.wave_edges(PIN) if hz else 0
    took = (seen[2] - seen[1]) / runs if 2 in seen else None
    return Seen(took, session.word("received"), edges)


def _name(case: str, hz: int) -> str:
    return case if hz in (0, USUAL_HZ) else f"{case}-{hz}-hz"


def _rows(case: str, hz: int, seen: Seen, alone: Seen) -> list[dict[str, Any]]:
    name = _name(case, hz)
    goal = GOAL_PCT if case in GOALS else None
    found = []
    if seen.cycles is not None and alone.cycles is not None:
        slower = 100 * (seen.cycles - alone.cycles) / alone.cycles
        found.append(row(name, "slowdown_pct", slower, "%", None, goal))
        found.append(row(name, "cycles", seen.cycles, "cycles"))
    found.append(
        row(name, "interrupts", seen.interrupts, "", None, 0 if case == "case-2" else None)
    )
    found.append(row(name, "merged", seen.edges - seen.interrupts, ""))
    return found


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """findPrime under interrupts (Figure 11, Table VII): slowdown, interrupts received."""
    rates = tuple(options.get("rates", RATES_HZ))
    times, limit_ms = int(options.get("runs", RUNS)), float(options.get("limit_ms", LIMIT_MS))
    runs = [(case, hz) for case in CASES for hz in (0, *(() if case == "case-1" else rates))]
    found = each(lambda run: _run(board, *run, times, limit_ms), runs, board.name, trace=False)
    seen = dict(zip(runs, found, strict=True))
    rows, endless = [], []
    for case, hz in runs:
        if hz == 0 and case != "case-1":
            continue  # what the case is compared with
        one, alone = seen[case, hz], seen[case, 0]
        rows += _rows(case, hz, one, alone)
        if one.cycles is None:
            endless.append(f"{case} at {hz} Hz")
    config = {
        "usual_edges_per_s": USUAL_HZ,
        "edges_per_s": rates,
        "paper_edges_per_s": PAPER_RATE_HZ,
        "runs": times,
        "cycles": "of one findPrime, mean of the runs",
        "slowdown": "against the same program without edges",
        "merged": "edges less calls of the handler",
        f"not_ended_within_{limit_ms:g}_ms": endless,
    }
    return {"board": board.name, "config": config, "rows": rows}


def draw(outcome: Outcome) -> Figure:
    """Time of findPrime and calls of the handler, case by case, a bar for each rate."""
    texts = {
        "case-2": "case 2\n0",
        "case-3": "case 3\n5 %",
        "case-4": "case 4\n10 %",
        "case-5": "case 5\nnone",
        "baseline-single-loop": "single\nloop",
        "baseline-no-budgets": "no\nbudgets",
    }
    rates = outcome.config["edges_per_s"]
    figure, (left, right) = drawing.sheet(
        "A loop with a budget, under interrupts (Figure 11)",
        "findPrime with 70 ms in every 100 ms while a pin changes; below the case what interrupts "
        "may take, none: they run as they come. Bars from light to dark: "
        f"{', '.join(f'{hz:_}'.replace('_', ' ') for hz in rates)} edges per second.",
        2,
    )
    for at, case in enumerate(texts):
        for k, hz in enumerate(rates):
            x, shade = at + 0.2 * (k - 1.5), drawing.SHADES[k % 4]
            slower = drawing.value(outcome, _name(case, hz), "slowdown_pct")
            left.bar(x, max(slower or 0, 1e-3), 0.19, color=shade)
            if slower is None:
                left.text(
                    x, 1.3e-3, "never ends", rotation=90, fontsize=8.5, ha="center", color="#c81e1e"
                )
            calls = drawing.value(outcome, _name(case, hz), "interrupts") or 0
            right.bar(x, max(calls, 0.5), 0.19, color=shade)
            if not calls:
                right.text(x, 0.6, "0", fontsize=8.5, ha="center")
    left.axhline(GOAL_PCT, color=drawing.GOAL, linestyle="--", linewidth=1.2)
    left.text(-0.45, GOAL_PCT * 1.15, "goal: at most 1 %", color=drawing.GOAL, fontsize=8.5)
    drawing.heading(left, "findPrime is slower by, % (logarithmic)")
    drawing.heading(right, "calls of the handler (logarithmic)")
    for axes in (left, right):
        axes.set_yscale("log")
        axes.set_xticks(range(len(texts)), texts.values())
        axes.grid(axis="y", color=GRID, linewidth=0.7)
    left.set_ylim(1e-3, 1e3)
    right.set_ylim(0.5, None)
    return figure
