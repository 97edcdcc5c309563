"""The run as a trace-event file that ui.perfetto.dev and chrome://tracing open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from takt.scene import Scene, budget_text
from takt.trace import Kind

CPU, PINS = 1, 2  # process ids: two groups of tracks
ISR_TRACK = 900


def _name(pid: int, tid: int, what: str, text: str) -> dict[str, Any]:
    return {"ph": "M", "pid": pid, "tid": tid, "name": what, "args": {"name": text}}


def _order(pid: int, tid: int, index: int) -> dict[str, Any]:
    return {
        "ph": "M",
        "pid": pid,
        "tid": tid,
        "name": "thread_sort_index",
        "args": {"sort_index": index},
    }


def _slice(tid: int, start: int, end: int, name: str, category: str) -> dict[str, Any]:
    return {
        "ph": "X",
        "pid": CPU,
        "tid": tid,
        "ts": int(start),
        "dur": int(end - start),
        "name": name,
        "cat": category,
    }


def _bottom_halves(scene: Scene) -> dict[int, int]:
    """Interrupt times -> the place of the bottom half they woke."""
    index = scene.trace.of(Kind.EVENT)
    times, places = scene.trace.time[index].tolist(), scene.trace.place[index].tolist()
    return dict(zip(times, places, strict=True))


def _deliveries(scene: Scene) -> list[dict[str, Any]]:
    """Each event as an instant where it is taken, and an arrow from its interrupt to there."""
    found: list[dict[str, Any]] = []
    places = _bottom_halves(scene)
    for number, p in enumerate(scene.passages):
        if p.end is None or p.place is None:
            continue
        name, tid = f"event of pin {p.pin}", p.place + 1
        common = {"pid": CPU, "name": name, "cat": "event"}
        start = {"tid": places[p.start] + 1 if p.start in places else ISR_TRACK, "ts": p.start}
        taken = {"took us": p.end - p.start}
        found += [
            {"ph": "i", "s": "t"} | common | start,
            {"ph": "i", "s": "t", "tid": tid, "ts": p.end, "args": taken} | common,
            {"ph": "s", "id": number} | common | start,
            {"ph": "f", "bp": "e", "id": number, "tid": tid, "ts": p.end} | common,
        ]
    return found


def events(scene: Scene) -> list[dict[str, Any]]:
    """All events; the order does not matter to the viewers."""
    found = [
        _name(CPU, 0, "process_name", f"{scene.title} on {scene.board}"),
        _name(CPU, ISR_TRACK, "thread_name", "interrupts"),
        _order(CPU, ISR_TRACK, 0),
    ]
    for start, end, source in scene.handlers():
        found.append(_slice(ISR_TRACK, start, end, scene.source_name(int(source)), "interrupt"))
    for thread in scene.threads:
        tid = thread.place + 1
        found.append(_name(CPU, tid, "thread_name", f"{thread.name} ({budget_text(thread)})"))
        found.append(_order(CPU, tid, tid))
        for background, name in ((False, "on budget"), (True, "in spare time")):
            for start, end in scene.stretches(thread.place, background):
                found.append(_slice(tid, start, end, name, "run"))
        for kind, name in ((Kind.EXHAUST, "budget used up"), (Kind.REPLENISH, "budget back")):
            for at in scene.moments(kind, thread.place):
                found.append(
                    {"ph": "i", "s": "t", "pid": CPU, "tid": tid, "ts": int(at), "name": name}
                )
    found += _deliveries(scene)
    if scene.pins:
        found.append(_name(PINS, 0, "process_name", "pins"))
    for pin in scene.pins:
        for at, level in zip(pin.times, pin.levels, strict=True):
            found.append(
                {
                    "ph": "C",
                    "pid": PINS,
                    "tid": 0,
                    "ts": round(at, 3),
                    "name": f"{pin.name} ({pin.place})",
                    "args": {"level": level},
                }
            )
    return found


def write(scene: Scene, path: Path) -> None:
    """Writes the file."""
    text = json.dumps(
        {"traceEvents": events(scene), "displayTimeUnit": "ms"}, separators=(",", ":")
    )
    path.write_text(text, encoding="utf-8")
