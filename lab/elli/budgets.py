"""elli.budgets: what budgets add to a switch: the ping-pong of elli.switch, without and with a VCPU
for each thread."""

from __future__ import annotations

from statistics import mean
from typing import Any

from takt import boards

from . import figures, programs, switching

GOAL_AVG, GOAL_MAX = 100, 150
# case -> the program's definitions
CASES: dict[str, programs.Defines] = {
    "": {},
    "bursts-": {"BUDGET_US": 4500, "PERIOD_US": 10000, "BURST": 10, "PAUSE_US": 9000},
}


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """What budgets add to a switch, in cycles."""
    rounds = options.get("rounds", switching.ROUNDS)
    rows: list[figures.Row] = []
    listing: list[str] = []
    for setting in programs.settings(board, options):
        plain = switching.windows(programs.program("switch", board), setting, rounds)
        for case, defines in CASES.items():
            built = programs.program("budgeted", board, f"{case}budgets", defines)
            found = switching.windows(built, setting, rounds)
            if programs.accounted(options, setting):
                head = f"{case}budgets{setting.suffix}, longest"
                listing += switching.account(built, setting, found, head)
            extra = [
                window.cycles - mean(w.cycles for w in plain[metric])
                for metric, windows in found.items()
                for window in windows
            ]
            for kind, value, goal in (
                ("min", min(extra), None),
                ("avg", mean(extra), GOAL_AVG),
                ("max", max(extra), GOAL_MAX),
            ):
                wanted = None if setting.wait_states else goal
                name = f"{case}{kind}{setting.suffix}"
                rows += figures.cycles(name, "budget_switch_extra_cycles", value, None, wanted)
    config = {
        "program": "elli.switch's; C = 400 ms of T = 1 s, of which the run uses a part",
        "bursts": "C = 4.5 ms of T = 10 ms, a pause of 9 ms after every 10 rounds: budget is "
        "posted and comes back; where the alarm rings within a switch its handler is in it",
        "rounds": rounds,
    }
    return {
        "board": board.name,
        "config": config | programs.config(board, options),
        "rows": rows,
        "account": listing,
    }
