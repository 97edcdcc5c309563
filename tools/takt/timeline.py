"""The timeline as a picture: what ran when, made to be understood without reading anything else.

Above a few periods, below a close-up of one busy moment. Loops are lanes; solid is time on the
loop's own budget, hatched is spare time; pins are drawn as logic levels.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import ConnectionPatch, Patch

from takt.panel import (
    BORDER,
    DASHES,
    DELIVERED,
    EXHAUSTED,
    FAINT,
    HATCH,
    IDLE_COLOUR,
    INK,
    INTERRUPTED,
    ISR_COLOUR,
    REPLENISHED,
    Panel,
    event_mark,
    lanes_of,
)
from takt.scene import Scene, close_up, duration_text, overview

WIDTH_INCHES, DPI = 15.0, 110
LEFT, RIGHT = 0.155, 0.905  # of the width: where the lanes begin and end
TITLE_INCHES, LEGEND_INCHES, AXIS_INCHES = 0.95, 0.3, 0.6
JOIN_INCHES = 0.4  # between the panels
ZOOM_COLOUR = "#f59e0b"


def _event_marks() -> list[Line2D]:
    return [
        Line2D([], [], label="interrupt of a pin", **event_mark(INTERRUPTED)),
        Line2D([], [], label="handler takes its event", **event_mark(DELIVERED)),
    ]


def _legend(figure: Figure, events: bool) -> None:
    grey = "#52606d"
    hatched = {"facecolor": grey + "30", "edgecolor": grey, "hatch": HATCH, "linewidth": 0.5}
    handles = [
        Patch(facecolor=grey, label="runs on its budget"),
        Patch(label="runs in spare time, its budget is used up", **hatched),
        Line2D([], [], linestyle="", marker="v", color=EXHAUSTED, label="budget used up"),
        Line2D([], [], linestyle="", marker="^", color=REPLENISHED, label="budget comes back"),
        Line2D([], [], color=BORDER, linestyle=DASHES, label="a period of the loop begins"),
        Patch(facecolor=ISR_COLOUR, label="interrupt handler"),
        Patch(facecolor=IDLE_COLOUR, label="nothing to do"),
        *(_event_marks() if events else ()),
    ]
    figure.legend(
        handles=handles,
        loc="lower center",
        ncols=len(handles),
        frameon=False,
        fontsize=8.5 if not events else 7.8,
        labelcolor=INK,
        handlelength=1.6,
        columnspacing=1.8 if not events else 1.1,
        bbox_to_anchor=(0.5, 0.0),
    )


def _join(figure: Figure, above: Any, below: Any, window: tuple[float, float]) -> None:
    """Marks the close-up's window in the overview and leads the eye down to it."""
    thin = (above.get_xlim()[1] - above.get_xlim()[0]) / 1200
    wide = (window[0], max(window[1], window[0] + 2 * thin))
    above.axvspan(*wide, color=ZOOM_COLOUR, alpha=0.3, linewidth=0, zorder=0.5)
    low, high = above.get_ylim()[0], below.get_ylim()[1]
    for x in window:
        line = ConnectionPatch(
            (x, low), (x, high), "data", "data", axesA=above, axesB=below, color=ZOOM_COLOUR
        )
        line.set(linewidth=1.0, alpha=0.8)
        figure.add_artist(line)


def _subtitle(scene: Scene, shown_us: float) -> str:
    return (
        f"What the processor of board {scene.board} did during {duration_text(shown_us)} of a run "
        f"of {duration_text(scene.end)}. Loops higher up go first while they have budget."
    )


def _heading(figure: Figure, scene: Scene, shown_us: float, total: float) -> None:
    title = {"fontsize": 15, "fontweight": "bold", "color": INK, "va": "center"}
    figure.text(0.012, 1 - 0.3 / total, scene.title, **title)
    small = {"fontsize": 9.5, "color": FAINT, "va": "center"}
    figure.text(0.012, 1 - 0.6 / total, _subtitle(scene, shown_us), **small)


def draw(scene: Scene, path: Path) -> None:
    """Writes the picture."""
    wide = overview(scene)
    close = close_up(scene, wide)
    height = 0.46 * lanes_of(scene)[-1].bottom + 0.2
    below = height + AXIS_INCHES
    total = TITLE_INCHES + below + LEGEND_INCHES + (below + JOIN_INCHES if close else 0)
    figure = Figure(figsize=(WIDTH_INCHES, total), dpi=DPI, facecolor="white")
    FigureCanvasAgg(figure)
    _heading(figure, scene, wide[1] - wide[0], total)

    def axes_at(top_inches: float) -> Any:
        bottom = total - top_inches - height
        return figure.add_axes((LEFT, bottom / total, RIGHT - LEFT, height / total))

    upper = axes_at(TITLE_INCHES)
    Panel(upper, scene, wide).draw(notes=True)
    if close:
        lower = axes_at(TITLE_INCHES + below + JOIN_INCHES)
        Panel(lower, scene, close).draw(notes=False)
        _join(figure, upper, lower, close)
        y = 1 - (TITLE_INCHES + below + JOIN_INCHES - 0.12) / total
        text = f"Close-up: {duration_text(close[1] - close[0])}"
        figure.text(0.012, y, text, fontsize=11, fontweight="bold", color=INK, va="center")
    _legend(figure, bool(scene.passages))
    figure.savefig(path, dpi=DPI, metadata={"Software": None}, format="png")
