"""The events of the last run as text: what `takt trace` prints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from takt.errors import UserError
from takt.paths import COMMAND, shown
from takt.result.outputs import EVENTS, load_saved, reading
from takt.result.trace import (
    AMOUNT,
    ANY_SOURCE,
    BLOCK_REASONS,
    NOBODY,
    SOURCE_SHIFT,
    Kind,
    Overrun,
    Trace,
    decode,
)


@dataclass(frozen=True)
class Row:
    """One event in words."""

    time_us: int
    event: str
    who: str
    value: int
    text: str

    def as_dict(self) -> dict[str, Any]:
        """For --json."""
        return vars(self)

    def line(self) -> str:
        """For people."""
        return f"{self.time_us / 1e6:12.6f} s  {self.who:12} {self.text}"


TASKS = (Kind.TASK, Kind.TASK_END, Kind.TASK_MISSED)
OVERRUNS = {
    Overrun.LATE: "late, goes on",
    Overrun.DOOMED: "is to be terminated",
    Overrun.SKIPPED: "goes on, this release is skipped",
    Overrun.CONTINUES: "goes on, the next follows",
    Overrun.NOTIFIED: "goes on, this release is skipped, the program is told",
    Overrun.TERMINATED: "terminated",
}


def _source(source: int) -> str:
    return "some pin" if source == ANY_SOURCE else f"pin {source}"


def _text(kind: Kind, value: int) -> str:
    source, amount = value >> SOURCE_SHIFT, value & AMOUNT
    reason = BLOCK_REASONS[value] if value < len(BLOCK_REASONS) else str(value)
    return {
        Kind.START: f"kernel starts, {value} threads",
        Kind.RUN: "runs in spare time" if value & 1 else "runs",
        Kind.READY: "becomes ready",
        Kind.BLOCK: f"blocks: {reason}",
        Kind.EXHAUST: "budget used up",
        Kind.REPLENISH: f"budget back: {value} us",
        Kind.CHUNK: f"budget delivered in {value} us",
        Kind.STARVED: f"budget missed its deadline ({value})",
        Kind.ISR: f"handler took {value} us",
        Kind.MARK: f"mark {value}",
        Kind.SETUP: "setup() is over",
        Kind.LOST: f"{value} events were lost here",
        Kind.CREATE: "is created",
        Kind.EVENT: f"interrupt of {_source(value)}",
        Kind.DELIVER: f"takes the event of {_source(source)} after {amount} us",
        Kind.MERGED: f"{amount} events of {_source(source)} become part of one that waits",
        Kind.SHARE: f"has a share of {value >> 16} / {value & 0xFFFF} from now on",
        Kind.BUDGET: f"has a budget of {value} us from now on",
        Kind.FORGET: f"what waits of {_source(source)} is dropped",
        Kind.DUE: "is to wake at a date",
        Kind.TASK: f"starts {value} us after its release",
        Kind.TASK_END: f"returns {value} us after its release",
        Kind.TASK_MISSED: "was released again before it started",
        Kind.CHARGE: f"pays {value} us for what it made handlers do",
        Kind.JOB: f"job finished {value} us after its release",
        Kind.PLACED: f"runs on CPU {value}",
        Kind.RELEASE: f"is released, noticed after {value} us",
        Kind.OVERRUN: f"job not finished: {OVERRUNS.get(value, str(value))}",
    }[kind]


def _who(
    kind: Kind, place: int, names: dict[int, str], tasks: list[str], sources: dict[str, str]
) -> str:
    if kind in TASKS:
        return f"task {tasks[place] if place < len(tasks) else place}"
    if kind == Kind.ISR:
        return "irq " + sources.get(str(place), str(place))
    if place == NOBODY:
        return "idle" if kind == Kind.RUN else "kernel"
    return names.get(place, f"thread {place}")


def rows(
    trace: Trace, names: dict[int, str], tasks: list[str], sources: dict[str, str]
) -> Iterator[Row]:
    """Every event in order."""
    columns = (trace.time.tolist(), trace.kind.tolist(), trace.place.tolist(), trace.value.tolist())
    for time, number, place, value in zip(*columns, strict=True):
        kind = Kind(number)
        who = _who(kind, place, names, tasks, sources)
        text = "sleeps" if who == "idle" else _text(kind, value)
        yield Row(time, kind.name.lower(), who, value, text)


def of_folder(
    folder: Path,
    thread: str = "",
    start_s: float = 0.0,
    end_s: float = 1e12,
    limit: int | None = None,
) -> list[Row]:
    """Events of the last run, optionally of one thread and between two times."""
    with reading(folder):
        return _of_folder(folder, thread, start_s, end_s, limit)


def _of_folder(
    folder: Path, thread: str, start_s: float, end_s: float, limit: int | None
) -> list[Row]:
    saved = load_saved(folder)
    try:
        data = (folder / EVENTS).read_bytes()
    except OSError as error:
        raise UserError(
            "no trace is recorded here", shown(folder), f"{COMMAND} run SKETCH"
        ) from error
    names = {place: row["name"] for place, row in enumerate(saved["result"]["threads"])}
    if thread and thread not in names.values():
        known = ", ".join(names.values())
        raise UserError(f"there is no thread {thread!r}", "--thread", f"threads: {known}", 2)
    tasks = [row["name"] for row in saved["result"]["tasks"]]
    events = decode(data, taken=saved.get("taken", ()))
    found = [
        row
        for row in rows(events, names, tasks, saved["sources"])
        if start_s <= row.time_us / 1e6 <= end_s and (not thread or row.who == thread)
    ]
    return found if limit is None else found[:limit]
