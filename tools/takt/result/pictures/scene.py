"""What pictures of a run show: one model for PNG, HTML, Perfetto and VCD.

All times are microseconds on the kernel's clock.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from takt.durations import duration_text
from takt.result import deliveries
from takt.result.deliveries import Passage
from takt.result.pictures import task_spans
from takt.result.pictures.task_spans import Spans
from takt.result.stats import Stats, ThreadStats
from takt.result.trace import KERNEL, NOBODY, Kind, Trace
from takt.world.onboard import place_of

# Distinguishable with colour-blind eyes (Okabe and Ito), dark enough on white.
COLOURS = ("#0072B2", "#D97706", "#009E73", "#B5446E", "#7B5EA7", "#3A9BDC", "#8C6D1F", "#C0392B")


LONGEST = 8_000_000.0  # us in a picture
KERNELS_SOURCES = {0xFE: "alarm", 0xFD: "scheduler", 0xFC: "other CPUs"}  # TAKT_..._SOURCE


def named_sources(of_board: dict[str, str], of_machine: dict[int, str]) -> dict[int, str]:
    """Names of interrupts by number."""
    return KERNELS_SOURCES | {int(n): name for n, name in of_board.items()} | of_machine


@dataclass(frozen=True)
class PinTrace:
    """Changes of a pin; `output`: the board drives it."""

    name: str
    pin: int
    output: bool
    times: list[float]
    levels: list[int]
    terminal: str = ""  # of a part, where it is that: gpio.2.3

    @property
    def place(self) -> str:
        """Where it is, as in place_of()."""
        return self.terminal or place_of(self.pin)

    def level_at(self, time: float) -> int:
        """The level at an instant; low before the first change."""
        index = bisect_right(self.times, time) - 1
        return self.levels[index] if index >= 0 else 0

    def between(self, start: float, end: float) -> list[tuple[float, int]]:
        """Changes inside a window."""
        a, b = bisect_left(self.times, start), bisect_right(self.times, end)
        return list(zip(self.times[a:b], self.levels[a:b], strict=True))


@dataclass
class Scene:
    """A run, ready to be drawn."""

    title: str
    board: str
    trace: Trace
    stats: Stats
    pins: list[PinTrace] = field(default_factory=list)
    sources: dict[int, str] = field(default_factory=dict)  # names of interrupts

    @cached_property
    def passages(self) -> list[Passage]:
        """Events on their way from interrupt to handler."""
        return deliveries.passages(self.trace)

    @cached_property
    def tasks(self) -> list[tuple[str, Spans, Spans]]:
        """Names; from starts to ends; of that, on top of the others. The most urgent first."""
        found = task_spans.spans(self.trace)
        return [
            (task.name, *found[place])
            for place, task in enumerate(self.stats.tasks)
            if place in found
        ]

    @property
    def has_budgets(self) -> bool:
        """Whether any thread has one, or a share."""
        return any(thread.budget_us or thread.share_us[0] for thread in self.threads)

    @property
    def threads(self) -> list[ThreadStats]:
        return self.stats.threads

    @property
    def start(self) -> int:
        return int(self.trace.time[0]) if len(self.trace.time) else 0

    @property
    def end(self) -> int:
        return self.trace.end

    def colour(self, place: int) -> str:
        """The colour of a thread."""
        return COLOURS[place % len(COLOURS)]

    def source_name(self, source: int) -> str:
        """The name of an interrupt."""
        return self.sources.get(source, f"interrupt {source}")

    def stretches(self, place: int, background: bool) -> np.ndarray:
        """(n, 2) starts and ends during which a thread ran, interrupts left in."""
        return self.trace.stretches(place, background)

    def idle(self) -> np.ndarray:
        """(n, 2) starts and ends during which nothing ran."""
        return self.stretches(NOBODY, background=False)

    def handlers(self) -> np.ndarray:
        """(n, 3) start, end, source of interrupt handlers."""
        return np.stack(self.trace.isr, axis=1)

    def moments(self, kind: Kind, place: int) -> np.ndarray:
        """When events of a kind happened to a thread."""
        return self.trace.time[self.trace.of(kind, place)]

    def changes(self) -> np.ndarray:
        """Sorted instants at which anything in the picture changes."""
        runs = self.trace.runs
        times = [runs.start[runs.place != KERNEL], self.trace.isr[0]]
        times += [np.array(pin.times) for pin in self.pins]
        return np.sort(np.concatenate(times))


def budget_text(thread: ThreadStats) -> str:
    """ "20 ms in every 100 ms"."""
    c_us, t_us = thread.share_us
    if c_us is not None and t_us is not None:
        return f"{duration_text(c_us)} in every {duration_text(t_us)}, at most"
    if thread.budget_us is None or thread.period_us is None:
        return "no budget: runs in the background"
    return f"{duration_text(thread.budget_us)} in every {duration_text(thread.period_us)}"


def _length(scene: Scene) -> float:
    """Five of the longest periods, or three cycles of the fastest output pin if that is more. Of a
    program that has neither but changes a pin now and then: as much as can be."""
    periods = 5.0 * max((t.period_us or 0 for t in scene.threads), default=0)
    length = periods or 500_000.0
    cycles = [
        float(np.median(np.array(pin.times[2:]) - np.array(pin.times[:-2])))
        for pin in scene.pins
        if pin.output and len(pin.times) >= 4
    ]
    if cycles:
        length = max(length, 3.2 * min(cycles))
    elif not periods and any(pin.output and pin.times for pin in scene.pins):
        length = LONGEST
    return min(length, LONGEST)


def overview(scene: Scene) -> tuple[float, float]:
    """A window that shows the program's rhythm, where most happens."""
    available = max(scene.end - scene.stats.origin_us, 1)
    length = min(_length(scene), available)
    changes = scene.changes()
    step = max((t.period_us or 0 for t in scene.threads), default=0) or length / 5
    count = int((available - length) // step) + 1
    starts = scene.stats.origin_us + step * np.arange(max(1, min(count, 5000)))
    busy = np.searchsorted(changes, starts + length) - np.searchsorted(changes, starts)
    best = float(starts[int(np.argmax(busy))])
    return best, best + length


def close_up(scene: Scene, window: tuple[float, float]) -> tuple[float, float] | None:
    """A short window inside, where single switches can be seen: the shortest with a dozen changes,
    or with most of what a fifth of the window holds."""
    changes = scene.changes()
    changes = changes[(changes > window[0]) & (changes < window[1])]
    span = window[1] - window[0]
    lengths = [m * 10.0**e for e in range(1, 7) for m in (1, 2, 5) if 50 <= m * 10.0**e <= span / 5]
    if len(changes) < 2 or not lengths:
        return None
    counts = {
        length: np.searchsorted(changes, changes + 0.85 * length) - np.arange(len(changes))
        for length in lengths
    }
    enough = min(12, 0.7 * counts[lengths[-1]].max())
    length = next(one for one in lengths if counts[one].max() >= enough)
    first = changes[int(np.argmax(counts[length]))]
    start = min(max(first - 0.07 * length, window[0]), window[1] - length)
    return float(start), float(start + length)
