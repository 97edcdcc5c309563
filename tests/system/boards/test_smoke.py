"""A sketch on each board: it is built, boots, and two loops do what they say."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt import boards
from takt.build.build import build
from takt.machine.machines import machine_of

SQUARES = """
#include <Takt.h>
Channel<long> latest;
void setup() {
  Serial.begin(115200);
  Serial.println("ready");
}
void loop(1, 2, 10) {
  static long i;
  i++;
  latest.write(i * i);
  delay(100);
}
void loop(2, 10, 50) {
  delay(50);
  Serial.println(latest.read());
  delay(50);
}
"""
EXPECTED = ["ready", "1", "4", "9", "16"]
US = 450_000


@pytest.mark.smoke
@pytest.mark.parametrize("board", boards.names())
def test_boots_and_runs(board: str, tmp_path: Path) -> None:
    (tmp_path / "squares").mkdir()
    (tmp_path / "squares/squares.ino").write_text(SQUARES)
    data = boards.load(board)
    machine = machine_of(data)
    machine.load_elf(build(tmp_path / "squares", data, out=tmp_path / "out").elf)
    stop = machine.run(US * (data.clock_hz // 1_000_000))
    assert stop.reason == "time", machine.fault()
    said = bytes(byte for _, byte in machine.uart_take(0)).decode()
    assert said.splitlines()[: len(EXPECTED)] == EXPECTED
