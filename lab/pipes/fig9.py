"""Figures 9 and 10: frames per second that tasks send on two channels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from takt import boards
from takt.cli.labs.lab import row

from . import campaign, drawing, fig6, plan
from .campaign import Key, Seen, System
from .scenario import HOGS, Scenario

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from takt.cli.labs.lab import Outcome

SECONDS = 30
SKIPPED = 1
BUDGET_US, PAPER_PERIOD_US = 2000, 41_000
READERS, WRITERS = 0b00111, 0b11000
SENT = (3, 4)
OUTPUT = Scenario(
    "output", SECONDS, HOGS, READERS, WRITERS, plan.TABLE1, BUDGET_US, PAPER_PERIOD_US
)


# QEMU's controller drops events when the ring they go to is full, where a real one waits. Two
# batches of 128 frames fill Linux's ring if its interrupt's thread is not run in time, and without
# HRTICK_DL it is not: Linux's driver is lost then, through no fault of its own.
UNFIT = ("linux-rt",)


def keys() -> list[Key]:
    return [(system, OUTPUT) for system in campaign.systems() if system.name not in UNFIT]


def _seconds(one: Seen, channel: int) -> list[int]:
    sent = one.told.sent.get(channel, [])
    return (sent + [0] * SECONDS)[SKIPPED:SECONDS]


def _rows(system: System, seen: list[Seen]) -> list[dict[str, Any]]:
    least, most = plan.DRAIN_FPS
    rows = []
    for channel in SENT:
        case = f"{system.name}-can{channel + 1}"
        sent = [n for one in seen for n in _seconds(one, channel)]
        unsent = max(one.told.device[f"channel.{channel}.unsent"] for one in seen)
        rows += [
            row(case, "tput_min_fps", min(sent), "frames/s", None, campaign.goal(system, least)),
            row(case, "tput_max_fps", max(sent), "frames/s", None, campaign.goal(system, most)),
            row(case, "tput_mean_fps", sum(sent) / len(sent), "frames/s"),
            row(case, "unsent_frames", unsent, "frames"),
        ]
    goal = campaign.goal(system, fig6.GOAL_PCT)
    return rows + campaign.loop_rows(f"{system.name}-loops", seen, goal)


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """Frames per second sent to two receivers that take 3053 to 3073 (Figures 9 and 10)."""
    found = campaign.runs(keys(), options)
    rows = [line for (system, _), seen in found.items() for line in _rows(system, seen)]
    series = {
        system.name: {f"can{at + 1}": _seconds(seen[0], at) for at in SENT}
        for (system, _), seen in found.items()
    }
    about = {
        "range_fps": plan.DRAIN_FPS,
        "writers": "128 frames in every 41 ms, 2 ms of time, on Linux as the paper derives it",
        "counted": "by the device, at the frame's end on the bus",
        "unsent_frames": "given to the device and not on the bus at the end",
        "beside": "three loops of 1 ms in every 7, three channels of input",
        "seconds": series,
    }
    return {"config": about | campaign.config(found), "rows": rows}


def draw(outcome: Outcome) -> Figure:
    """Every second of the first seed, a line for each channel, a panel for each system."""
    return drawing.seconds(outcome, plan.DRAIN_FPS, "Frames sent per second (Figures 9 and 10)")
