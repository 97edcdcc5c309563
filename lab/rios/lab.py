"""The RIOS paper's figures on Takt's tasks, and on the paper's own schedulers beside them."""

from __future__ import annotations

from takt.cli.labs.lab import by_case

from . import fig7, fig8, releases

BOARD = "atmega324p"
BOARDS = ("atmega324p",)
OPTIONS = {"account"}
LABS = {
    "rios.fig7": fig7.measure,
    "rios.fig8": fig8.measure,
    "rios.releases": releases.measure,
}
PLOTS = {"rios.fig7": fig7.draw, "rios.fig8": fig8.draw}
TABLES = {"rios.fig8": by_case, "rios.releases": by_case}
