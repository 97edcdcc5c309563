"""The Ell-i thesis's measurements (chapter 6, sections 4.3 and 5.4) on Takt's thread kernel."""

from __future__ import annotations

from typing import Any

from . import budgets, off, plots, scaling, sizes, switching, ticks
from .init import measure as start_state

BOARD = "stm32f051"
BOARDS = ("stm32f051", "stm32f051-4k", "pico", "galileo")  # whose pins pins.h knows
OPTIONS = {"wait_states", "core", "account"}
LABS = {
    "elli.switch": switching.measure,
    "elli.flash": sizes.flash,
    "elli.ram": sizes.ram,
    "elli.interrupts-off": off.measure,
    "elli.tick": ticks.measure,
    "elli.budgets": budgets.measure,
    "elli.scaling": scaling.measure,
    "elli.init-as-data": start_state.init,
}
PLOTS = plots.PLOTS
WS1 = "-ws1"


def beside(row: dict[str, Any]) -> tuple[str, str, str] | None:
    """Wait states beside one another. The us of a clock that all share say nothing more."""
    if row["metric"].endswith("_us"):
        return None
    case = row["case"].removesuffix(WS1)
    column = "one wait state" if row["case"] != case else "no wait states"
    return "", f"`{row['metric']}` {case}", column if row["unit"] != "B" else "bytes"


TABLES = dict.fromkeys(LABS, beside)
