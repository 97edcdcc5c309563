"""The registers of pins, for libraries that write to them: those that the pins follow."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt import boards
from takt.build.build import build
from takt.machine.machines import machine_of
from takt.world import world

TEXT = """
const int FIRST = 2, PINS = %d;
int wrong;
void look(int pin) {
  auto mask = digitalPinToBitMask(pin);
  auto port = digitalPinToPort(pin);
  pinMode(pin, OUTPUT);
  wrong += !(*portModeRegister(port) & mask);
  for (int level = 1; level >= 0; level--) {
    digitalWrite(pin, level);
    wrong += !(*portInputRegister(port) & mask) != !level;
    wrong += !(*portOutputRegister(port) & mask) != !level;
  }
  *portOutputRegister(port) |= mask;
  wrong += digitalRead(pin) != HIGH;
  *portOutputRegister(port) &= ~mask;
  wrong += digitalRead(pin) != LOW;
}
void setup() {
  for (int pin = FIRST; pin < PINS; pin++) look(pin);
  Serial.begin(9600);
  Serial.println(wrong);
}
void loop() {}
"""


@pytest.mark.parametrize(("board", "pins"), [("uno", 20), ("pico", 30)])
def test_pins_follow_their_registers(board: str, pins: int, tmp_path: Path) -> None:
    folder = tmp_path / "probe"
    folder.mkdir()
    (folder / "probe.ino").write_text(TEXT % pins)
    target = boards.load(board)
    machine = machine_of(target)
    machine.load_elf(build(folder, target, out=tmp_path / "out").elf)
    chip = world.empty(target).chip
    for pin in range(2, pins):
        machine.log_pin(chip[pin])
    machine.run(target.clock_hz // 10)
    said = bytes(byte for _, byte in machine.uart_take(0)).decode()
    assert said.split() == ["0"]
    edges = machine.pin_edges()
    for pin in range(2, pins):
        levels = [level for _, number, level in edges if number == chip[pin]]
        assert levels[-4:] == [1, 0, 1, 0], pin
