"""What a preemption costs the thread that is preempted, on average, seen from its pin.

A loop that never waits has its C in every window, however often another one wakes above it. So of
two programs that differ in how often only, pins show work that differs by the preemptions' cost.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from found import known, preempted, program
from mutants import Change, Mutant, built_wrong
from rules import RULES

WINDOWS = {"pico": 20, "stm32f051": 20, "uno": 100}  # few of the uno's are alike
LESS = 1.5  # times as much may be credited too much as too little
OFTEN = {"pico": "109_us", "stm32f051": "500_us", "uno": "3_ms"}
RARELY = {"pico": "5_ms", "stm32f051": "10_ms", "uno": "48_ms"}
SECTION = {"pico": "45_us", "stm32f051": "100_us", "uno": "200_us"}
CONFIG = "port/avr/port_config.h"
CREDITS = [
    Mutant("20 us more an interrupt", (Change(CONFIG, r"PORT_ENTRY +10\b", "PORT_ENTRY 50"),)),
    Mutant("42 us more an unlock", (Change(CONFIG, r"PORT_HELD_UP +42\b", "PORT_HELD_UP 126"),)),
]
HELD_UP = {  # until the other's section ends
    "void setup() {": "Mutex m{%s};\nvoid setup() {",
    "{ delay(40_us); }": "{ m.lock(); m.unlock(); delay(40_us); }",
    "for (;;) unit(3, s); }": "for (;;) { m.lock(); unit(3, s); m.unlock(); } }",
}


def _seen(
    board: str, sleep: str, above: int, below: int, folder: Path, held_up: bool = False
) -> tuple[float, float]:
    """Work in a window, in us, and preemptions in it, on average."""
    changes = {}
    if held_up:
        changes = {old: new.replace("%s", SECTION[board]) for old, new in HELD_UP.items()}
    changes |= {
        "40_us": sleep,
        "loop(1, 50, 100)": f"loop(1, {above}, 100)",
        "loop(2, 45, 100)": f"loop(2, {below}, 100)",
    }
    built = program("wakey", board, folder / sleep, **changes)
    windows = WINDOWS[board]
    seen = built.run(0.1 * windows + 0.05)
    work = known(seen, 3)
    start = seen.set_up + seen.cycles(built.rule.origin_us)
    at = start + seen.cycles(100_000) * np.array([0, windows])
    done = (work.most(at) + work.least(at)) / 2
    return seen.us(done[1] - done[0]) / windows, preempted(seen, 3) / windows


def _cost(board: str, held_up: bool, folder: Path) -> float:
    """Of a preemption, in us; less than 0: it is given more than it was interrupted for."""
    above, below = (40, 40) if board == "pico" else (35, 40)
    often, many = _seen(board, OFTEN[board], above, below, folder, held_up)
    rarely, few = _seen(board, RARELY[board], above, below, folder, held_up)
    assert many > 3 * few and many - few > 10
    cost = (rarely - often) / (many - few)
    print(f"{cost:.2f} us ({many:.0f} and {few:.0f} of them)")
    return cost


@pytest.mark.parametrize("held_up", [False, True], ids=["at once", "held up"])
@pytest.mark.parametrize("board", RULES)
def test_what_a_preemption_costs_the_preempted(board: str, held_up: bool, tmp_path: Path) -> None:
    """What is credited too much is taken from others."""
    most = RULES[board].preemption_us
    assert -LESS * most <= _cost(board, held_up, tmp_path) <= most


@pytest.mark.wide
@pytest.mark.parametrize("credit", CREDITS, ids=str)
def test_a_credit_that_is_too_large_is_seen(credit: Mutant, tmp_path: Path) -> None:
    with built_wrong(credit, tmp_path / "kernel")():
        cost = _cost("uno", "unlock" in credit.name, tmp_path)
    assert cost < -LESS * RULES["uno"].preemption_us
