"""The timeline as a picture: what ran when, made to be understood without reading anything else.

Above a few periods, below a close-up of one busy moment. Loops are lanes; solid is time on the
loop's own budget, hatched is spare time; pins are drawn as logic levels. Where things are shorter
than can be shown (density.py) bars are paler, and pins are as high as they are in the mean.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.patches import ConnectionPatch, Patch

from takt.durations import duration_text
from takt.result.pictures import density
from takt.result.pictures.panel import (
    BORDER,
    CROWD_FILL,
    DASHES,
    DELIVERED,
    EXHAUSTED,
    FAINT,
    IDLE_COLOUR,
    INK,
    INTERRUPTED,
    ISR_COLOUR,
    PIN_COLOUR,
    REPLENISHED,
    TASK_COLOUR,
    UNDER_COLOUR,
    Panel,
    event_mark,
    lanes_of,
    mixed,
    spare_style,
)
from takt.result.pictures.scene import Scene, close_up, overview

WIDTH_INCHES, DPI = 15.0, 110
LEFT, RIGHT = 256 / 1650, 1506 / 1650  # of the width: the lanes, two pixels for a column
TITLE_INCHES, LEGEND_INCHES, AXIS_INCHES = 0.95, 0.5, 0.6
JOIN_INCHES = 0.4  # between the panels
FAST = "pin too fast to draw: how much of the time it is high"
ZOOM_COLOUR = "#f59e0b"


def _legend(figure: Figure, scene: Scene, windows: list[tuple[float, float]]) -> None:
    colours = [scene.colour(thread.place) for thread in scene.threads[:3]] or [INK]
    paler = [Patch(facecolor=mixed(ISR_COLOUR, share)) for share in (0.5, 0.75, 1.0)]
    solid = tuple(Patch(facecolor=colour) for colour in colours)
    budgets = {
        "runs on its budget": solid,
        "runs in spare time, its budget is used up": tuple(
            Patch(linewidth=0, **spare_style(colour)) for colour in colours
        ),
        "budget used up": Line2D([], [], linestyle="", marker="v", color=EXHAUSTED),
        "budget comes back": Line2D([], [], linestyle="", marker="^", color=REPLENISHED),
        "a period of the loop begins": Line2D([], [], color=BORDER, linestyle=DASHES),
    }
    plain = {"runs": solid} if scene.threads else {}
    handles = (budgets if scene.has_budgets else plain) | {
        "interrupt handler": Patch(facecolor=ISR_COLOUR),
        "nothing to do": Patch(facecolor=IDLE_COLOUR),
        "paler: for a part of the time only": tuple(paler),
    }
    if any(density.crowds(pin.times, window) for pin in scene.pins for window in windows):
        handles[FAST] = Patch(facecolor=PIN_COLOUR, alpha=CROWD_FILL, linewidth=0)
    if scene.tasks:
        handles["task runs"] = Patch(facecolor=TASK_COLOUR)
        handles["a more urgent task is on top of it"] = Patch(facecolor=UNDER_COLOUR)
    if scene.passages:
        handles["interrupt of a pin"] = Line2D([], [], **event_mark(INTERRUPTED))
        handles["handler takes its event"] = Line2D([], [], **event_mark(DELIVERED))
    figure.legend(
        handles=list(handles.values()),
        labels=list(handles),
        handler_map={tuple: HandlerTuple(ndivide=None, pad=0)},
        loc="lower center",
        ncols=(len(handles) + 1) // 2,
        frameon=False,
        fontsize=8.5,
        labelcolor=INK,
        handlelength=2.4,
        columnspacing=1.8 if len(handles) < 11 else 1.1,
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
    order = "Threads higher up go first."
    if scene.has_budgets:
        order = "Loops higher up go first while they have budget."
    cpus = len(scene.trace.parts)
    if cpus > 1:
        order = f"On each CPU, {order[0].lower()}{order[1:]}"
    who = f"{cpus} CPUs" if cpus > 1 else "processor"
    return (
        f"What the {who} of board {scene.board} did during {duration_text(shown_us)} of a run "
        f"of {duration_text(scene.end)}. {order}"
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
    _legend(figure, scene, [wide, close] if close else [wide])
    options = {"compress_level": 1}  # a third larger, and a fifth of all drawing less
    figure.savefig(path, dpi=DPI, metadata={"Software": None}, format="png", pil_kwargs=options)
