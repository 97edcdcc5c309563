"""elli.interrupts-off: the longest time with interrupts off (Figure 15), and how long after an
interrupt the thread it wakes runs.

The platform records every stretch with interrupts off; what counts is said in takt_platform.h. To
find the worst, interrupts come at thousands of different points, alone and in pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from takt import boards
from takt.build.build import Build
from takt.code.elf import Program
from takt.machine.machine import Machine, Masked

from . import budgets, figures, programs, switching, trail
from .programs import Setting

POINTS = 4000
APART = 1709  # cycles between two points: a prime, so that they fall everywhere in a round
PAIR = 397  # the second of a pair comes up to so many cycles after the first
# case -> programs with their definitions, are there interrupts?, goal
CASES: dict[str, tuple[list[tuple[str, programs.Defines]], bool, int | None]] = {
    "ping-pong": ([("switch", {})], False, 64),
    "threads": ([("interrupted", {"THREADS": n}) for n in (1, 2, 4)], True, 90),
    "mutex": (
        [("switch", {"MUTEX": 1}), ("interrupted", {"THREADS": 4, "MUTEX": 1})],
        True,
        75,
    ),
    "timers": ([("timed", {"HANDLER": 1})], True, 105),
    "budgets": ([("budgeted", budgets.CASES["bursts-"])], False, None),
}
# case -> definitions of the program
WOKEN: dict[str, programs.Defines] = {
    "": {"THREADS": 2},
    "idle-": {"THREADS": 1},
    "kernel-": {"THREADS": 4},
    "mutex-": {"THREADS": 2, "MUTEX": 1},
}
WAITING = 100_000  # cycles with several waits
# case -> program of the ping-pong, definitions
WAITS: dict[str, tuple[str, programs.Defines]] = {
    "threads": ("switch", {}),
    "mutex": ("switch", {"MUTEX": 1}),
    "budgets": ("budgeted", {}),
}
GOAL_WOKEN = 210


@dataclass(frozen=True)
class Longest:
    """The longest stretch of a case, and what was done to find it."""

    built: Build
    stretch: Masked
    interrupts: tuple[int, ...]

    @property
    def text(self) -> str:
        program = Program(self.built.elf)
        start, end = (programs.where(program, a) for a in (self.stretch.start, self.stretch.end))
        return f"{start} to {end}"


def irq_of(board: boards.Board) -> int:
    """The interrupt that pins.h names."""
    return 8 if board.chip == "stm32f051" else 7


def points(begin: int, count: int) -> list[int]:
    """When interrupts come: pairs, ever further apart."""
    firsts = [begin + n * APART for n in range(count)]
    return sorted(at for n, first in enumerate(firsts) for at in (first, first + 1 + n % PAIR))


def started(built: Build, setting: Setting) -> Machine:
    """A machine whose first thread begins."""
    machine = programs.load(built, setting)
    programs.run_to(machine, built, machine.symbol("port_thread_entry") & ~1)
    return machine


def longest(built: Build, setting: Setting, interrupted: bool, count: int) -> Longest:
    machine = started(built, setting)
    machine.log_masked()
    machine.masked()
    times = points(machine.now + 100, count) if interrupted else []
    for at in times:
        machine.pend_irq(irq_of(built.board), at)
    programs.run(machine, built, times[-1] if times else machine.now + count * APART)
    return Longest(built, max(machine.masked(), key=lambda s: s.cycles), tuple(times))


def woken(built: Build, setting: Setting, count: int) -> list[tuple[int, int]]:
    """When each interrupt came, and how many cycles later the thread it wakes ran."""
    machine = started(built, setting)
    times = [machine.now + 1000 + n * APART for n in range(count)]
    for at in times:
        machine.pend_irq(irq_of(built.board), at)
    first = machine.symbol("woken")
    return [(at, programs.run_to(machine, built, first) - at) for at in times]


def waiting(built: Build, setting: Setting) -> dict[str, Any]:
    """A wait with a switch, from pin write to pin write: where interrupts are off in it."""
    machine = programs.load(built, setting)
    machine.log_pin(switching.WAIT_PIN)
    machine.log_masked()
    programs.run(machine, built, machine.now + WAITING)
    edges = [(cycle, level) for cycle, _, level in machine.pin_edges()]
    highs = [(a, b) for (a, up), (b, _) in pairwise(edges) if up == 1]
    begin, end = highs[1]  # the first begins otherwise
    off = [[s.cycle - begin, s.cycles] for s in machine.masked() if begin <= s.cycle < end]
    return {"cycles": end - begin, "off": off}


def account(found: Longest, setting: Setting) -> list[str]:
    """The instructions of a stretch, run once more."""
    machine = started(found.built, setting)
    for at in found.interrupts:
        machine.pend_irq(irq_of(found.built.board), at)
    programs.run(machine, found.built, found.stretch.cycle)
    return trail.lines(machine, found.built, found.stretch.cycle + found.stretch.cycles)


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """Longest time with interrupts off (Figure 15); interrupt to woken thread."""
    count = options.get("points", POINTS)
    rows: list[figures.Row] = []
    places: dict[str, str] = {}
    listing: list[str] = []
    for setting in programs.settings(board, options):
        for case, (folders, interrupted, goal) in CASES.items():
            builds = [
                programs.program(folder, board, f"{case}-{n}", defines)
                for n, (folder, defines) in enumerate(folders)
            ]
            found = max(
                (longest(built, setting, interrupted, count) for built in builds),
                key=lambda one: one.stretch.cycles,
            )
            name = case + setting.suffix
            wanted = None if setting.wait_states else goal
            rows += figures.cycles(name, "irq_off_max_cycles", found.stretch.cycles, None, wanted)
            places[f"longest, {name}"] = found.text
            if programs.accounted(options, setting):
                total = f"{name}, {found.stretch.cycles} cycles, {found.text}:"
                listing += ["", total, *account(found, setting)]
        for case, defines in WOKEN.items():
            built = programs.program("interrupted", board, f"{case}woken", defines)
            waits = woken(built, setting, count)
            for row in figures.spread(
                "irq_to_thread_cycles",
                [wait for _, wait in waits],
                setting.suffix,
                None,
                None if setting.wait_states else GOAL_WOKEN,
            ):
                rows.append(row | {"case": case + row["case"]})
            if programs.accounted(options, setting):
                listing += _account_woken(
                    built, setting, count, case, max(waits, key=lambda w: w[1])
                )
    zero = Setting(0, board.core)
    waits = {
        case: waiting(programs.program(folder, board, f"{case}-waits", defines), zero)
        for case, (folder, defines) in WAITS.items()
    }
    about = {
        "waits": waits,
        "ping-pong": "elli.switch's program",
        "threads": "a handler that signals, while threads wait, compute and switch; interrupts "
        "anywhere after the start",
        "mutex": "the programs of both, with a mutex that is locked and unlocked once",
        "timers": "timed waits and sleeps, of 0 to 3 us too, a handler that signals; interrupts "
        "anywhere",
        "budgets": "the ping-pong with budgets that are used up and come back",
        "irq_to_thread": "a handler signals: preempts a thread that computes; idle-: nobody runs; "
        "kernel-: the interrupt comes anywhere in a ping-pong of other threads; mutex-: with one",
        "points": count,
    }
    config = about | programs.config(board, options) | places
    return {"board": board.name, "config": config, "rows": rows, "account": listing}


def _account_woken(
    built: Build, setting: Setting, count: int, case: str, worst: tuple[int, int]
) -> list[str]:
    machine = started(built, setting)
    begin = machine.now + 1000
    for n in range(count):
        machine.pend_irq(irq_of(built.board), begin + n * APART)
    programs.run(machine, built, worst[0])
    head = f"{case}irq_to_thread{setting.suffix}, {worst[1]} cycles:"
    return ["", head, *trail.lines(machine, built, worst[0] + worst[1])]
