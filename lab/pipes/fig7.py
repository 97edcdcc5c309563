"""Figures 7 and 8: frames per second that tasks get from two busy channels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from takt import boards
from takt.cli.labs.lab import row

from . import campaign, drawing, fig6, plan
from .campaign import Seen, System
from .scenario import ALL, HOGS, Scenario

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from takt.cli.labs.lab import Outcome

SECONDS = 30
SKIPPED = 1  # seconds, as in the paper
BUDGET_US, PAPER_PERIOD_US = 2000, 46_000
BUSY = (3, 4)  # channels CAN4 and CAN5
# What the paper saw on average, CAN4 and CAN5, on Linux.
PAPER = {3: 2703, 4: 2714}
INPUT = Scenario("input", SECONDS, HOGS, ALL, 0, plan.INPUT, BUDGET_US, PAPER_PERIOD_US)


def _each(told: list[dict[int, list[int]]], channel: int) -> list[int]:
    """Of all seeds."""
    return [n for seconds in told for n in seconds[channel][SKIPPED:SECONDS]]


def _rows(system: System, seen: list[Seen]) -> list[dict[str, Any]]:
    least, most = plan.ARDUINO_FPS
    rows = []
    for channel in BUSY:
        case = f"{system.name}-can{channel + 1}"
        got = _each([one.told.second for one in seen], channel)
        soon = _each([one.told.soon for one in seen], channel)
        lost = max(one.frames[channel] - one.told.channels[channel].received for one in seen)
        paper = PAPER[channel] if system.name == "linux-rt" else None
        rows += [
            row(case, "tput_min_fps", min(got), "frames/s", None, campaign.goal(system, least)),
            row(case, "tput_max_fps", max(got), "frames/s", None, campaign.goal(system, most)),
            row(case, "tput_mean_fps", sum(got) / len(got), "frames/s", paper),
            row(case, "soon_min_fps", min(soon), "frames/s", None, campaign.goal(system, least)),
            row(case, "soon_max_fps", max(soon), "frames/s", None, campaign.goal(system, most)),
            row(case, "lost_frames", lost, "frames", None, campaign.goal(system, 0)),
        ]
    goal = campaign.goal(system, fig6.GOAL_PCT)
    return rows + campaign.loop_rows(f"{system.name}-loops", seen, goal)


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """Frames per second read from two channels of 2730 to 2752 (Figures 7 and 8)."""
    keys = [(system, INPUT) for system in campaign.pipes_too()]
    found = campaign.runs(keys, options)
    rows = [line for (system, _), seen in found.items() for line in _rows(system, seen)]
    series = {
        system.name: {f"can{at + 1}": seen[0].told.second[at][SKIPPED:] for at in BUSY}
        for (system, _), seen in found.items()
    }
    about = {
        "range_fps": plan.ARDUINO_FPS,
        "tput": "frames by the second in which their task read them, as the paper counts",
        "soon": "by the second in which they were on the bus, if read within 88 ms: the paper's "
        "bound, 3 T_rx + T_usr, for its periods",
        "readers": "2 ms in every 46 on Linux, as the paper derives it",
        "beside": "three loops of 1 ms in every 7",
        "seconds": series,
    }
    return {"config": about | campaign.config(found), "rows": rows}


def draw(outcome: Outcome) -> Figure:
    """Every second of the first seed, a line for each channel, a panel for each system."""
    return drawing.seconds(outcome, plan.ARDUINO_FPS, "Frames read per second (Figures 7 and 8)")
