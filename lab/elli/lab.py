"""The Ell-i thesis's measurements (chapter 6) on Takt's thread kernel."""

from __future__ import annotations

import subprocess
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any

from takt import boards
from takt.build import Build, build
from takt.cmake import target_libraries
from takt.elf import Program
from takt.errors import UserError
from takt.machine import Machine

HERE = Path(__file__).parent
WAIT_PIN, SIGNAL_PIN = 2, 3
ROUNDS = 1000
FLASH_KINDS, RAM_KINDS = "tTrRwWdD", "bBdD"


def _windows(machine: Machine, pin: int, edges: list[tuple[int, int, int]]) -> list[int]:
    """Cycles each high phase of a pin lasted."""
    own = [(cycle, level) for cycle, where, level in edges if where == pin]
    return [b - a for (a, up), (b, down) in pairwise(own) if up == 1 and down == 0]


def _cycles(built: Build, wait_states: int) -> dict[str, list[int]]:
    machine = Machine(built.board.chip, "m0", wait_states=wait_states)
    machine.load_elf(built.elf)
    for pin in (WAIT_PIN, SIGNAL_PIN):
        machine.log_pin(pin)
    edges: list[tuple[int, int, int]] = []
    while len(edges) < 4 * ROUNDS:
        if machine.run(machine.now + 1_000_000).reason != "time":
            raise UserError(f"the ping-pong stopped: {machine.fault()}", str(built.elf))
        edges += machine.pin_edges()
    return {
        "wait_switch_cycles": _windows(machine, WAIT_PIN, edges)[1:ROUNDS],
        "signal_switch_cycles": _windows(machine, SIGNAL_PIN, edges)[1:ROUNDS],
    }


def _kernel_symbols(board: boards.Board) -> dict[str, str]:
    """Name -> kind (nm's letter) of everything the kernel and its port define."""
    target = target_libraries(board.name, trace=False)
    archives = [a for a in target.archives["plain"] if "kernel" in a or "port" in a]
    listing = subprocess.run(
        [target.tool("nm"), "--defined-only", *archives], capture_output=True, text=True, check=True
    ).stdout
    rows = (line.split() for line in listing.splitlines())
    return {row[2]: row[1] for row in rows if len(row) == 3}


def _sizes(built: Build) -> dict[str, int]:
    """Flash and RAM of what is linked of kernel and port; RAM includes control blocks and the
    program's one semaphore, not stacks."""
    program = Program(built.elf)
    kinds = _kernel_symbols(built.board)
    linked = [(s, kinds[s.name]) for s in program.symbols if s.name in kinds]
    sections = {section.name: section.size for section in program.sections}
    semaphore = program.by_name["ping"].size
    ram = sum(s.size for s, kind in linked if kind in RAM_KINDS)
    stacks = sum(thread.stack_size for thread in built.threads)
    return {
        "kernel_flash_bytes": sum(s.size for s, kind in linked if kind in FLASH_KINDS),
        "kernel_ram_bytes": ram + sections[".takt.tcbs"] + semaphore,
        "idle_stack_bytes": sections[".takt.stack"] - stacks,
    }


def switch(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """Semaphore wait and signal with a switch of threads (Tables 9-11): cycles, flash, RAM."""
    wait_states = int(options.get("wait_states", 0))
    built = build(HERE / "switch", board, trace=False)
    paper = {"wait_switch_cycles": 289, "signal_switch_cycles": 286}  # 6.02 and 5.95 us at 48 MHz
    goal = {"wait_switch_cycles": 98, "signal_switch_cycles": 100}
    rows = []
    for metric, values in _cycles(built, wait_states).items():
        for case, value in (("min", min(values)), ("avg", mean(values)), ("max", max(values))):
            rows.append(_row(case, metric, value, "cycles", paper[metric], goal[metric]))
    sizes = _sizes(built)
    rows.append(_row("threads", "kernel_flash_bytes", sizes["kernel_flash_bytes"], "B", 1232, 620))
    rows.append(_row("threads", "kernel_ram_bytes", sizes["kernel_ram_bytes"], "B", 52, 24))
    rows.append(_row("threads", "idle_stack_bytes", sizes["idle_stack_bytes"], "B", 96, 0))
    config = {
        "program": "two threads, one semaphore, no time, no budgets, no trace",
        "compiler": "arm-none-eabi-gcc -Os",
        "core": board.core,
        "wait_states": wait_states,
        "rounds": ROUNDS,
        "window": "from the pin write before the call to the pin write after the switch",
    }
    return {"board": board.name, "config": config, "rows": rows}


def _row(case: str, metric: str, value: float, unit: str, paper: int, goal: int) -> dict[str, Any]:
    return {
        "case": case,
        "metric": metric,
        "value": value,
        "unit": unit,
        "paper": paper,
        "goal": goal,
    }


LABS = {"elli.switch": switch}
