"""Figure 8 and Table IV: how far a loop comes in each of its periods beside greedy loops."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from statistics import mean
from typing import Any

from matplotlib.figure import Figure
from takt import boards
from takt.cli.labs.lab import Outcome, row
from takt.result.pictures.panel import GRID

from . import drawing
from .cases import Defines, Session, built, each

PERIOD_MS = 100
PERIODS = 100
GOAL_PCT = 0.1


@dataclass(frozen=True)
class Case:
    name: str
    foreground_ms: int
    loops: int
    background_ms: int
    defines: Defines

    def all_defines(self) -> Defines:
        return {
            "FOREGROUND_MS": self.foreground_ms,
            "BACKGROUND_LOOPS": self.loops,
            "BACKGROUND_MS": self.background_ms,
        } | self.defines


def _cases() -> list[Case]:
    table = [(50, 2, 24), (50, 4, 12), (70, 2, 14), (70, 4, 7), (90, 2, 4), (90, 4, 2)]
    found = [Case(f"case-{i}", *each_case, {}) for i, each_case in enumerate(table, 1)]
    last = "(9 - (id))"  # the background loops are more urgent
    for loops, ms in ((2, 24), (4, 12)):
        tag = f"{loops}-loops"
        found += [
            Case(f"bursts-{tag}", 50, loops, ms, {"BURSTS": 1}),
            Case(f"baseline-single-loop-{tag}", 98, loops, ms, {"SINGLE_LOOP": 1}),
            Case(f"baseline-no-budgets-{tag}", 50, loops, ms, {"NO_BUDGETS": 1}),
            Case(
                f"baseline-no-budgets-bursts-{tag}", 50, loops, ms,
                {"NO_BUDGETS": 1, "BURSTS": 1, "PRIORITY_OF_LOOP(id)": last},
            ),
        ]  # fmt: skip
    return found


def _counts(board: boards.Board, case: Case, periods: int) -> dict[str, Any]:
    """Steps of the foreground loop, and of all others together, in each period."""
    session = Session(built("fig8", case.name, board, case.all_defines()))
    others = session.machine.symbol("background")
    session.run(session.cycles(PERIOD_MS))  # start-up and setup() are over
    start, seen = session.machine.now, []
    for period in range(periods + 1):
        session.run(start + session.cycles(PERIOD_MS * period))
        steps = sum(session.machine.word(others + 4 * i) for i in range(case.loops))
        seen.append((session.word("counter"), steps))
    return {
        "foreground": [b[0] - a[0] for a, b in pairwise(seen)],
        "others": [b[1] - a[1] for a, b in pairwise(seen)],
    }


def spread_pct(counts: list[int]) -> float | None:
    """(max - min) / mean; None where nothing was counted at all."""
    return 100 * (max(counts) - min(counts)) / mean(counts) if any(counts) else None


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """Progress per period beside greedy loops (Figure 8, Table IV): spread of a counter."""
    periods = int(options.get("periods", PERIODS))
    cases = [c for c in _cases() if c.name in options.get("cases", [c.name])]
    found = each(lambda case: _counts(board, case, periods), cases, board.name, trace=False)
    rows, series = [], {}
    for case, counts in zip(cases, found, strict=True):
        goal = None if case.name.startswith("baseline") else GOAL_PCT
        spread = spread_pct(counts["foreground"])
        rows.append(row(case.name, "counter_spread_pct", spread, "%", None, goal))
        rows.append(row(case.name, "counter_mean", mean(counts["foreground"]), "1/period"))
        rows.append(row(case.name, "others_mean", mean(counts["others"]), "steps/period"))
        series[case.name] = counts["foreground"]
    config = {"period_ms": PERIOD_MS, "periods": periods, "counters": series}
    return {"board": board.name, "config": config, "rows": rows}


def draw(outcome: Outcome) -> Figure:
    """Lines over the periods, as in the paper: Takt at the left, what is compared at the right."""
    figure, (left, right) = drawing.sheet(
        "How far a loop comes in each of its periods (Figure 8)",
        "Counter of a foreground loop in each period of 100 ms, beside 2 or 4 loops that look for "
        "primes and take all they get.",
        2,
    )
    counters = outcome.config["counters"]
    for number, (share, loops) in enumerate(
        ((50, 2), (50, 4), (70, 2), (70, 4), (90, 2), (90, 4)), 1
    ):
        name = f"case-{number}"
        if name not in counters:
            continue
        spread = drawing.value(outcome, name, "counter_spread_pct")
        text = f"{share}/100, {loops} loops: spread {spread:.5f} %"
        style = "-" if loops == 2 else (0, (1, 2))
        left.plot([c / 1e6 for c in counters[name]], linestyle=style, linewidth=2.2, label=text,
                  color=drawing.SHADES[(share - 50) // 20 + 1])  # fmt: skip
    left.set_ylim(0, 2.05)
    drawing.heading(left, "with budgets (Table IV); goal: spread of at most 0.1 %")
    left.set_ylabel("counter, millions", fontsize=9)
    shown = {
        "bursts-4-loops": ("50/100", drawing.TAKT),
        "baseline-no-budgets-bursts-4-loops": ("no budgets", drawing.BASELINE),
        "baseline-single-loop-4-loops": ("single loop", drawing.PAPER),
    }
    for name, (text, colour) in shown.items():
        if name in counters:
            mean_count = drawing.value(outcome, name, "counter_mean") or 1
            spread = drawing.value(outcome, name, "counter_spread_pct")
            relative = [100 * c / mean_count for c in counters[name]]
            right.plot(
                relative, linewidth=1.6, label=f"{text}: spread {spread:.3g} %", color=colour
            )
    right.set_ylim(0, 480)
    drawing.heading(right, "beside 4 loops that run in bursts")
    right.set_ylabel("counter, % of its mean", fontsize=9)
    for axes in (left, right):
        axes.grid(axis="y", color=GRID, linewidth=0.7)
        axes.set_xlabel("period", fontsize=9)
        drawing.key(axes, loc="upper right" if axes is right else "lower right", ncols=1)
    return figure
