"""What the pictures of labs have in common: one look, so that they read alike."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from takt.cli.labs.lab import Outcome
from takt.result.pictures.panel import FAINT, GRID, INK

TAKT, BASELINE, PAPER, GOAL, OTHER = "#2563eb", "#d97706", "#6b7785", "#137333", "#0e7490"
SHADES = ("#bfd3f7", "#7fa6ee", "#2563eb", "#163b8c")
WIDTH_INCHES = 9.0  # of a page
TITLE_INCHES, LINE_INCHES, FOOT_INCHES = 0.55, 0.2, 0.35
LINE = 132  # characters


def value(outcome: Outcome, case: str, metric: str) -> float | None:
    """One value of an outcome; None where the lab has none."""
    rows = (r["value"] for r in outcome.rows if (r["case"], r["metric"]) == (case, metric))
    return next(rows, None)


def cases(outcome: Outcome, metric: str) -> list[str]:
    """Cases with a metric, in order."""
    return [r["case"] for r in outcome.rows if r["metric"] == metric]


def sheet(
    source: str,
    title: str,
    about: str,
    panels: int = 1,
    height: float = 5.0,
    rows: int = 1,
    **grid: Any,
) -> tuple[Figure, list[Axes]]:
    """A figure as wide as a page, with a title, a line that says what is seen, and panels side by
    side, in so many rows; source: the line below."""
    figure = Figure(figsize=(WIDTH_INCHES, height), layout="constrained")
    FigureCanvasAgg(figure)
    lines, width = wrap(about, LINE), WIDTH_INCHES
    top = 1 - (TITLE_INCHES + LINE_INCHES * len(lines)) / height
    foot = FOOT_INCHES / height
    figure.get_layout_engine().set(rect=(0.01, foot, 0.98, top - foot), wspace=0.06)
    left = 0.15 / width
    figure.text(
        left, 1 - 0.3 / height, title, fontsize=14, fontweight="bold", color=INK, va="center"
    )
    below = 1 - 0.5 / height
    figure.text(left, below, "\n".join(lines), fontsize=9.5, color=FAINT, va="top")
    figure.text(left, 0.15 / height, source, fontsize=8, color=FAINT, va="center")
    axes = figure.subplots(rows, panels, squeeze=False, **grid).flatten()
    for one in axes:
        one.spines[["top", "right"]].set_visible(False)
        one.tick_params(colors=INK, labelsize=9)
        one.set_axisbelow(True)
    return figure, list(axes)


def colour(case: str) -> str:
    """Of a case: baselines stand out."""
    return BASELINE if case.startswith("baseline") else TAKT


def label(case: str) -> str:
    """A case's name, as people read it."""
    return case.removeprefix("baseline-").replace("-", " ").capitalize()


def bars(
    axes: Axes,
    names: Sequence[str],
    values: Sequence[float | None],
    colours: Sequence[str],
    text: str = "{:,.0f}",
    missing: str = "",
) -> None:
    """Horizontal bars, the first on top, each with its value."""
    rows = range(len(names))
    axes.barh(rows, [v or 0 for v in values], color=colours, height=0.62)
    axes.set_yticks(rows, names)
    axes.invert_yaxis()
    axes.grid(axis="x", color=GRID, linewidth=0.7)
    axes.tick_params(axis="y", length=0)
    for at, one in zip(rows, values, strict=True):
        said = missing if one is None else text.format(one)
        axes.annotate(
            said, (one or 0, at), xytext=(4, 0), textcoords="offset points",
            va="center", fontsize=8.5, color=INK,
        )  # fmt: skip
    axes.margins(x=0.2)


def heading(axes: Axes, text: str) -> None:
    """Above a panel."""
    axes.set_title(text, fontsize=10, color=INK, loc="left", pad=8)


def key(axes: Axes, **where: Any) -> None:
    """The legend of a panel."""
    axes.legend(frameon=False, fontsize=8.5, labelcolor=INK, **where)
