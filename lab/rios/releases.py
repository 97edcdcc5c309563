"""rios.releases: are releases lost or doubled, whatever the lengths of the tasks (design 10.13)?

Three tasks, every tick, every second and every fourth. What the machine knows is compared with
what the program did: a task has been released once at the first tick and then once a period; it has
been started, or its release is counted as missed, or it still waits. Lost: releases of which none
of that is true; doubled: starts without a release. The paper's schedulers count nothing as missed.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from takt import boards
from takt.elf import Program
from takt.machine_avr import DATA, AvrMachine

from .programs import MHZ, Made, printed, takt

JOBS, JOB = 3, 16  # records of struct job: length, mask, started, returned
TICK_MS = 25
NAMED = range(343303, 343329)  # lengths of the third task with which a scheduler lost releases
SWEEP = range(342900, 343700, 6)
RANDOM_TICK_US = 1000
RANDOM_S = 8  # 14 000 jobs
AGAIN = 12  # ticks: a task interrupted before it could count its start does so then
TICKS = DATA + 0x4B  # GPIOR2: gone by and not yet looked at, where tasks run one at a time


@dataclass
class Found:
    jobs: int = 0
    lost: int = 0
    doubled: int = 0
    missed: int = 0

    def add(self, other: Found) -> None:
        self.jobs += other.jobs
        self.lost += other.lost
        self.doubled += other.doubled
        self.missed += other.missed


class Trial:
    """A program, its tasks' lengths, and what became of it."""

    def __init__(self, made: Made, tick: int, ours: bool) -> None:
        self.machine: AvrMachine = made.machine()
        self.tick, self.ours = tick, ours
        self.program = Program(made.elf)
        self.jobs = self.program.by_name["jobs"].address
        main = self.program.by_name["main"].address  # memory is set up by then
        self.machine.break_at(main)
        self.machine.run(MHZ * 1_000_000)
        self.machine.break_at(main, False)

    def lengths(self, lengths: list[int], masks: list[int], seed: int) -> None:
        for number, (length, mask) in enumerate(zip(lengths, masks, strict=True)):
            data = length.to_bytes(4, "little") + mask.to_bytes(4, "little")
            self.machine.write(self.jobs + number * JOB, data)
        self.machine.write(self.program.by_name["seed"].address, seed.to_bytes(4, "little"))

    def _long(self, address: int) -> int:
        return int.from_bytes(self.machine.read(address, 4), "little")

    def run(self, ticks: int) -> Found:
        """Looks between two ticks, where the last ones have been noticed."""
        begin = self._first_tick()
        for more in range(AGAIN):
            self.machine.run(begin + (ticks + more - 1) * self.tick + self.tick * 3 // 4)
            found = self._found(ticks + more)
            if not found.lost:
                break
        return found

    def _found(self, ticks: int) -> Found:
        found = Found()
        if "port_tasks_run_in_turn" in self.program.by_name:
            ticks -= self.machine.byte(TICKS)
        for number in range(JOBS):
            released = (ticks - 1) // (1 << number) + 1
            started = self._long(self.jobs + number * JOB + 8)
            missed, waits = self._noted(number) if self.ours else (0, 0)
            accounted = started + missed + waits
            found.add(
                Found(started, max(0, released - accounted), max(0, accounted - released), missed)
            )
        return found

    def beside(self) -> int:
        """Cycles of a job of the first task beside the length that is asked for."""
        name = "takt_task_run_one" if self.ours else "TickFct_1"
        where = self.program.by_name[name]
        self.lengths([1000, 1000, 1000], [0, 0, 0], 1)
        self.machine.break_at(where.address)
        self.machine.run(MHZ * 1_000_000)
        begin, end = self.machine.now, self.program.end_of(where) - 2
        self.machine.break_at(end)
        self.machine.run(begin + MHZ * 1_000_000)
        return self.machine.now - begin - 1000

    def _first_tick(self) -> int:
        """The first tick's cycle: the timer is at its top one period after it has started."""
        control = DATA + 0x81  # TCCR1B
        while not self.machine.byte(control):
            self.machine.step()
        return self.machine.now + self.tick

    def _noted(self, number: int) -> tuple[int, int]:
        """Missed, and whether it waits to be started."""
        name = ("one", "two", "three")[number]
        at = self.program.by_name[f"takt_task_{name}"].address
        left, missed = self.machine.read(at + 3, 2)
        return missed, int(left >= 0x80)


def named(made: Made, ours: bool, lengths: list[int]) -> Found:
    """The third task as long as that, the others 1 and 5 ms; a second each."""
    total, beside = Found(), Trial(made, TICK_MS * MHZ * 1000, ours).beside()
    for length in lengths:
        trial = Trial(made, TICK_MS * MHZ * 1000, ours)
        wanted = [1 * MHZ * 1000, 5 * MHZ * 1000, length]
        trial.lengths([one - beside for one in wanted], [0, 0, 0], 1)
        total.add(trial.run(1000 // TICK_MS))
    return total


def randomised(made: Made, ours: bool, fits: bool, seconds: int = RANDOM_S) -> Found:
    """Jobs of random lengths that leave time for all, or now and then do not; a quarter of a second
    at a time, so that what is counted in 8 bits is."""
    total, source = Found(), random.Random(4)
    ticks = 128
    for _ in range(seconds * 1_000_000 // RANDOM_TICK_US // ticks):
        trial = Trial(made, RANDOM_TICK_US * MHZ, ours)
        lengths = [source.randrange(100, 1000), source.randrange(100, 2500),
                   source.randrange(100, 5000)]  # fmt: skip
        masks = [0x3FF, 0x7FF, 0xFFF] if fits else [0x1FFF, 0x1FFF, 0x7FFF]
        trial.lengths(lengths, masks, source.randrange(1, 1 << 31))
        total.add(trial.run(ticks))
    return total


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """Releases lost and doubled with tasks of named, swept and random lengths."""
    turn = {"RUN": "takt_tasks_run_in_turn"}
    fast: dict[str, Any] = {"TAKT_TICK_US": RANDOM_TICK_US}
    slow_made = {
        "takt-task": takt("lengths", "25ms", board),
        "takt-task-in-turn": takt("lengths", "25ms-turn", board, turn),
        "rios-preemptive": printed("preemptive", "lengths", "25ms"),
        "rios-in-turn": printed("in_turn", "lengths", "25ms"),
    }
    fast_made = {
        "takt-task": takt("lengths", "1ms", board, fast),
        "takt-task-in-turn": takt("lengths", "1ms-turn", board, fast | turn),
        "rios-preemptive": printed("preemptive", "lengths", "1ms", {"GCD": 1}),
        "rios-in-turn": printed("in_turn", "lengths", "1ms", {"GCD": 1}),
    }
    rows: list[dict[str, Any]] = []
    for case, made in slow_made.items():
        ours = case.startswith("takt")
        rows += _rows(f"{case}, named lengths", named(made, ours, list(NAMED)), ours)
        rows += _rows(f"{case}, swept lengths", named(made, ours, list(SWEEP)), ours)
    for case, made in fast_made.items():
        ours = case.startswith("takt")
        rows += _rows(f"{case}, random lengths", randomised(made, ours, True), ours)
        if ours:
            rows += _rows(f"{case}, random lengths, overload", randomised(made, ours, False), ours)
    config = {
        "named": f"third task of {NAMED[0]} to {NAMED[-1]} cycles, 1 s each",
        "swept": f"{SWEEP[0]} to {SWEEP[-1]} in steps of {SWEEP.step}, 1 s each",
        "random": f"tasks every 1, 2 and 4 ms, {RANDOM_S} s",
    }
    return {"board": board.name, "config": config, "rows": rows}


def _rows(case: str, found: Found, ours: bool) -> list[dict[str, Any]]:
    values = {"lost": found.lost, "doubled": found.doubled, "missed": found.missed}
    values["jobs"] = found.jobs
    goal = {"lost": 0, "doubled": 0} if ours else {}
    return [
        {"case": case, "metric": metric, "value": value, "unit": "", "paper": None,
         "goal": goal.get(metric)}
        for metric, value in values.items()
    ]  # fmt: skip
