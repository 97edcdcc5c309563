"""Figure 6: what analogWrite(pin, 120) puts on the pin, seen from outside as by an oscilloscope."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from takt import boards

from .cases import Defines, Session, built, each, row

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
