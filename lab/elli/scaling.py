"""elli.scaling: wait and signal with 2 to 31 threads, every one of them woken in turn."""

from __future__ import annotations

from typing import Any

from takt import boards
from takt.build.build import Build
from takt.errors import UserError

from . import figures, programs, switching

THREADS = (2, 3, 4, 8, 16, 31)
ROOMY = "pico"


def _definitions(threads: int) -> programs.Defines:
    return {
        "THREADS": threads,
        "EACH(X)": " ".join(f"X({n})" for n in range(threads - 1)),
    }


def _program(board: boards.Board, threads: int) -> Build:
    """On a board with more RAM where the stacks do not fit."""
    try:
        return programs.program("many", board, str(threads), _definitions(threads))
    except UserError as error:
        if "bytes more than the RAM" not in error.what or board.name == ROOMY:
            raise
    return programs.program("many", boards.load(ROOMY), str(threads), _definitions(threads))


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """Wait and signal with 2 to 31 threads: cycles."""
    rounds = options.get("rounds", switching.ROUNDS)
    rows: list[figures.Row] = []
    stacks: dict[int, str] = {}
    for setting in programs.settings(board, options):
        for threads in options.get("threads", THREADS):
            built = _program(board, threads)
            largest = max(thread.stack_size for thread in built.threads)
            stacks[threads] = f"{largest} B on {built.board.name}"
            for metric, found in switching.windows(built, setting, rounds).items():
                goal = switching.goals(setting).get(metric)
                for row in figures.spread(metric, [w.cycles for w in found], "", None, goal):
                    rows.append(row | {"case": f"{threads}-threads-{row['case']}{setting.suffix}"})
    config = {
        "program": "all but the least urgent thread wait, each on a semaphore of its own; that one "
        "signals them in turn",
        "stacks": ", ".join(f"{n} threads: {text} each" for n, text in stacks.items()),
        "rounds": rounds,
    }
    return {
        "board": board.name,
        "config": config | programs.config(board, options),
        "rows": rows,
    }
