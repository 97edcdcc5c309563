"""What a board tells the kernel about its costs is what it tells the build."""

from __future__ import annotations

import re

import pytest
from takt import boards
from takt.admit.headers import constant
from takt.paths import ROOT

LINKED = ROOT / "board/linked.ld"
KEPT = re.compile(r"\*\(\.(?:text|data)\.(\w+)\)\s+(takt_\w+_bytes) =")  # seen by its section
REAL = [name for name in boards.names() if boards.load(name).costs]


def text_of(name: str, file: str) -> str:
    """A file of a board, together with that of the board it is based on."""
    folders = [ROOT / "board" / one for one in (name, boards.load(name).raw.get("base")) if one]
    return "".join((f / file).read_text() for f in folders if (f / file).exists())


@pytest.mark.parametrize("name", REAL)
def test_costs_in_c_and_in_the_board_file_agree(name: str) -> None:
    board, text = boards.load(name), text_of(name, "costs.c")
    for cost in ("switch", "alarm"):
        assert re.search(rf"\.{cost}_ns = {board.costs[cost]}\b", text), cost
    scripts = (f"{name}.ld", f"{board.raw.get('base')}.ld", "sections.ld", "costs.ld")
    linked = re.findall(
        r"(\w+) = (takt_\w+_bytes) \? (\d+) : 0;", "".join(text_of(name, f) for f in scripts)
    )
    costs = {symbol: cost for symbol, _, cost in linked}  # those that cost only who links them
    irqs = re.findall(r"(?:\{(?:\(uint32_t\))?|\.long )(\w+), (\d+), 0\b", text)
    irqs = [(int(costs.get(cost, cost)), int(separation)) for cost, separation in irqs]
    wanted = [(one["cost_ns"], one["separation_us"]) for one in board.raw["interrupts"]]
    if "base" in board.raw:  # the base's costs, which must not be less
        assert all(any(c * t >= w * s for c, s in irqs) for w, t in wanted)
        return
    assert irqs == wanted
    needs = [one["needs"] for one in board.raw["interrupts"]]
    sections = LINKED.read_text() + "".join(text_of(name, f) for f in scripts)
    functions = {symbol: function for function, symbol in KEPT.findall(sections)}
    found = [functions[symbol] for _, symbol, _ in linked]
    assert found == needs[len(needs) - len(linked) :]
    assert len(found) == len([need for need in needs if need != "port_now"]) or name == "sim"


@pytest.mark.parametrize("name", REAL)
def test_the_margin_is_what_the_kernel_is_built_with(name: str) -> None:
    built = re.search(r"TAKT_BUDGET_MARGIN_US=(\d+)", text_of(name, "board.cmake"))
    default = constant("config.h", "TAKT_BUDGET_MARGIN_US")
    told = boards.load(name).costs.get("margin", default * 1000)
    assert told == 1000 * (int(built[1]) if built else default)


@pytest.mark.parametrize("name", REAL)
def test_a_start_costs_two_switches_and_two_alarms(name: str) -> None:
    board, text = boards.load(name), text_of(name, "board.cmake")
    start = re.search(r"TAKT_START_COST_US=(\d+)", text)
    assert start
    assert int(start[1]) * 1000 >= 2 * (board.costs["switch"] + board.costs["alarm"])
