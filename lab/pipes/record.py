"""The record of runs, record/<system>.jsonl: a head that says what the system was, then a line for
each run with what it was made of (simulate.made) and its counters, as far as any table has them.

A campaign takes hours; what it told is kept here with the source. A run's line stands for the run
itself wherever the lab is of equal parts: that run would tell the same.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from .simulate import Made
from .told import Told

FOLDER = Path(__file__).parent / "record"
BINS_OF = ("3",)  # scenarios with a table of latency
SECONDS_OF = ("input", "output")  # and of throughput
BUSY = (3, 4)  # its channels
DEVICE = ("overruns", "peak_bytes", "in_transfers", *(f"channel.{at}.unsent" for at in BUSY))
PARTS = ("QEMU or device", "guest", "traffic")
RECORDED, UNCOMPARED = "recorded", "recorded, not compared: this lab is not set up here"

Key = tuple[str, int]  # scenario, seed


@dataclass
class Runs:
    """Of one system."""

    about: str = ""
    lines: dict[Key, dict[str, Any]] = field(default_factory=dict)


def short(told: Told, scenario: str) -> dict[str, Any]:
    """What any table has of a run."""
    found = told.as_dict()
    if scenario not in BINS_OF:
        found["bins"] = {}
    for name in ("second", "soon", "sent"):
        every = found[name] if scenario in SECONDS_OF else {}
        found[name] = {at: every[at] for at in BUSY if at in every}
    found["device"] = {name: told.device[name] for name in DEVICE if name in told.device}
    return {name: value for name, value in found.items() if value}


def _path(system: str) -> Path:
    return FOLDER / f"{system}.jsonl"


def load(system: str) -> Runs:
    path = _path(system)
    if not path.exists():
        return Runs()
    head, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return Runs(head["about"], {(one["scenario"], one["seed"]): one for one in lines})


@cache
def _loaded(system: str) -> Runs:
    return load(system)


def about(system: str) -> str:
    """What a system was."""
    return _loaded(system).about


def told(system: str, scenario: str, seed: int, of: Made | None) -> tuple[Told | None, str]:
    """A run's counters if its parts are those of today, and what to call them. None for parts:
    nobody can tell."""
    line = _loaded(system).lines.get((scenario, seed))
    if not line or (of and list(of) != line["made"]):
        return None, ""
    return Told.from_dict(line["told"]), RECORDED if of else UNCOMPARED


def differs(system: str, scenario: str, seed: int, of: Made) -> str:
    """Which parts of a recorded run are not those of today; "" if there is none."""
    line = _loaded(system).lines.get((scenario, seed))
    every = zip(PARTS, of, line["made"] if line else of, strict=True)
    return ", ".join(name for name, now, then in every if now != then)


def add(system: str, about: str, scenario: str, seed: int, of: Made, told: Told) -> None:
    """A run into the record, in the place of an older one."""
    runs = load(system)
    line = {"scenario": scenario, "seed": seed, "made": of, "told": short(told, scenario)}
    runs.lines[scenario, seed] = line
    lines = [{"system": system, "about": about}, *(runs.lines[key] for key in sorted(runs.lines))]
    FOLDER.mkdir(exist_ok=True)
    text = "".join(json.dumps(one, separators=(",", ":")) + "\n" for one in lines)
    _path(system).write_text(text, encoding="utf-8")
    _loaded.cache_clear()
