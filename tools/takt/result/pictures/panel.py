"""One panel of the timeline picture: a window of the run, lane below lane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.ticker import FuncFormatter, MaxNLocator

from takt.durations import span_text
from takt.result.pictures import density
from takt.result.pictures.scene import PinTrace, Scene, budget_text
from takt.result.trace import NOBODY, Kind

INK, FAINT, GRID, LANE, BORDER = "#1f2933", "#6b7785", "#d5dbe1", "#f6f8fa", "#9aa5b1"
ISR_COLOUR, IDLE_COLOUR, PIN_COLOUR = "#4b5563", "#e3e7eb", "#374151"
TASK_COLOUR, UNDER_COLOUR = "#0f766e", "#b7dcd8"
EXHAUSTED, REPLENISHED = "#c81e1e", "#137333"
# Of events, on the bars: marker, inside, edge.
INTERRUPTED, DELIVERED = ("D", "#111827", "#ffffff"), ("o", "#ffffff", "#111827")
CROWDED = 100  # more marks of events than this in a lane hide it, and are left out
DASHES = (0, (2, 2))
LABEL_FITS = 36  # characters left of the lanes; longer ones are written smaller
HATCH = "/////"
PIN_FILL, CROWD_FILL, SPARE_FILL = 0.13, 0.5, 0.19


def mixed(colour: str, strength: float) -> tuple[float, ...]:
    """A colour on white; unlike a transparent one it hides what is behind."""
    return tuple(1 - strength * (1 - part) for part in to_rgb(colour))


def spare_style(colour: str, strength: float = 1.0) -> dict[str, Any]:
    """How spare time looks."""
    edge, face = mixed(colour, strength), mixed(colour, SPARE_FILL * strength)
    return {"facecolor": face, "edgecolor": edge, "hatch": HATCH}


def event_mark(look: tuple[str, str, str]) -> dict[str, Any]:
    """As matplotlib wants it."""
    marker, inside, edge = look
    colours = {"markerfacecolor": inside, "markeredgecolor": edge, "markeredgewidth": 0.8}
    return {"linestyle": "", "marker": marker, "markersize": 4.6} | colours


@dataclass(frozen=True)
class Lane:
    """A horizontal strip of the picture, y growing downwards."""

    kind: str  # "isr", "thread", "task", "idle", "pin"
    index: int
    top: float
    height: float

    @property
    def middle(self) -> float:
        return self.top + self.height / 2

    @property
    def bottom(self) -> float:
        return self.top + self.height


def lanes_of(scene: Scene) -> list[Lane]:
    """Interrupts, threads in order of urgency, tasks, idle, pins."""
    cpus = len(scene.trace.parts)
    rows = [("isr", i, 0.42) for i in range(cpus)]
    rows += [("thread", i, 0.8) for i in range(len(scene.threads))]
    rows += [("task", i, 0.3) for i in range(len(scene.tasks))]
    rows += [("idle", i, 0.3) for i in range(cpus)]
    rows += [("pin", i, 0.5) for i in range(len(scene.pins))]
    lanes, top = [], 0.0
    for kind, index, height in rows:
        lanes.append(Lane(kind, index, top, height))
        top += height + (0.3 if kind == "thread" else 0.26)
    return lanes


class Panel:
    """One axes of the picture, showing a window of the scene."""

    def __init__(self, axes: Any, scene: Scene, window: tuple[float, float]) -> None:
        self.axes, self.scene = axes, scene
        self.start, self.end = window
        self.lanes = lanes_of(scene)

    def draw(self, notes: bool) -> None:
        """Everything; with notes, what each loop used stands at the right."""
        self._frame()
        for lane in self.lanes:
            getattr(self, f"_{lane.kind}")(lane)
            self._label(lane)
            if notes and lane.kind == "thread":
                self._note(lane)

    def _bars(self, spans: Any, lane: Lane, colour: str, hatch: bool = False) -> None:
        """Rectangles for the (start, end) rows that fall into the window; short ones gathered in
        columns, which are the paler the less of their time they stand for."""
        long, shares = density.stretches(spans, (self.start, self.end))
        for strength, bars in [*density.levels(shares, (self.start, self.end)), (1.0, long)]:
            style = (
                spare_style(colour, strength) if hatch else {"facecolor": mixed(colour, strength)}
            )
            self.axes.broken_barh(bars, (lane.top, lane.height), linewidth=0, **style)

    def _isr(self, lane: Lane) -> None:
        part = self.scene.trace.parts[lane.index]
        self._bars(np.stack(part.isr[:2], axis=1), lane, ISR_COLOUR)

    def _idle(self, lane: Lane) -> None:
        part = self.scene.trace.parts[lane.index]
        self._bars(part.stretches(NOBODY, False), lane, IDLE_COLOUR)

    def _thread(self, lane: Lane) -> None:
        scene, thread = self.scene, self.scene.threads[lane.index]
        colour = scene.colour(thread.place)
        self._periods(lane, thread.period_us)
        self._bars(scene.stretches(thread.place, True), lane, colour, hatch=True)
        self._bars(scene.stretches(thread.place, False), lane, colour)
        self._marks(Kind.EXHAUST, thread.place, lane.top - 0.07, "v", EXHAUSTED)
        self._marks(Kind.REPLENISH, thread.place, lane.bottom + 0.08, "^", REPLENISHED)
        self._events(Kind.EVENT, thread.place, lane, INTERRUPTED)
        self._events(Kind.DELIVER, thread.place, lane, DELIVERED)

    def _task(self, lane: Lane) -> None:
        _, begun, top = self.scene.tasks[lane.index]
        self._bars(begun, lane, UNDER_COLOUR)
        self._bars(top, lane, TASK_COLOUR)

    def _periods(self, lane: Lane, period: int | None) -> None:
        """The ground of a lane, with ticks at the borders of the loop's periods."""
        whole = (self.start, self.end - self.start)
        self.axes.broken_barh(
            [whole], (lane.top, lane.height), facecolors=LANE, linewidth=0, zorder=0
        )
        if not period or whole[1] / period > 60:
            return
        border = self.scene.stats.origin_us
        border += max(0, int((self.start - border) // period)) * period
        while border < self.end:
            if border >= self.start:
                ends = [lane.top - 0.06, lane.bottom + 0.06]
                self.axes.plot(
                    [border, border], ends, color=BORDER, linewidth=0.8, linestyle=DASHES, zorder=1
                )
            border += period

    def _times(self, kind: Kind, place: int) -> Any:
        times = self.scene.moments(kind, place)
        return times[(times >= self.start) & (times <= self.end)]

    def _marks(self, kind: Kind, place: int, y: float, marker: str, colour: str) -> None:
        times = self._times(kind, place)
        style = {"linestyle": "", "marker": marker, "markersize": 5.5, "markeredgewidth": 0}
        self.axes.plot(times, [y] * len(times), color=colour, zorder=4, clip_on=False, **style)

    def _events(self, kind: Kind, place: int, lane: Lane, look: tuple[str, str, str]) -> None:
        times = self._times(kind, place)
        if len(times) <= CROWDED:
            y = [lane.top + 0.15] * len(times)
            self.axes.plot(times, y, zorder=4, clip_on=False, **event_mark(look))

    def _pin(self, lane: Lane) -> None:
        """Its level; where it changes too fast for that, how much of the time it is high."""
        pin, column = self.scene.pins[lane.index], (self.end - self.start) / density.COLUMNS
        at = self.start
        for a, b in density.crowds(pin.times, (self.start, self.end)):
            borders = self.start + column * np.arange(a, b + 1)
            self._level(pin, lane, at, borders[0])
            self._crowd(pin, lane, borders)
            at = borders[-1]
        self._level(pin, lane, at, self.end)

    def _level(self, pin: PinTrace, lane: Lane, start: float, end: float) -> None:
        changes = pin.between(start, end)
        times = [start, *(time for time, _ in changes), end]
        levels = [pin.level_at(start), *(level for _, level in changes)]
        heights = [lane.bottom - one * lane.height for one in (*levels, levels[-1])]
        self.axes.step(times, heights, where="post", color=PIN_COLOUR, linewidth=1.1)
        self._fill(times, heights, lane, PIN_FILL)

    def _crowd(self, pin: PinTrace, lane: Lane, borders: Any) -> None:
        shares = density.smooth(density.high_shares(pin.times, pin.levels, borders))
        heights = lane.bottom - lane.height * np.append(shares, shares[-1])
        self._fill(borders, lane.top, lane, PIN_FILL)
        self._fill(borders, heights, lane, CROWD_FILL)

    def _fill(self, times: Any, heights: Any, lane: Lane, strength: float) -> None:
        style = {"color": PIN_COLOUR, "alpha": strength, "linewidth": 0}
        self.axes.fill_between(times, heights, lane.bottom, step="post", **style)

    def _cpu(self, part: int) -> str:
        """Its name; empty where there is one."""
        several = len(self.scene.trace.parts) > 1
        return f"CPU {self.scene.trace.numbers[part]}" if several else ""

    def _words(self, lane: Lane) -> tuple[str, str]:
        """Name and colour at the left of a lane."""
        if lane.kind in ("isr", "idle"):
            cpu = self._cpu(lane.index)
            if lane.kind == "isr":
                return f"interrupts{cpu and f', {cpu}'}", INK
            return f"{cpu or 'processor'} asleep", FAINT
        if lane.kind == "task":
            return f"task {self.scene.tasks[lane.index][0]}", TASK_COLOUR
        if lane.kind == "thread":
            thread = self.scene.threads[lane.index]
            on = [i for i, part in enumerate(self.scene.trace.parts) if thread.place in part.who]
            cpu = self._cpu(on[0]) if on else ""
            return f"{thread.name}{cpu and f', {cpu}'}", self.scene.colour(thread.place)
        pin = self.scene.pins[lane.index]
        return f"{pin.name} ({'' if pin.output else 'input, '}{pin.place})", INK

    def _beside(self, x: float, y: float, text: str, side: str, **style: Any) -> None:
        """Text left or right of the lanes; x in widths of the panel."""
        self.axes.text(
            x,
            y,
            text,
            transform=self.axes.get_yaxis_transform(),
            ha=side,
            va="center",
            clip_on=False,
            **style,
        )

    def _label(self, lane: Lane) -> None:
        name, colour = self._words(lane)
        if lane.kind != "thread":
            size = 8.5 * min(1.0, LABEL_FITS / len(name))
            self._beside(-0.008, lane.middle, name, "right", color=colour, fontsize=size)
            return
        bold = {"color": colour, "fontsize": 10, "fontweight": "bold"}
        self._beside(-0.008, lane.middle - 0.17, name, "right", **bold)
        small = budget_text(self.scene.threads[lane.index])
        self._beside(-0.008, lane.middle + 0.22, small, "right", color=FAINT, fontsize=7.5)

    def _note(self, lane: Lane) -> None:
        """What the loop used, over the whole run."""
        thread = self.scene.threads[lane.index]
        if thread.cpu_us_min is None or thread.cpu_us_max is None:
            return
        used = span_text(thread.cpu_us_min, thread.cpu_us_max)
        self._beside(1.008, lane.middle - 0.17, used, "left", color=INK, fontsize=8.5)
        small = "used per period"
        self._beside(1.008, lane.middle + 0.22, small, "left", color=FAINT, fontsize=7.5)

    def _frame(self) -> None:
        axes = self.axes
        axes.set_xlim(self.start, self.end)
        axes.set_ylim(self.lanes[-1].bottom + 0.15, -0.22)
        axes.set_yticks([])
        for side in ("left", "right", "top"):
            axes.spines[side].set_visible(False)
        axes.spines["bottom"].set_color(FAINT)
        axes.grid(axis="x", color=GRID, linewidth=0.6)
        axes.set_axisbelow(True)
        self._time_axis()

    def _time_axis(self) -> None:
        """Ticks in a unit that suits the window."""
        span = self.end - self.start
        unit, size = "us", 1.0
        if span >= 2e3:
            unit, size = ("s", 1e6) if span >= 2e6 else ("ms", 1e3)
        locator = MaxNLocator(nbins=11, steps=[1, 2, 5, 10])
        ticks = [t * size for t in locator.tick_values(self.start / size, self.end / size)]
        ticks = [t for t in ticks if self.start <= t <= self.end]
        self.axes.set_xticks(ticks)
        step = (ticks[1] - ticks[0]) / size if len(ticks) > 1 else 1.0
        places = max(0, -int(f"{step:e}".split("e")[1]))
        self.axes.xaxis.set_major_formatter(FuncFormatter(lambda t, _: f"{t / size:.{places}f}"))
        self.axes.tick_params(axis="x", colors=INK, labelsize=8.5)
        self.axes.set_xlabel(f"time since the board started [{unit}]", fontsize=9, color=INK)
