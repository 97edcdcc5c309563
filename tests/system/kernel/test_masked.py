"""How long interrupts are off on the pico, by the machine, against board.toml."""

from __future__ import annotations

from pathlib import Path

import pytest
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
    machine.run(board.clock_hz // 10)
    machine.log_masked()
    longest = 0
    for tick in range(10, 110):
        machine.run(tick * board.clock_hz // 100)
        longest = max([longest, *(stretch.cycles for stretch in machine.masked())])
    ns = longest * 1e9 / board.clock_hz
    most = board.costs["critical"] if trace else UNTRACED_NS
    assert 0.7 * most <= ns <= most, ns
