"""elli.switch: semaphore wait and signal with a switch of threads (Table 9)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from takt import boards
from takt.build import Build

from . import figures, programs
from .programs import Setting

WAIT_PIN, SIGNAL_PIN = 2, 3
METRICS = {"wait_switch_cycles": WAIT_PIN, "signal_switch_cycles": SIGNAL_PIN}
PAPER_US = {"wait_switch_cycles": 6.02, "signal_switch_cycles": 5.95}
GOAL = {"wait_switch_cycles": 98, "signal_switch_cycles": 100}
GOAL_LTO = {"wait_switch_cycles": 84, "signal_switch_cycles": 84}
ROUNDS = 1000


def windows(built: Build, setting: Setting, rounds: int) -> dict[str, list[int]]:
    """Cycles each pin was high, for so many times, by metric. The first round is left out: it does
    not begin like the others."""
    machine = programs.load(built, setting)
    for pin in METRICS.values():
        machine.log_pin(pin)
    found: dict[int, list[int]] = {pin: [] for pin in METRICS.values()}
    edges: list[tuple[int, int, int]] = []
    for _ in programs.chunks(machine, built):
        edges += machine.pin_edges()
        for pin in found:
            own = [(cycle, level) for cycle, where, level in edges if where == pin]
            pairs = pairwise(own)
            found[pin] = [b - a for (a, up), (b, down) in pairs if up == 1 and down == 0]
        if min(map(len, found.values())) > rounds:
            return {metric: found[pin][1 : rounds + 1] for metric, pin in METRICS.items()}
    raise AssertionError


def goals(setting: Setting) -> dict[str, int]:
    """Goals are for zero wait states."""
    if setting.wait_states:
        return {}
    return GOAL_LTO if setting.lto else GOAL


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """Semaphore wait and signal with a switch of threads (Table 9): cycles."""
    rounds = options.get("rounds", ROUNDS)
    rows = []
    for setting in programs.settings(board, options):
        built = programs.program("switch", board)
        for metric, values in windows(built, setting, rounds).items():
            goal = goals(setting).get(metric)
            rows += figures.spread(metric, values, setting.suffix, PAPER_US[metric], goal)
    about = {
        "program": "two threads, one semaphore; no time, no budgets",
        "rounds": rounds,
        "window": "from the pin write before the call to the pin write after the switch",
    }
    return {"board": board.name, "config": about | programs.config(board, options), "rows": rows}
