"""How long interrupts are off on the pico, by the machine, against board.toml."""

from __future__ import annotations

from pathlib import Path

from takt import boards
from takt.build.build import build
from takt.machine.machine import Machine
from takt.paths import ROOT


def test_interrupts_are_off_no_longer_than_the_board_says(tmp_path: Path) -> None:
    board = boards.load("pico")
    machine = Machine(board.chip, board.core)
    machine.load_elf(build(ROOT / "examples/rover", board, out=tmp_path).elf)
    machine.run(board.clock_hz // 10)
    machine.log_masked()
    longest = 0
    for tick in range(10, 110):
        machine.run(tick * board.clock_hz // 100)
        longest = max([longest, *(stretch.cycles for stretch in machine.masked())])
    ns = longest * 1e9 / board.clock_hz
    assert 0.7 * board.costs["critical"] <= ns <= board.costs["critical"], ns
