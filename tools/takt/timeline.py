"""The timeline as a picture: what ran when, made to be understood without reading anything else.

Above a few periods, below a close-up of one busy moment. Loops are lanes; solid is time on the
loop's own budget, hatched is spare time; pins are drawn as logic levels.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import ConnectionPatch, Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from takt.scene import Scene, budget_text, close_up, duration_text, overview
from takt.trace import Kind

INK, FAINT, GRID = "#1f2933", "#6b7785", "#d5dbe1"
ISR_COLOUR, IDLE_COLOUR, PIN_COLOUR, ZOOM_COLOUR = "#4b5563", "#e3e7eb", "#374151", "#f59e0b"
EXHAUSTED, REPLENISHED = "#c81e1e", "#137333"
WIDTH_INCHES, DPI = 15.0, 110


@dataclass(frozen=True)
class Lane:
    """A horizontal strip of the picture, y growing downwards."""

    kind: str  # "isr", "thread", "idle", "pin"
    index: int
    top: float
    height: float

    @property
    def middle(self) -> float:
        return self.top + self.height / 2


def lanes_of(scene: Scene) -> list[Lane]:
    """Interrupts, threads in order of urgency, idle, pins."""
    rows = [("isr", 0, 0.42)]
    rows += [("thread", i, 0.8) for i in range(len(scene.threads))]
    rows += [("idle", 0, 0.3)]
    rows += [("pin", i, 0.5) for i in range(len(scene.pins))]
    lanes, top = [], 0.0
    for kind, index, height in rows:
        lanes.append(Lane(kind, index, top, height))
        top += height + (0.3 if kind == "thread" else 0.26)
    return lanes


class _Panel:
    """One axes of the picture, showing a window of the scene."""

    def __init__(self, axes: Any, scene: Scene, window: tuple[float, float]) -> None:
        self.axes, self.scene = axes, scene
        self.start, self.end = window
        self.thin = (self.end - self.start) / 900  # nothing is drawn thinner than this
        self.lanes = lanes_of(scene)

    def draw(self) -> None:
        for lane in self.lanes:
            getattr(self, f"_{lane.kind}")(lane)
        self._frame()

    def _bars(self, spans: Any, lane: Lane, **style: Any) -> None:
        """Rectangles for the (start, end) rows that fall into the window."""
        inside = spans[(spans[:, 1] > self.start) & (spans[:, 0] < self.end)]
        bars = [(float(a), max(float(b - a), self.thin)) for a, b in inside[:, :2]]
        self.axes.broken_barh(bars, (lane.top, lane.height), **style)

    def _isr(self, lane: Lane) -> None:
        self._bars(self.scene.handlers(), lane, facecolors=ISR_COLOUR, linewidth=0)

    def _idle(self, lane: Lane) -> None:
        self._bars(self.scene.idle(), lane, facecolors=IDLE_COLOUR, linewidth=0)

    def _thread(self, lane: Lane) -> None:
        scene, thread = self.scene, self.scene.threads[lane.index]
        colour = scene.colour(thread.place)
        self._periods(lane, thread.period_us)
        self._bars(
            scene.stretches(thread.place, True),
            lane,
            facecolors=colour + "30",
            edgecolors=colour,
            linewidth=0.5,
            hatch="/////",
        )
        self._bars(scene.stretches(thread.place, False), lane, facecolors=colour, linewidth=0)
        self._marks(Kind.EXHAUST, thread.place, lane.top - 0.07, "v", EXHAUSTED)
        self._marks(Kind.REPLENISH, thread.place, lane.top + lane.height + 0.08, "^", REPLENISHED)

    def _periods(self, lane: Lane, period: int | None) -> None:
        """Ticks at the borders of the loop's periods."""
        self.axes.broken_barh(
            [(self.start, self.end - self.start)],
            (lane.top, lane.height),
            facecolors="#f6f8fa",
            linewidth=0,
            zorder=0,
        )
        if not period:
            return
        border = self.scene.stats.origin_us
        border += max(0, int((self.start - border) // period)) * period
        while border < self.end:
            if border >= self.start:
                self.axes.plot(
                    [border, border],
                    [lane.top - 0.06, lane.top + lane.height + 0.06],
                    color="#9aa5b1",
                    linewidth=0.8,
                    linestyle=(0, (2, 2)),
                    zorder=1,
                )
            border += period

    def _marks(self, kind: Kind, place: int, y: float, marker: str, colour: str) -> None:
        times = self.scene.moments(kind, place)
        times = times[(times >= self.start) & (times <= self.end)]
        self.axes.plot(
            times,
            [y] * len(times),
            linestyle="",
            marker=marker,
            markersize=5.5,
            color=colour,
            markeredgewidth=0,
            zorder=4,
            clip_on=False,
        )

    def _pin(self, lane: Lane) -> None:
        pin = self.scene.pins[lane.index]
        level = pin.level_at(self.start)
        times, levels = [self.start], [level]
        for time, level in pin.between(self.start, self.end):
            times.append(time)
            levels.append(level)
        times.append(self.end)
        levels.append(level)
        base = lane.top + lane.height
        heights = [base - one * lane.height for one in levels]
        self.axes.step(times, heights, where="post", color=PIN_COLOUR, linewidth=1.1)
        self.axes.fill_between(
            times, heights, base, step="post", color=PIN_COLOUR, alpha=0.13, linewidth=0
        )

    def _label(self, lane: Lane) -> tuple[str, str, str]:
        """Name, explanation and colour at the left of a lane."""
        if lane.kind == "isr":
            return "interrupts", "", INK
        if lane.kind == "idle":
            return "CPU asleep", "", FAINT
        if lane.kind == "thread":
            thread = self.scene.threads[lane.index]
            return thread.name, budget_text(thread), self.scene.colour(thread.place)
        pin = self.scene.pins[lane.index]
        return pin.name, f"pin {pin.pin}, {'output' if pin.output else 'input'}", INK

    def _frame(self) -> None:
        axes, bottom = self.axes, self.lanes[-1].top + self.lanes[-1].height + 0.15
        axes.set_xlim(self.start, self.end)
        axes.set_ylim(bottom, -0.22)
        axes.set_yticks([])
        for side in ("left", "right", "top"):
            axes.spines[side].set_visible(False)
        axes.spines["bottom"].set_color(FAINT)
        axes.grid(axis="x", color=GRID, linewidth=0.6)
        axes.set_axisbelow(True)
        self._time_axis()
        for lane in self.lanes:
            name, small, colour = self._label(lane)
            two = bool(small) and lane.kind == "thread"
            place = {"transform": axes.get_yaxis_transform(), "ha": "right", "clip_on": False}
            axes.text(
                -0.008,
                lane.middle - (0.17 if two else 0),
                name,
                va="center",
                color=colour,
                fontsize=10 if lane.kind == "thread" else 8.5,
                fontweight="bold" if lane.kind == "thread" else "normal",
                **place,
            )
            if two:
                axes.text(
                    -0.008,
                    lane.middle + 0.22,
                    small,
                    va="center",
                    color=FAINT,
                    fontsize=7.5,
                    **place,
                )

    def _time_axis(self) -> None:
        """Ticks in a unit that suits the window."""
        span = self.end - self.start
        unit, size = next(
            (u, s) for u, s in (("s", 1e6), ("ms", 1e3), ("us", 1.0)) if span >= 2 * s or u == "us"
        )
        locator = MaxNLocator(nbins=11, steps=[1, 2, 5, 10])
        ticks = [t * size for t in locator.tick_values(self.start / size, self.end / size)]
        ticks = [t for t in ticks if self.start <= t <= self.end]
        self.axes.set_xticks(ticks)
        step = (ticks[1] - ticks[0]) / size if len(ticks) > 1 else 1.0
        places = max(0, -int(f"{step:e}".split("e")[1]))
        self.axes.xaxis.set_major_formatter(FuncFormatter(lambda t, _: f"{t / size:.{places}f}"))
        self.axes.tick_params(axis="x", colors=INK, labelsize=8.5)
        self.axes.set_xlabel(f"time since the board started [{unit}]", fontsize=9, color=INK)


def _legend(figure: Figure) -> None:
    grey = "#52606d"
    handles = [
        Patch(facecolor=grey, label="runs on its budget"),
        Patch(
            facecolor=grey + "30",
            edgecolor=grey,
            hatch="/////",
            linewidth=0.5,
            label="budget used up: runs only in spare time",
        ),
        Line2D([], [], linestyle="", marker="v", color=EXHAUSTED, label="budget used up"),
        Line2D([], [], linestyle="", marker="^", color=REPLENISHED, label="budget comes back"),
        Line2D([], [], color="#9aa5b1", linestyle=(0, (2, 2)), label="a period of the loop begins"),
        Patch(facecolor=ISR_COLOUR, label="interrupt handler"),
        Patch(facecolor=IDLE_COLOUR, label="nothing to do"),
    ]
    figure.legend(
        handles=handles,
        loc="lower center",
        ncols=len(handles),
        frameon=False,
        fontsize=8.5,
        labelcolor=INK,
        handlelength=1.6,
        columnspacing=1.8,
        bbox_to_anchor=(0.5, 0.0),
    )


def _join(figure: Figure, above: Any, below: Any, window: tuple[float, float]) -> None:
    """Marks the close-up's window in the overview and leads the eye down to it."""
    above.axvspan(*window, color=ZOOM_COLOUR, alpha=0.28, linewidth=0, zorder=0.5)
    low, high = above.get_ylim()[0], below.get_ylim()[1]
    for x in window:
        figure.add_artist(
            ConnectionPatch(
                (x, low),
                (x, high),
                "data",
                "data",
                axesA=above,
                axesB=below,
                color=ZOOM_COLOUR,
                linewidth=1.0,
                alpha=0.8,
            )
        )


def _subtitle(scene: Scene, shown_us: float) -> str:
    return (
        f"What the processor of board {scene.board} did during {duration_text(shown_us)} of a run "
        f"of {duration_text(scene.end)}. Loops higher up go first while they have budget."
    )


def draw(scene: Scene, path: Path) -> None:
    """Writes the picture."""
    wide = overview(scene)
    close = close_up(scene, wide)
    lanes = lanes_of(scene)
    height = 0.46 * (lanes[-1].top + lanes[-1].height) + 0.55
    panels = 2 if close else 1
    total = panels * (height + 0.75) + 1.25
    figure = Figure(figsize=(WIDTH_INCHES, total), dpi=DPI, facecolor="white")
    FigureCanvasAgg(figure)

    def axes_at(top_inches: float) -> Any:
        bottom = total - top_inches - height
        return figure.add_axes((0.155, bottom / total, 0.825, height / total))

    upper = axes_at(0.95)
    figure.text(
        0.012, 1 - 0.3 / total, scene.title, fontsize=15, fontweight="bold", color=INK, va="center"
    )
    figure.text(
        0.012,
        1 - 0.6 / total,
        _subtitle(scene, wide[1] - wide[0]),
        fontsize=9.5,
        color=FAINT,
        va="center",
    )
    _Panel(upper, scene, wide).draw()
    if close:
        lower = axes_at(0.95 + height + 0.95)
        _Panel(lower, scene, close).draw()
        _join(figure, upper, lower, close)
        lower.set_title(
            f"Close-up: {duration_text(close[1] - close[0])}",
            fontsize=10,
            loc="left",
            color=INK,
            pad=8,
        )
    _legend(figure)
    figure.savefig(path, dpi=DPI, metadata={"Software": None})
