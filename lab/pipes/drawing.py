"""The pictures of this lab."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from takt.cli.labs import drawing as lab_drawing
from takt.cli.labs.drawing import BASELINE, GOAL, OTHER, SHADES, TAKT, heading, key, value
from takt.result.pictures.panel import GRID

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from takt.cli.labs.lab import Outcome

SOURCE = (
    "Tuned Pipes: Golchin, Cheng, West, RTSS 2018. All values in virtual time (500 million "
    "instructions/s), the same in every run."
)
COLOURS = (TAKT, BASELINE, "#f3b562", "#9333ea", "#d8b4fe", OTHER, "#7dd3da", "#64748b", "#be185d")
sheet = partial(lab_drawing.sheet, SOURCE)


def _systems(outcome: Outcome) -> list[str]:
    """By the cases <system>-<scenario>, in order."""
    return list(dict.fromkeys(row["case"].rpartition("-")[0] for row in outcome.rows))


def scenarios(outcome: Outcome, metric: str, title: str, unit: str, log: bool) -> Figure:
    """A metric by scenario, a bar for each system."""
    systems = _systems(outcome)
    names = list(dict.fromkeys(row["case"].rpartition("-")[2] for row in outcome.rows))
    about = "Scenarios of Table II: loops in 2, 3, 5, 6; readers in 1, 3, 4, 6."
    figure, (axes,) = sheet(title, about)
    width = 0.8 / len(systems)
    for at, system in enumerate(systems):
        x = [n + width * (at - (len(systems) - 1) / 2) for n in range(len(names))]
        y = [value(outcome, f"{system}-{name}", metric) or 0 for name in names]
        axes.bar(x, y, width * 0.95, color=COLOURS[at % len(COLOURS)], label=system)
    if log:
        axes.set_yscale("symlog", linthresh=1)
    axes.set_xticks(range(len(names)), [f"scenario {name}" for name in names])
    axes.grid(axis="y", color=GRID, linewidth=0.7)
    axes.set_ylabel(unit, fontsize=9)
    key(axes)
    return figure


def _panel(axes: Axes, system: str, series: dict[str, list[int]], limits: tuple[int, int]) -> None:
    axes.axhspan(*limits, color=GOAL, alpha=0.25, linewidth=0)
    for at, (name, got) in enumerate(series.items()):
        axes.plot(range(2, len(got) + 2), got, color=SHADES[1 + at * 2], label=name, linewidth=1.3)
    axes.grid(axis="y", color=GRID, linewidth=0.7)
    axes.set_xlabel("second", fontsize=8.5)
    heading(axes, _short(system))


def _short(system: str) -> str:
    """In a narrow panel."""
    return system.replace("linux-", "").replace("hrtick", "hrt.")


def seconds(outcome: Outcome, limits: tuple[int, int], title: str) -> Figure:
    """Frames of every second, a panel for each system; below least, mean and most."""
    every = outcome.config["seconds"]
    names = list(every)
    about = (
        f"The band: {limits[0]} to {limits[1]} frames a second, what the device does. Above: every "
        "second of the first seed. Below: of all seeds. rt, std: linux-rt, linux-std; hrt.: hrtick."
    )
    figure, panels = sheet(title, about, len(names), 7.0, rows=2, sharey="row")
    for at, system in enumerate(names):
        _panel(panels[at], system, every[system], limits)
        _spread(panels[len(names) + at], outcome, system, list(every[system]), limits)
    key(panels[0], loc="lower left")
    return figure


def _spread(
    axes: Axes, outcome: Outcome, system: str, channels: list[str], limits: tuple[int, int]
) -> None:
    axes.axhspan(*limits, color=GOAL, alpha=0.25, linewidth=0)
    metrics = {"min": "tput_min_fps", "avg": "tput_mean_fps", "max": "tput_max_fps"}
    for n, channel in enumerate(channels):
        got = [value(outcome, f"{system}-{channel}", metric) or 0 for metric in metrics.values()]
        x = [at + 0.38 * (n - 0.5) for at in range(len(metrics))]
        axes.bar(x, got, 0.36, color=SHADES[1 + n * 2])
    axes.set_xticks(range(len(metrics)), list(metrics))
    axes.set_ylim(0.65 * limits[0], 1.05 * limits[1])
    axes.grid(axis="y", color=GRID, linewidth=0.7)


def tails(outcome: Outcome, bin_us: int) -> Figure:
    """The share of frames that are later, over the time, a line for each system."""
    about = "Scenario 3, all channels and seeds; frames that were lost are not in it."
    figure, (axes,) = sheet("Frames by latency, bus to task", about)
    for at, (system, bins) in enumerate(outcome.config["bins"].items()):
        left = total = sum(bins.values())
        x, y = [], []
        for bin, count in bins.items():
            left -= count
            x.append((int(bin) + 1) * bin_us / 1000)
            y.append(max(left, 0.1) / total)
        axes.step(x, y, where="post", color=COLOURS[at % len(COLOURS)], label=system)
        bound = value(outcome, f"{system}-3", "latency_bound_us")
        if bound:
            axes.axvline(bound / 1000, color=GOAL, linestyle="--", linewidth=1.2)
            axes.text(bound / 1000, 0.5, " bound", color=GOAL, fontsize=8.5)
    axes.set_yscale("log")
    axes.set_xlabel("ms", fontsize=8.5)
    axes.grid(color=GRID, linewidth=0.7)
    heading(axes, "share of frames that are later (logarithmic)")
    key(axes)
    return figure
