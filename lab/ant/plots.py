"""Pictures of the labs."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from takt.cli.labs import drawing as lab_drawing
from takt.cli.labs.drawing import BASELINE, GOAL, OTHER, PAPER, TAKT, heading, key, value
from takt.result.pictures.panel import GRID

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from takt.cli.labs.lab import Outcome

SOURCE = "AnT: Furukawa, Yamauchi, Taniguchi."
sheet = partial(lab_drawing.sheet, SOURCE)
LEAST = 1.0  # what a logarithmic axis shows of less than a cycle
OURS = "takt"
STYLES = {
    OURS: (TAKT, "o-", 2.4),
    "ant-table": (BASELINE, "s-", 1.6),
    "art-linux-queue": (PAPER, "^-", 1.6),
    "bitmap-rows": (GOAL, "v-", 1.0),
    "hierarchical-wheel": (OTHER, "D-", 1.0),
    "periodic-wheel": ("#9333ea", "x-", 1.0),
}
OF_PAPER = 100  # tasks in its figures


def _curves(outcome: Outcome, metric: str, suffix: str) -> dict[str, list[tuple[int, float]]]:
    """N and cycles by structure."""
    curves: dict[str, list[tuple[int, float]]] = {}
    for r in outcome.rows:
        name, _, n = r["case"].removesuffix(suffix).rpartition("N=")
        if r["metric"] == metric and r["case"].endswith(suffix) and n.isdigit():
            curves.setdefault(name.rstrip("-") or OURS, []).append((int(n), r["value"]))
    return curves


def _draw(axes: Axes, curves: dict[str, list[tuple[int, float]]], most: float) -> None:
    for name, points in curves.items():
        colour, style, width = STYLES[name]
        x, y = zip(*(point for point in points if point[0] <= most), strict=True)
        axes.plot(x, [max(v, LEAST) for v in y], style, color=colour, label=name, linewidth=width,
                  markersize=4)  # fmt: skip
    axes.set_xlabel("tasks", fontsize=9)
    axes.grid(color=GRID, linewidth=0.7)


def lines(outcome: Outcome) -> Figure:
    """Cycles over N: cold, as the paper has it; warm, to 10 000."""
    metric = next(r["metric"] for r in outcome.rows if r["metric"].endswith("_cycles"))
    what, number = ("release", 9) if metric.startswith("release") else ("wait", 10)
    figure, (left, right) = sheet(
        f"Processing time of the {what} (Figure {number})",
        "On the host, all structures in turns. Left as in the paper: 1 MB is read before each "
        "release. Right: again and again, both axes logarithmic; less than a cycle is drawn as 1.",
        2,
    )
    _draw(left, _curves(outcome, metric, "-cold"), OF_PAPER)
    _draw(right, _curves(outcome, metric, ""), float("inf"))
    right.set_xscale("log")
    right.set_yscale("log")
    left.set_ylim(0, None)
    left.set_ylabel("cycles", fontsize=9)
    heading(left, "cold, to 100 tasks")
    heading(right, "warm, to 10 000 tasks")
    key(left, loc="upper left")
    return figure


def spread(outcome: Outcome) -> Figure:
    """Releases at each tick, placed and as they came."""
    figure, panels = sheet(
        "How many tasks are released at each tick (Figures 11 and 12)",
        "100 tasks of a period of 100 ticks. Left as the kernel places them; right registered at "
        "random, as ART-Linux does.",
        2,
        4.2,
        sharey=True,
    )
    shown = (("takt at", "Takt", TAKT), ("art-linux at", "registered at random", PAPER))
    for axes, (which, title, colour) in zip(panels, shown, strict=True):
        axes.bar(range(100), outcome.config[which], width=0.8, color=colour)
        axes.set_xlabel("tick", fontsize=9)
        axes.yaxis.get_major_locator().set_params(integer=True)
        heading(axes, title)
    panels[0].set_ylabel("releases", fontsize=9)
    return figure


def bars(outcome: Outcome) -> Figure:
    """Cycles per job by set, on the host; those far above are cut off."""
    figure, panels = sheet(
        "Mixed periods: cycles for each job",
        "100 tasks on the host, release and wait; bars that are longer are cut off.",
        3,
        3.8,
    )
    most = 320.0
    for axes, name in zip(panels, ("lcm", "primes", "random"), strict=True):
        found = [value(outcome, case, "cycles_per_job") for case in _cases(STYLES, name)]
        colours = [colour for colour, _, _ in STYLES.values()]
        shown = axes.barh(list(STYLES), [min(v or 0, most) for v in found], color=colours)
        said = ["does not fit" if v is None else f"{v:.0f}" for v in found]
        axes.bar_label(shown, said, padding=2, fontsize=8.5)
        axes.set_xlim(0, most * 1.3)
        axes.set_xlabel("cycles", fontsize=9)
        axes.invert_yaxis()
        heading(axes, name)
        if axes is not panels[0]:
            axes.set_yticklabels([])
    return figure


def _cases(names: Iterable[str], what: str) -> list[str]:
    return [what if name == OURS else f"{name}-{what}" for name in names]


def intervals(outcome: Outcome) -> Figure:
    """How often a time was seen; the error of the intervals by period, as in the paper."""
    figure, (left, right) = sheet(
        "From the timer's interrupt to the job (Figure 2), error of intervals (Figure 3)",
        "One periodic thread, 100 jobs, on the stm32f051; ART-Linux on a Pentium II of 400 MHz.",
        2,
        4.2,
    )
    times = outcome.config["times"]
    left.hist(times, bins=40, range=(0, 1.25 * max(times)), color=TAKT)
    least, most = (
        next(r["paper"] for r in outcome.rows if r["case"] == f"T=1ms-{which}")
        for which in ("min", "max")
    )
    left.axvspan(least, most, color=PAPER, alpha=0.4, linewidth=0)
    left.text(most, 50, f" ART-Linux (paper):\n {least} to {most} us", fontsize=9, color=PAPER)
    left.set_xlabel("us", fontsize=9)
    left.set_ylabel("of 100 jobs", fontsize=9)
    heading(left, "from the interrupt to the job")
    rows = [r for r in outcome.rows if r["metric"] == "interval_error_us"]
    periods = [float(r["case"].removeprefix("T=").removesuffix("ms")) for r in rows]
    told = (("Takt", TAKT, "value", "o-"), ("ART-Linux (paper)", PAPER, "paper", "^--"))
    for who, colour, field, style in told:
        right.plot(periods, [r[field] for r in rows], style, color=colour, label=who)
    right.set_xlabel("period, ms", fontsize=9)
    right.set_ylabel("us", fontsize=9)
    right.grid(color=GRID, linewidth=0.7)
    heading(right, "error of the interval")
    key(right)
    return figure
