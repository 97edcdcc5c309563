"""What budgets cost a program: in admission, and in the time that the tools take."""

from __future__ import annotations

import os
import random
import re
import resource
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from takt import boards
from takt.admit import admission
from takt.admit.admit_library import Loop
from takt.cli.labs.lab import by_case, row
from takt.paths import BUILD, ROOT

START_GOALS = {"pico": 6, "stm32f051": 14, "uno": 90, "atmega324p": 180, "pc": 4}
LOST_GOALS = {"pico": 1, "stm32f051": 4, "uno": 15}
SETS, LOOPS, PERIODS_US = 200, (2, 6), (1_000, 10_000)
STEPS = 12  # of a bisection: to 1/4096
LEAST_US = 5  # of a budget
RUNS = 5
RUN_GOALS = {"--json": 0.9, "": 1.6}  # without the picture; all


def start(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """What a start and its end are counted as in admission: us of each loop's budget a period"""
    rows = []
    for name, goal in START_GOALS.items():
        text = (ROOT / "board" / name / "board.cmake").read_text(encoding="utf-8")
        found = re.search(r"TAKT_START_COST_US=(\d+)", text)
        assert found
        rows.append(row(name, "start_cost_us", int(found[1]), "us", goal=goal))
    return {"config": {}, "rows": rows}


def _most(shares: list[tuple[float, int]], costs: Mapping[str, int], start_us: int) -> float:
    """The largest share of the CPU in these proportions that is admitted, in %."""
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        part = (low + high) / 2
        loops = [
            Loop(f"loop {n}", max(int(share * part * t), LEAST_US) + start_us, t, 0, 0, 1)
            for n, (share, t) in enumerate(shares)
        ]
        fits = all(loop.budget_us <= loop.period_us for loop in loops)
        fits = fits and admission.check(loops, (), costs).admitted
        low, high = (part, high) if fits else (low, part)
    return 100 * low


def _set(rng: random.Random) -> list[tuple[float, int]]:
    """Shares that add up to 1, and periods in us, ascending."""
    n = rng.randint(*LOOPS)
    weights = [rng.uniform(0.1, 1) for _ in range(n)]
    low, high = PERIODS_US
    periods = sorted(int(low * (high / low) ** rng.random()) for _ in range(n))
    return [(w / sum(weights), t) for w, t in zip(weights, periods, strict=True)]


def lost(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """Random sets of loops of 1 to 10 ms: how much less is admitted for what starts cost"""
    rng, rows = random.Random(1), []
    sets = [_set(rng) for _ in range(SETS)]
    free = {"switch": 0, "alarm": 0, "critical": 0, "margin": 0}
    without = [_most(one, free, 0) for one in sets]
    for name, goal in LOST_GOALS.items():
        costs = boards.load(name).costs
        less = [w - _most(s, costs, 0) for s, w in zip(sets, without, strict=True)]
        rows.append(row(name, "lost_mean_pct", round(sum(less) / SETS, 2), "%", goal=goal))
        rows.append(row(name, "lost_most_pct", round(max(less), 2), "%"))
    config = {"sets": SETS, "loops": "2 to 6", "periods": "1 to 10 ms, evenly by logarithm"}
    return {"config": config, "rows": rows}


def _compiled() -> dict[str, str]:
    """An environment in which Python keeps what it has compiled, as it does by itself."""
    own = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**own, "PYTHONPYCACHEPREFIX": str(BUILD / "lab" / "pycache")}


def _cpu_s(arguments: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "takt", "run", "examples/rover", *arguments]
    subprocess.run(command, cwd=ROOT, env=_compiled(), check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """CPU time of `takt run examples/rover` when all is built: the least of some runs"""
    rows = []
    for argument, goal in RUN_GOALS.items():
        taken = [_cpu_s([argument] if argument else []) for _ in range(RUNS)]
        rows.append(row(argument or "all", "cpu_s", round(min(taken), 2), "s", goal=goal))
    return {"config": {"runs": RUNS}, "rows": rows}


def on_host(row: dict[str, Any]) -> bool:
    """Does it hang on the machine that measures?"""
    return row["metric"] == "cpu_s"


VARIES = on_host
LABS = {"overhead.start": start, "overhead.lost": lost, "overhead.run": run}
TABLES = dict.fromkeys(LABS, by_case)
