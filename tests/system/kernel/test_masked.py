"""How long interrupts are off on the pico, by the machine, against board.toml."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import longest_masked_ns
from takt import boards
from takt.build.build import build
from takt.machine.machine import Machine
from takt.paths import ROOT

UNTRACED_NS = 3_500  # switches are done at once then, and no event is written


@pytest.mark.parametrize("trace", [True, False])
def test_interrupts_are_off_no_longer_than_the_board_says(trace: bool, tmp_path: Path) -> None:
    board = boards.load("pico")
    machine = Machine(board.chip, board.core)
    machine.load_elf(build(ROOT / "examples/rover", board, trace, out=tmp_path).elf)
    ns = longest_masked_ns(machine, board, range(100, 1100))
    most = board.costs["critical"] if trace else UNTRACED_NS
    assert 0.7 * most <= ns <= most, ns
