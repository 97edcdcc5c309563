"""Tuned pipes' measurements."""

from __future__ import annotations

from takt.cli.labs.lab import by_case

from . import fig6, fig7, fig9, latency, schedule, table3
from .setup import setup

OPTIONS = {"seeds", "jobs", "kept"}
LABS = {
    "pipes.table3": table3.measure,
    "pipes.fig6": fig6.measure,
    "pipes.fig7-8": fig7.measure,
    "pipes.fig9-10": fig9.measure,
    "pipes.latency": latency.measure,
    "pipes.schedule": schedule.measure,
}
PLOTS = {
    "pipes.table3": table3.draw,
    "pipes.fig6": fig6.draw,
    "pipes.fig7-8": fig7.draw,
    "pipes.fig9-10": fig9.draw,
    "pipes.latency": latency.draw,
    "pipes.schedule": schedule.draw,
}
IN_QEMU = LABS.keys() - {"pipes.schedule"}
SETUP = dict.fromkeys(IN_QEMU, setup)
BOARD = {name: "pc" if name in IN_QEMU else "sim" for name in LABS}
BOARDS = {name: (board,) for name, board in BOARD.items()}  # schedule: the host alone
AT_LEAST = {"tput_min_fps", "soon_min_fps", "accepted_pct"}
TABLES = dict.fromkeys(LABS, by_case)
