"""Figure 6: how far loops with a budget get, beside input and without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from takt import boards

from . import campaign, drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from takt.cli.labs.lab import Outcome

GOAL_PCT = 0.1


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """Counts of loops with 1 ms in every 7 against their budget (Figure 6)."""
    keys = [key for key in campaign.table2() if key[1].hogs]
    found = campaign.runs(keys, options)
    told = []
    for (system, scenario), seen in found.items():
        goal = campaign.goal(system, GOAL_PCT)
        told += campaign.loop_rows(f"{system.name}-{scenario.name}", seen, goal)
    about = {
        "loops": "three, 1 ms in every 7, that count every 10 us of their time",
        "loop_error_pct": "count against budget / 10 us, of all loops and seeds the largest; above "
        "0: it counted more",
        "counter_error_mean": "mean of all loops and seeds; the paper's figure is not to be read "
        "exactly, and its error has the other sign",
    }
    return {"config": about | campaign.config(found), "rows": told}


def draw(outcome: Outcome) -> Figure:
    """The mean error by scenario, a bar for each system, as in the paper but for the sign."""
    title = "Average counter error of the loops (Figure 6)"
    return drawing.scenarios(outcome, "counter_error_mean", title, "counts", log=False)
