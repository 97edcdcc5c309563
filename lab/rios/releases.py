"""rios.releases: are releases lost, late or doubled, whatever the tasks' lengths (design 10.13)?

Three tasks, every tick, every second and every fourth. An oracle (oracle.py), told of every start
and every return, says what each should have been; what the scheduler counts as missed is compared
with what the oracle does. The same is asked of the paper's schedulers, of which it is known that
they lose releases: that they are found out shows what the measure is worth.
"""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass
from typing import Any

from takt import boards

from .programs import MHZ, Made, printed, takt
from .trial import Found, Trial

TICK_MS = 25
WANTED = [1 * MHZ * 1000, 5 * MHZ * 1000]  # the first and the second task of named lengths, cycles
NAMED = range(343303, 343329)  # of the third, with which a scheduler lost releases
AIMED = range(-120, 120)  # cycles from the third's return to a tick
AIMED_TICKS = 9
RANDOM_US = 1000
RANDOM_S = 8  # 14 000 jobs
LONG_TICKS = 300
RANDOM_TICKS = 128  # a trial's: what is counted in 8 bits is


WAYS: list[Any] = [
    ("takt-task", "task", {}, 1),
    ("takt-task-port", "port", {"TAKT_TASKS_COMPOSED": 1}, 1),
    ("takt-task-every", "every", {"RUN": "takt_tasks_run_every"}, 5),
    ("takt-task-in-turn", "turn", {"RUN": "takt_tasks_run_in_turn"}, 1),
]


@dataclass(frozen=True)
class Case:
    """A scheduler: what makes its programs of ticks of 25 ms and of 1 ms, in cycles."""

    slow: Made
    fast: Made
    ours: bool
    beyond: int = 0  # cycles by which its tick is longer than it should be

    def trial(self, slow: bool) -> Trial:
        made, ms = (self.slow, TICK_MS) if slow else (self.fast, 1)
        return Trial(made, ms * MHZ * 1000 + self.beyond, self.ours)


def beside(case: Case) -> int:
    """Cycles of a job of the third task beside the length that is asked for."""
    trial = case.trial(True)
    machine, program = trial.machine, trial.program
    where = program.by_name["takt_task_run_three" if case.ours else "TickFct_3"]
    trial.lengths([1000] * 3, [0] * 3, 1)
    machine.break_at(where.address)
    machine.run(MHZ * 1_000_000)
    begin, end = machine.now, program.end_of(where) - 2
    machine.break_at(end)
    machine.run(begin + MHZ * 1_000_000)
    return machine.now - begin - 1000


def of_length(case: Case, less: int, length: int, ticks: int) -> tuple[Found, Trial]:
    """The third task as long as that, the others 1 and 5 ms."""
    trial = case.trial(True)
    trial.lengths([one - less for one in [*WANTED, length]], [0] * 3, 1)
    return trial.run(ticks), trial


