"""The timeline as one HTML file that needs nothing else: zoom, explanations, tables.

tools/takt/result/pictures/page/ holds the page; this module fills in the run's data.
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from takt.result.pictures import part_pictures
from takt.result.pictures.scene import Scene, close_up, overview
from takt.result.trace import Kind

if TYPE_CHECKING:
    from takt.result.result import Result

SERIAL_SHOWN = 20_000  # characters
PAGE = Path(__file__).parent / "page"
SCRIPTS = ("page.js", "events.js")


def _spans(rows: np.ndarray) -> list[int]:
    """[start, length, gap, length, ...]: differences, as they are short to write."""
    if not len(rows):
        return []
    flat = rows[:, :2].reshape(-1)
    return np.diff(flat, prepend=0).tolist()


def _times(times: np.ndarray) -> list[float]:
    return np.diff(times, prepend=0).tolist()


def _thread(scene: Scene, index: int, row: dict[str, Any]) -> dict[str, Any]:
    thread = scene.threads[index]
    return row | {
        "colour": scene.colour(thread.place),
        "foreground": _spans(scene.stretches(thread.place, False)),
        "background": _spans(scene.stretches(thread.place, True)),
        "exhaust": _times(scene.moments(Kind.EXHAUST, thread.place)),
        "replenish": _times(scene.moments(Kind.REPLENISH, thread.place)),
        "noted": _times(scene.moments(Kind.EVENT, thread.place)),
        "delivered": _passages(scene, thread.place),
    }


def _passages(scene: Scene, place: int) -> dict[str, list[int]]:
    """Events that a handler took: when, how long after the interrupt, and of which pin."""
    mine = [p for p in scene.passages if p.place == place and p.end is not None]
    return {
        "at": _times(np.array([p.end for p in mine], dtype=np.int64)),
        "took": [p.end - p.start for p in mine if p.end is not None],
        "pin": [p.pin for p in mine],
    }


def _handlers(scene: Scene) -> np.ndarray:
    """Handlers one after the other: a nested one shortens what is shown of its outer one."""
    rows = scene.handlers()
    rows = rows[np.argsort(rows[:, 0], kind="stable")] if len(rows) else rows
    rows = rows.copy()
    if len(rows) > 1:
        rows[1:, 0] = np.maximum(rows[1:, 0], np.maximum.accumulate(rows[:-1, 1]))
        rows[:, 1] = np.maximum(rows[:, 0], rows[:, 1])
    return rows


def data_of(scene: Scene, result: Result) -> dict[str, Any]:
    """What the page's script reads."""
    periods = overview(scene)
    handlers = _handlers(scene)
    pins = [
        {
            "name": pin.name,
            "place": pin.place,
            "output": pin.output,
            "first": 1 - pin.levels[0] if pin.levels else 0,
            "changes": [round(float(d), 3) for d in _times(np.array(pin.times))],
        }
        for pin in scene.pins
    ]
    return {
        "title": scene.title,
        "board": scene.board,
        "verdict": result.verdict,
        "budgets": scene.has_budgets,
        "start": scene.start,
        "end": scene.end,
        "origin": scene.stats.origin_us,
        "windows": {"periods": periods, "closeup": close_up(scene, periods)},
        "threads": [_thread(scene, i, row) for i, row in enumerate(result.threads())],
        "idle": _spans(scene.idle()),
        "handlers": _spans(handlers),
        "isr_source": handlers[:, 2].tolist(),
        "sources": {s.source: scene.source_name(s.source) for s in scene.stats.interrupts},
        "interrupts": [
            vars(s) | {"name": scene.source_name(s.source)} for s in scene.stats.interrupts
        ],
        "events": result.events(),
        "pins": pins,
        "world": result.world,
        "pictures": part_pictures.for_page(result.pictures),
        "serial": result.serial[-SERIAL_SHOWN:],
    }


def write(scene: Scene, result: Result, path: Path) -> None:
    """Writes the page."""
    data = json.dumps(data_of(scene, result), separators=(",", ":"))
    page = (PAGE / "page.html").read_text(encoding="utf-8")
    parts = {
        "@TITLE@": escape(f"{scene.title} on {scene.board}"),
        "@CSS@": (PAGE / "page.css").read_text(encoding="utf-8"),
        "@DATA@": data.replace("<", "\\u003c"),
        "@JS@": "".join((PAGE / name).read_text(encoding="utf-8") for name in SCRIPTS),
    }
    for mark, text in parts.items():
        page = page.replace(mark, text, 1)
    path.write_text(page, encoding="utf-8")
