"""Figure 6: what analogWrite(pin, 120) puts on the pin, seen from outside as by an oscilloscope."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from matplotlib.figure import Figure
from takt import boards
from takt.cli.labs.lab import Outcome, row
from takt.result.pictures.panel import GRID

from . import drawing
from .cases import Defines, Session, built, each

BOARDS = ("pico", "stm32f051", "stm32f051-4k")  # the galileo's wave is its expander's
PIN = 3  # of the sketch
START_MS, WINDOW_MS = 50, 1000
DUTY_PCT = 100 * 120 / 255
CASES: dict[str, Defines] = {
    "direct": {},
    "direct-busy": {"BUSY": 1},
    "baseline-single-loop": {"SOFTWARE": 1},
    "baseline-no-budgets": {"BUSY": 1, "NO_BUDGETS": 1},
}


@dataclass(frozen=True)
class Wave:
    """Whole periods of a pin, from rising edge to rising edge."""

    periods: list[int]
    high: list[int]
    hz: int

    @property
    def duty_pct(self) -> float:
        return 100 * sum(self.high) / sum(self.periods)

    @property
    def frequency(self) -> float:
        return self.hz * len(self.periods) / sum(self.periods)

    @property
    def jitter_us(self) -> float:
        """Longest less shortest period."""
        return (max(self.periods) - min(self.periods)) * 1e6 / self.hz


def wave(edges: list[tuple[int, int]], hz: int) -> Wave:
    """From (cycle, level) of one pin."""
    rises = [index for index, (_, level) in enumerate(edges) if level]
    pairs = list(pairwise(rises))
    return Wave(
        [edges[b][0] - edges[a][0] for a, b in pairs],
        [edges[a + 1][0] - edges[a][0] for a, _ in pairs],
        hz,
    )


def _seen(board: boards.Board, case: str, window_ms: float) -> tuple[Wave, list[tuple[int, int]]]:
    session = Session(built("fig6", case, board, CASES[case]))
    session.run(session.cycles(START_MS))
    begin = session.machine.now
    session.run(begin + session.cycles(window_ms))
    edges = [(cycle, level) for cycle, pin, level in session.bench.edges if pin == PIN]
    inside = [edge for edge in edges if edge[0] >= begin]
    return wave(inside, session.hz), [(c - begin, level) for c, level in inside[:12]]


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """analogWrite(pin, 120) on an oscilloscope (Figure 6): duty and frequency from the edges."""
    window_ms = float(options.get("window_ms", WINDOW_MS))
    found = each(lambda case: _seen(board, case, window_ms), CASES, board.name, trace=False)
    rows, screen = [], {}
    for case, (seen, edges) in zip(CASES, found, strict=True):
        rows.append(row(case, "duty_pct", seen.duty_pct, "%", None, None))
        rows.append(row(case, "frequency_hz", seen.frequency, "Hz"))
        rows.append(row(case, "jitter_us", seen.jitter_us, "us"))
        screen[case] = edges
    config = {
        "asked_duty_pct": DUTY_PCT,
        "window_ms": window_ms,
        "clock_hz": board.clock_hz,
        "screen": screen,  # (cycle, level) of the first edges
    }
    return {"board": board.name, "config": config, "rows": rows}


SHOWN_MS = 9.0


def draw(outcome: Outcome) -> Figure:
    """Like the screen of an oscilloscope, a lane for each case."""
    config, names = outcome.config, drawing.cases(outcome, "duty_pct")
    figure, (axes,) = drawing.sheet(
        "analogWrite(pin, 120) as an oscilloscope sees it (Figure 6)",
        f"Level of the pin; 120 of 255 is {config['asked_duty_pct']:.2f} %. Busy: beside a loop "
        "that computes all the time. Single loop: the sketch itself waits and writes the pin.",
    )
    for lane, name in enumerate(names):
        edges = config["screen"][name]
        times = [0.0, *(1000 * cycle / config["clock_hz"] for cycle, _ in edges), 99.0]
        levels = [1 - edges[0][1], *(level for _, level in edges), edges[-1][1]]
        heights = [0.65 * level - 1.25 * lane for level in levels]
        axes.step(times, heights, where="post", color=drawing.colour(name), linewidth=1.6)
        duty, hertz, jitter = (
            drawing.value(outcome, name, metric)
            for metric in ("duty_pct", "frequency_hz", "jitter_us")
        )
        said = f"duty {duty:.2f} %\n{hertz:.2f} Hz\nperiod varies by {jitter:.3g} us"
        axes.text(SHOWN_MS + 0.1, 0.3 - 1.25 * lane, said, fontsize=8.5, va="center")
    axes.set_yticks([0.3 - 1.25 * i for i in range(len(names))], map(drawing.label, names))
    axes.set_xlim(0, SHOWN_MS)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("time, ms", fontsize=9)
    axes.grid(axis="x", color=GRID, linewidth=0.7)
    return figure
