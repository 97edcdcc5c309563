"""From a frame's end on its bus to the task that reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from takt import boards
from takt.cli.labs.lab import row

from . import campaign, drawing
from .campaign import Seen, System
from .scenario import TABLE2

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from takt.cli.labs.lab import Outcome

SHARES = (50, 99, 99.9)
BIN_US = 250  # guest.h
SCENARIO = "3"


def _bins(seen: list[Seen]) -> dict[int, int]:
    """Of all channels and seeds."""
    every: dict[int, int] = {}
    for one in seen:
        for at, count in one.told.bins.items():
            every[at] = every.get(at, 0) + count
    return dict(sorted(every.items()))


def _within(bins: dict[int, int], share: float) -> int:
    """The end of the bin that so many per cent of the frames are within."""
    left = sum(bins.values()) * share / 100
    for at, count in bins.items():
        left -= count
        if left <= 0:
            return (at + 1) * BIN_US
    return 0


def _rows(system: System, case: str, seen: list[Seen]) -> list[dict[str, Any]]:
    bins = _bins(seen)
    rows = [campaign.seeds_row(case, seen)]
    rows.append(row(case, "latency_max_us", max(s.latest_us() for s in seen), "us"))
    for share in SHARES:
        rows.append(row(case, f"latency_p{share:g}_us", _within(bins, share), "us"))
    for channel, bound in system.bounds_us(seen[0].scenario).items():
        latest = max(one.told.channels[channel].latest_us for one in seen)
        one = f"{case}-can{channel + 1}"
        rows.append(row(one, "latency_max_us", latest, "us", None, bound))
        rows.append(row(one, "latency_bound_us", bound, "us"))
    return rows


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """From a frame's end on the bus to the task that reads it, against the bound; scenario 3."""
    scenario = next(one for one in TABLE2 if one.name == SCENARIO)
    keys = [(system, scenario) for system in campaign.pipes_too()]
    found = campaign.runs(keys, options)
    rows, bins = [], {}
    for (system, _), seen in found.items():
        rows += _rows(system, f"{system.name}-{SCENARIO}", seen)
        bins[system.name] = _bins(seen)
    about = {
        "latency": "of every frame that was read, all channels and seeds; lost frames have none",
        "latency_p": f"so many per cent are within; to {BIN_US} us",
        "bins": bins,
    }
    return {"config": about | campaign.config(found), "rows": rows}


def draw(outcome: Outcome) -> Figure:
    """The share of frames that are later, over the time."""
    return drawing.tails(outcome, BIN_US)
