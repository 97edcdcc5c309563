"""ant.fig2-3: from the timer's interrupt to a periodic thread, and from job to job."""

from __future__ import annotations

from itertools import pairwise
from statistics import mean, pvariance
from typing import Any

from takt import boards
from takt.cli.labs.lab import row
from takt.errors import UserError
from takt.machine.machine import Machine
from takt.paths import shown

from . import kernel

PERIODS_MS = (1, 2, 4, 5, 10)
TIMES = 100
WARM = 5  # jobs
WAIT_STATES = 1  # what the flash needs at this clock
PAPER_US = {"max": 5.47, "avg": 2.84, "min": 2.57}  # Table 2, of 1 ms
PAPER_DISPERSION = 0.12
PAPER_ERROR = 0.004  # of the period: "approximately 4 us for a period of 1 ms"


def measured(board: boards.Board, period_us: int) -> tuple[list[float], list[float]]:
    """us from the first instruction of the alarm's handler to that of the job; from job to job."""
    built = kernel.program(board, 1, period_us)
    machine = Machine(board.chip, board.core, WAIT_STATES)
    machine.load_elf(built.elf)
    alarm, job = (machine.symbol(name) & ~1 for name in ("takt_alarm_isr", "job"))
    for address in (alarm, job):
        machine.break_at(address)
    rang, times, starts = 0, [], []
    mhz = board.clock_hz / 1_000_000
    while len(times) < WARM + TIMES:
        stop = machine.run(machine.now + round(4 * period_us * mhz))
        if stop.reason != "break":
            raise UserError(f"the program stopped: {stop.reason}", shown(built.elf))
        if machine.register(15) == alarm:
            rang = machine.now
        else:
            times.append((machine.now - rang) / mhz)
            starts.append(machine.now / mhz)
    return times[WARM:], [b - a for a, b in pairwise(starts[WARM:])]


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """From the timer's interrupt to the job (Table 2, Figure 2); error of intervals (Figure 3)."""
    rows, errors = [], {}
    times: list[float] = []
    for period in PERIODS_MS:
        found, intervals = measured(board, 1000 * period)
        times = times or found
        error = max((one - 1000 * period for one in intervals), key=abs)
        errors[period] = round(error, 3) + 0.0  # not -0
        case, paper = f"T={period}ms", round(PAPER_ERROR * 1000 * period, 1)
        rows.append(row(case, "interval_error_us", errors[period], "us", paper))
    values = {"max": max(times), "avg": mean(times), "min": min(times)}
    rows += [
        row(f"T=1ms-{which}", "interrupt_to_job_us", round(value, 3), "us", PAPER_US[which])
        for which, value in values.items()
    ]
    spread = round(pvariance(times), 4)
    rows.append(row("T=1ms", "interrupt_to_job_us2", spread, "us2", PAPER_DISPERSION))
    config = {
        "program": f"a periodic thread whose job is empty, {TIMES} times; {board.name} at "
        f"{board.clock_hz // 1_000_000} MHz, {WAIT_STATES} wait state",
        "interrupt_to_job": "from the first instruction of the timer's handler to that of the job",
        "interval_error": "of the intervals between jobs the one that is furthest from T",
        "paper": "ART-Linux; its error is told for 1 ms and proportional to the period",
        "times": [round(one, 3) for one in times],
    }
    return {"board": board.name, "config": config, "rows": rows}