def named(case: Case, lengths: range = NAMED) -> Found:
    """A second each."""
    total, less = Found(), beside(case)
    for length in lengths:
        total.add(of_length(case, less, length, 1000 // TICK_MS)[0])
    return total


def aimed(case: Case, around: range = AIMED) -> Found:
    """The third task returns at a tick, and so many cycles before and behind it."""
    total, less = Found(), beside(case)
    trial = of_length(case, less, NAMED[0], AIMED_TICKS)[1]
    ended = next(at for number, at in trial.ended if number == 2)
    ahead = -ended % trial.tick  # to the next tick
    for off in around:
        total.add(of_length(case, less, NAMED[0] + ahead + off, AIMED_TICKS)[0])
    return total


def randomised(case: Case, fits: bool, seconds: int = RANDOM_S) -> Found:
    """Jobs of random lengths that leave time for all, or now and then do not."""
    total, source = Found(), random.Random(4)
    for _ in range(seconds * 1_000_000 // RANDOM_US // RANDOM_TICKS):
        trial = case.trial(False)
        lengths = [source.randrange(100, 1000), source.randrange(100, 2500),
                   source.randrange(100, 5000)]  # fmt: skip
        masks = [0x3FF, 0x7FF, 0xFFF] if fits else [0x1FFF, 0x1FFF, 0x7FFF]
        trial.lengths(lengths, masks, source.randrange(1, 1 << 31))
        total.add(trial.run(RANDOM_TICKS))
    return total


def triggered(case: Case, seconds: int = RANDOM_S) -> Found:
    """One more task, of 1.5 to 2.5 ms, as random: a handler triggers it every 6.4 ms."""
    total, source = Found(), random.Random(5)
    for _ in range(seconds * 1_000_000 // RANDOM_US // RANDOM_TICKS):
        trial = case.trial(False)
        lengths = [source.randrange(100, most) for most in (1000, 2500, 5000)]
        trial.lengths(
            [*lengths, 12_000], [0x3FF, 0x7FF, 0xFFF, 0x1FFF], source.randrange(1, 1 << 31)
        )
        total.add(trial.run(RANDOM_TICKS))
    return total


def long(case: Case) -> Found:
    """The third task goes on for more ticks than a byte counts."""
    trial = case.trial(False)
    trial.lengths([1000, 2000, LONG_TICKS * RANDOM_US * MHZ], [0] * 3, 1)
    return trial.run(2 * LONG_TICKS + RANDOM_TICKS)


def of_takt(board: boards.Board, name: str, defines: dict[str, Any], per_tick: int = 1) -> Case:
    """per_tick: ticks of the timer in one of the first task's periods."""
    slow, fast = (
        defines | {"PERIOD_US": us, "TAKT_TICK_US": us // per_tick} for us in (25_000, RANDOM_US)
    )
    made = [takt("lengths", f"{name}-{n}", board, d) for n, d in (("25ms", slow), ("1ms", fast))]
    return Case(*made, True)


def of_paper(name: str) -> Case:
    """OCR1A is one too much."""
    made = [printed(name, "lengths", f"{ms}ms", {"GCD": ms}) for ms in (TICK_MS, 1)]
    return Case(*made, False, beyond=8)


def with_triggers(board: boards.Board, name: str, urgent: bool) -> Case:
    """One of ours, with a triggered task above all others, or below."""
    folder, defines, parts = next(rest for one, *rest in WAYS if one == name)
    event = {"EVENT": 0 if urgent else 9}
    return of_takt(board, f"{folder}-event-{event['EVENT']}", defines | event, parts)


def cases(board: boards.Board) -> dict[str, Case]:
    return {
        **{name: of_takt(board, folder, defines, parts) for name, folder, defines, parts in WAYS},
        "rios-preemptive": of_paper("preemptive"),
        "rios-in-turn": of_paper("in_turn"),
    }


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """Releases lost, late and doubled with tasks of named, aimed and random lengths."""
    rows: list[dict[str, Any]] = []
    for name, case in cases(board).items():
        rows += _rows(f"{name}, named lengths", named(case), case.ours)
        rows += _rows(f"{name}, aimed lengths", aimed(case), case.ours)
        rows += _rows(f"{name}, random lengths", randomised(case, True), case.ours)
        if case.ours:
            rows += _rows(f"{name}, random lengths, overload", randomised(case, False), True)
            rows += _rows(f"{name}, a task of {LONG_TICKS} ticks", long(case), True)
            for place, urgent in (("above", True), ("below", False)):
                more = triggered(with_triggers(board, name, urgent))
                rows += _rows(f"{name}, random lengths, a triggered task {place}", more, True)
    config = {
        "named": f"third task of {NAMED[0]} to {NAMED[-1]} cycles, 1 s each",
        "aimed": f"so that it returns {AIMED[0]} to {AIMED[-1]} cycles from a tick, in steps of 1",
        "random": f"tasks every 1, 2 and 4 ms, {RANDOM_S} s",
    }
    return {"board": board.name, "config": config, "rows": rows}


def _rows(case: str, found: Found, ours: bool) -> list[dict[str, Any]]:
    goal = {"lost": 0, "late": 0, "doubled": 0} if ours else {}
    values = asdict(found)
    return [
        {"case": case, "metric": metric, "value": values[metric], "unit": "", "paper": None,
         "goal": goal.get(metric)}
        for metric in ("lost", "late", "doubled", "missed", "jobs")
    ]  # fmt: skip
