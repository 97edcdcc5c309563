"""The run as a trace-event file that ui.perfetto.dev and chrome://tracing open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from takt.result.pictures.scene import Scene, budget_text
from takt.result.stats import ThreadStats
from takt.result.trace import Kind, Trace

PINS, CPU = 1, 2  # process ids, groups of tracks: the pins; one for each CPU, from CPU on
ISR_TRACK = 900

Event = dict[str, Any]


def _name(pid: int, tid: int, what: str, text: str) -> Event:
    return {"ph": "M", "pid": pid, "tid": tid, "name": what, "args": {"name": text}}


def _track(pid: int, tid: int, index: int, text: str) -> list[Event]:
    order = {"ph": "M", "pid": pid, "tid": tid, "name": "thread_sort_index"}
    return [_name(pid, tid, "thread_name", text), order | {"args": {"sort_index": index}}]


def _slice(pid: int, tid: int, start: int, end: int, name: str, category: str) -> Event:
    return {
        "ph": "X",
        "pid": pid,
        "tid": tid,
        "ts": int(start),
        "dur": int(end - start),
        "name": name,
        "cat": category,
    }


def _instant(pid: int, tid: int, at: int, name: str) -> Event:
    return {"ph": "i", "s": "t", "pid": pid, "tid": tid, "ts": int(at), "name": name}


def _groups(scene: Scene) -> list[tuple[int, Trace]]:
    """Process ids of the CPUs, and what each did."""
    return [
        (CPU + cpu, part) for cpu, part in zip(scene.trace.numbers, scene.trace.parts, strict=True)
    ]


def _woken(scene: Scene) -> dict[int, tuple[int, int]]:
    """Interrupt times -> the tracks of the bottom halves they woke."""
    found: dict[int, tuple[int, int]] = {}
    for pid, part in _groups(scene):
        index = part.of(Kind.EVENT)
        places = (part.place[index] + 1).tolist()
        tracks = [(pid, tid) for tid in places]
        found |= dict(zip(part.time[index].tolist(), tracks, strict=True))
    return found


def _deliveries(scene: Scene) -> list[Event]:
    """Each event as an instant where it is taken, and an arrow from its interrupt to there."""
    found: list[Event] = []
    woken = _woken(scene)
    ran_on = {place: pid for pid, part in _groups(scene) for place in part.who}
    for number, p in enumerate(scene.passages):
        if p.end is None or p.place is None:
            continue
        common = {"name": f"event of pin {p.pin}", "cat": "event"}
        pid, tid = woken.get(p.start, (CPU, ISR_TRACK))
        start = {"pid": pid, "tid": tid, "ts": p.start}
        end = {"pid": ran_on.get(p.place, CPU), "tid": p.place + 1, "ts": p.end}
        found += [
            {"ph": "i", "s": "t"} | common | start,
            {"ph": "i", "s": "t", "args": {"took us": p.end - p.start}} | common | end,
            {"ph": "s", "id": number} | common | start,
            {"ph": "f", "bp": "e", "id": number} | common | end,
        ]
    return found


def _thread(pid: int, part: Trace, thread: ThreadStats) -> list[Event]:
    tid = thread.place + 1
    found = _track(pid, tid, tid, f"{thread.name} ({budget_text(thread)})")
    for background, name in ((False, "on budget"), (True, "in spare time")):
        for start, end in part.stretches(thread.place, background):
            found.append(_slice(pid, tid, start, end, name, "run"))
    for kind, name in ((Kind.EXHAUST, "budget used up"), (Kind.REPLENISH, "budget back")):
        for at in part.time[part.of(kind, thread.place)]:
            found.append(_instant(pid, tid, at, name))
    return found


def _cpu(scene: Scene, pid: int, part: Trace) -> list[Event]:
    """Its handlers, and the threads that run on it; of one CPU all threads."""
    several = len(scene.trace.parts) > 1
    text = f"{scene.title} on {scene.board}" + (f", CPU {pid - CPU}" if several else "")
    found = [_name(pid, 0, "process_name", text)]
    found.append({"ph": "M", "pid": pid, "name": "process_sort_index", "args": {"sort_index": pid}})
    found += _track(pid, ISR_TRACK, 0, "interrupts")
    for start, end, source in zip(*part.isr, strict=True):
        name = scene.source_name(int(source))
        found.append(_slice(pid, ISR_TRACK, start, end, name, "interrupt"))
    for thread in scene.threads:
        if not several or thread.place in part.who:
            found += _thread(pid, part, thread)
    return found


def events(scene: Scene) -> list[Event]:
    """All events; the order does not matter to the viewers."""
    found: list[Event] = []
    for pid, part in _groups(scene):
        found += _cpu(scene, pid, part)
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
