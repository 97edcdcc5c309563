"""What admission at run time counts is what board.toml says."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from takt import boards
from takt.build.build import build
from takt.code.elf import Program

SKETCH = """
#include <takt/vcpu.h>
void setup() { Serial.begin(9600); takt_vcpu_set_budget(0, 2000); }
void loop(1, 1, 100) { Serial.println(pulseIn(2, HIGH, 1000)); delay(5); }
"""


@pytest.mark.parametrize("name", ["uno", "atmega324p"])
def test_costs_of_interrupts_that_are_linked(name: str, tmp_path: Path) -> None:
    (tmp_path / "change").mkdir()
    (tmp_path / "change" / "change.ino").write_text(SKETCH)
    board = boards.load(name)
    program = Program(build(tmp_path / "change", board, admit=False).elf)
    at = program.by_name["takt_admit_irqs"].address
    told = board.raw["interrupts"]
    linked = [struct.unpack("<3I", program.read(at + 12 * n, 12)) for n in range(len(told))]
    for one, (ns, us, jitter) in zip(told, linked, strict=True):
        assert us == one["separation_us"] and not jitter
        assert ns == one["cost_ns"] or (ns == 0 and one["needs"] not in program.by_name), one
    assert linked[-1][0] == 0  # no Wire
    found = program.by_name["takt_admit_board"]
    end = found.address + found.size - 6  # behind them: those of the program
    words = struct.unpack("<3I", program.read(end - 12, 12))
    costs = board.costs
    assert words == (costs["switch"], costs["alarm"], costs["margin"] // 1000)
