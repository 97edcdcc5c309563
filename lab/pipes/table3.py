"""Table III: overruns of the device's buffer in the six scenarios of Table II."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from takt import boards
from takt.cli.labs.lab import row

from . import campaign, drawing
from .campaign import Seen, System

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from takt.cli.labs.lab import Outcome

# Linux with its vendor's driver: Table III names what is not 0.
PAPER = {"3": 230, "6": 405}
PAPER_SYSTEM = "linux-rt-vendor"


def rows(system: System, name: str, seen: list[Seen]) -> list[dict[str, Any]]:
    case = f"{system.name}-{name}"
    paper = PAPER.get(name, 0) if system.name == PAPER_SYSTEM else None
    most, least = campaign.worst(seen, lambda one: one.overruns)
    lost, lost_least = campaign.worst(seen, lambda one: one.lost)
    found = [
        campaign.seeds_row(case, seen),
        row(case, "overruns", most, "", paper, campaign.goal(system, 0)),
        row(case, "lost_frames", lost, "frames", None, campaign.goal(system, 0)),
    ]
    if most != least:
        found.append(row(case, "overruns_least", least, ""))
    if lost != lost_least:
        found.append(row(case, "lost_frames_least", lost_least, "frames"))
    if seen[0].told.channels:
        held = max(one.told.device["peak_bytes"] for one in seen)
        found.append(row(case, "buffer_peak", held, "B"))
    return found


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """Overruns of the device's buffer, frames lost, in the six scenarios (Tables II and III)."""
    found = campaign.runs(campaign.table2(), options)
    told = [line for key, seen in found.items() for line in rows(key[0], key[1].name, seen)]
    return {"config": campaign.config(found), "rows": told}


def draw(outcome: Outcome) -> Figure:
    """Frames lost by scenario, a bar for each system."""
    title = "Frames lost, worst of the seeds (Table III)"
    return drawing.scenarios(outcome, "lost_frames", title, "frames (logarithmic)", log=True)
