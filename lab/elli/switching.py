"""elli.switch: semaphore wait and signal with a switch of threads (Table 9)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from takt import boards
from takt.build.build import Build

from . import figures, programs, trail
from .programs import Setting

WAIT_PIN, SIGNAL_PIN = 2, 3
METRICS = {"wait_switch_cycles": WAIT_PIN, "signal_switch_cycles": SIGNAL_PIN}
PAPER_US = {"wait_switch_cycles": 6.02, "signal_switch_cycles": 5.95}
GOAL = {"wait_switch_cycles": 98, "signal_switch_cycles": 100}
GOAL_MUTEX = {"wait_switch_cycles": 105, "signal_switch_cycles": 107}
GOAL_LTO = {"wait_switch_cycles": 84, "signal_switch_cycles": 84}
ROUNDS = 1000
# case -> the program's definitions
CASES: dict[str, programs.Defines] = {"": {}, "-mutex": {"MUTEX": 1}}


@dataclass(frozen=True)
class Window:
    """A pin was high."""

    start: int
    cycles: int


Windows = dict[str, list[Window]]


def windows(built: Build, setting: Setting, rounds: int) -> Windows:
    """For so many times that each pin was high, by metric. The first round is left out: it does not
    begin like the others."""
    machine = programs.load(built, setting)
    for pin in METRICS.values():
        machine.log_pin(pin)
    found: dict[int, list[Window]] = {pin: [] for pin in METRICS.values()}
    edges: list[tuple[int, int, int]] = []
    for _ in programs.chunks(machine, built):
        edges += machine.pin_edges()
        for pin in found:
            own = [(cycle, level) for cycle, where, level in edges if where == pin]
            pairs = pairwise(own)
            found[pin] = [Window(a, b - a) for (a, up), (b, down) in pairs if up == 1 and down == 0]
        if min(map(len, found.values())) > rounds:
            return {metric: found[pin][1 : rounds + 1] for metric, pin in METRICS.items()}
    raise AssertionError


def account(built: Build, setting: Setting, found: Windows, head: str) -> list[str]:
    """The instructions of the longest window of each metric, run once more."""
    listing = []
    for metric, own in found.items():
        window = max(own, key=lambda w: w.cycles)
        machine = programs.load(built, setting)
        programs.run(machine, built, window.start)
        listing += ["", f"{head}, {metric} {window.cycles}:"]
        listing += trail.lines(machine, built, window.start + window.cycles)
    return listing


def goals(setting: Setting, mutex: bool = False) -> dict[str, int]:
    """Goals are for zero wait states."""
    if setting.wait_states:
        return {}
    return GOAL_LTO if setting.lto else GOAL_MUTEX if mutex else GOAL


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """Semaphore wait and signal with a switch of threads (Table 9): cycles."""
    rounds = options.get("rounds", ROUNDS)
    rows: list[figures.Row] = []
    listing: list[str] = []
    for setting in programs.settings(board, options, lto=True):
        for case, defines in CASES.items():
            if setting.lto and case:
                continue
            built = programs.program("switch", board, case[1:], defines, setting.lto)
            found, suffix = windows(built, setting, rounds), case + setting.suffix
            for metric, own in found.items():
                cycles, goal = [w.cycles for w in own], goals(setting, bool(case)).get(metric)
                rows += figures.spread(metric, cycles, suffix, PAPER_US[metric], goal)
            if programs.accounted(options, setting):
                listing += account(built, setting, found, f"switch{suffix}")
    about = {
        "program": "two threads, one semaphore; no time, no budgets",
        "mutex": "the same with one, locked and unlocked once at the start",
        "lto": "program and semaphores optimised at link time",
        "rounds": rounds,
        "window": "from the pin write before the call to the pin write after the switch",
    }
    config = about | programs.config(board, options)
    return {"board": board.name, "config": config, "rows": rows, "account": listing}
