"""Pictures of the labs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from takt.lab import Outcome

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLES = ("o-", "s-", "^-", "v-", "D-", "x-", "+-", "*-", "P-")
LEAST = 1.0  # what a logarithmic axis shows of less than a cycle


def _figure(width: float = 8.0, height: float = 4.6) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def lines(outcome: Outcome) -> Figure:
    """Cycles over N, a line each: ours and the others, on the host."""
    metric = next(r["metric"] for r in outcome.rows if r["metric"].endswith("_cycles"))
    curves: dict[str, list[tuple[int, float]]] = {}
    for r in outcome.rows:
        name, _, n = r["case"].rpartition("N=")
        if r["metric"] == metric and n.isdigit():
            curves.setdefault(name.rstrip("-") or "Takt", []).append((int(n), r["value"]))
    figure = _figure()
    axes = figure.subplots()
    for (name, points), style in zip(curves.items(), STYLES, strict=False):
        x, y = zip(*points, strict=True)
        width = 2.4 if name == "Takt" else 1.0
        axes.plot(x, [max(v, LEAST) for v in y], style, label=name, linewidth=width, markersize=4)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("tasks")
    axes.set_ylabel("cycles (below 1 drawn as 1)")
    axes.set_title(f"{outcome.lab}: {metric.replace('_', ' ')} on the host")
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize=8, loc="upper left")
    return figure


def spread(outcome: Outcome) -> Figure:
    """Releases at each tick, placed and as they came."""
    figure = _figure(8.0, 3.6)
    left, right = figure.subplots(1, 2, sharey=True)
    for axes, key, title in (
        (left, "takt at", "Takt: placed"),
        (right, "art-linux at", "registered at random times"),
    ):
        axes.bar(range(100), outcome.config[key], width=1.0)
        axes.set_title(title)
        axes.set_xlabel("tick")
    left.set_ylabel("releases")
    return figure


def bars(outcome: Outcome) -> Figure:
    """Cycles per job by set, on the host; those far above are cut off."""
    figure = _figure(9.0, 4.2)
    every = figure.subplots(1, 3, sharey=True)
    most = 120.0
    for axes, name in zip(every, ("lcm", "primes", "random"), strict=True):
        found = {
            r["case"].removesuffix(name).rstrip("-") or "Takt": r["value"]
            for r in outcome.rows
            if r["metric"] == "cycles_per_job" and r["case"].endswith(name)
        }
        colours = ["tab:orange" if key == "Takt" else "tab:blue" for key in found]
        shown = axes.barh(list(found), [min(v, most) for v in found.values()], color=colours)
        axes.bar_label(shown, [f"{v:.0f}" for v in found.values()], padding=2, fontsize=8)
        axes.set_title(name)
        axes.set_xlim(0, most * 1.2)
        axes.set_xlabel("cycles per job")
        axes.invert_yaxis() if axes is every[0] else None
    return figure
