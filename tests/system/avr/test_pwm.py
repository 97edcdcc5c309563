"""analogWrite() on every output of Timer0 and Timer2, each at the pin of the chip that has it."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt import boards
from takt.build.build import build
from takt.cli.run import _Session as Session
from takt.world import world

SKETCH = """
#include <Takt.h>
void setup() {
  static const int pins[] = {%s};
  for (unsigned n = 0; n < sizeof pins / sizeof pins[0]; n++)
    analogWrite(pins[n], 40 * (n + 1));
}
void task(idle, 100) {}
"""
B, D = 8, 24  # the first of each port, as the chip counts
OUTPUTS = {  # OC0A, OC0B, OC2A, OC2B of the data sheets: pin of the board, pin of the chip
    "uno": {6: D + 6, 5: D + 5, 11: B + 3, 3: D + 3},
    "atmega324p": {3: B + 3, 4: B + 4, 15: D + 7, 14: D + 6},
}
NO_TIMER = {"uno": 9, "atmega324p": 13}  # OC1A: the clock's


@pytest.mark.parametrize("board", OUTPUTS)
def test_each_output(tmp_path: Path, board: str) -> None:
    outputs = OUTPUTS[board]
    folder = tmp_path / "pwm"
    folder.mkdir()
    pins = [*outputs, NO_TIMER[board]]
    (folder / "pwm.ino").write_text(SKETCH % ", ".join(map(str, pins)))
    target = boards.load(board)
    built = build(folder, target, out=tmp_path / "out")
    session = Session(built, world.load(folder, target))
    session.go(0.05, None)
    for n, pin in enumerate(outputs.values(), 1):
        hz, duty = session.machine.pin_pwm(pin)
        assert 450 < hz < 1100 and duty == pytest.approx(40 * n / 255, abs=1 / 128), (pin, n)
    assert session.machine.pin_pwm(B + 1 if board == "uno" else D + 5) is None
