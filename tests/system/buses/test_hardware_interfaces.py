"""Wire and SPI through what ArduinoCore-API calls any bus: HardwareI2C and HardwareSPI."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from conftest import Run
from devices import Complement, Memory
from takt import boards
from takt.build.build import build
from takt.errors import UserError

BOARDS = ("pico", "stm32f051")
SELECT = 9
SKETCH = """
#include <SPI.h>
#include <Wire.h>
arduino::HardwareI2C &bus = Wire;
arduino::HardwareSPI &spi = SPI;
void say(const char *name, long value) {
  Serial.print(name); Serial.print('='); Serial.println(value);
}
void setup() {
  Serial.begin(115200);
  pinMode(9, OUTPUT); digitalWrite(9, HIGH);
  bus.begin(); bus.setClock(400000);
  bus.beginTransmission(0x50); bus.write(3); bus.write(99); say("code", bus.endTransmission());
  bus.beginTransmission(0x50); bus.write(3); bus.endTransmission(false);
  say("got", bus.requestFrom(0x50, 2)); say("first", bus.read()); say("second", bus.read());
  spi.begin();
  spi.beginTransaction(arduino::SPISettings(1000000, MSBFIRST, SPI_MODE0));
  digitalWrite(9, LOW);
  uint8_t three[] = {1, 2, 3};
  spi.transfer(three, 3); say("third", three[2]); say("byte", spi.transfer(0x55));
  digitalWrite(9, HIGH); spi.endTransaction();
  LAST
}
void loop() { delay(100); }
"""


@pytest.mark.parametrize("board", BOARDS)
def test_through_the_interfaces(write: Callable, board: str) -> None:
    memory, device = Memory(), Complement()
    built = build(write("buses", SKETCH.replace("LAST", "")), boards.load(board))
    r = Run(built, {0x50: memory}, {SELECT: device}).to(0.2)
    told = {name: r.values(name) for name in ("code", "got", "first", "second", "third", "byte")}
    assert told == {
        "code": [0], "got": [2], "first": [99], "second": [4], "third": [0xFD], "byte": [0xFC]
    }  # fmt: skip
    assert memory.cells[3] == 99 and device.blocks == [[1, 2, 3, 0x55]]


@pytest.mark.parametrize("board", BOARDS)
def test_there_is_no_target_mode(write: Callable, board: str) -> None:
    """By its own name a call does not compile; through the interface it ends the program."""
    last = "HardwareI2C *volatile any = &Wire; any->begin(static_cast<uint8_t>(5));"
    text = SKETCH.replace("LAST", last)
    built = build(write("buses", text), boards.load(board))
    with pytest.raises(UserError, match="Wire has no target"):
        Run(built, {}, {}).to(0.2)
    with pytest.raises(UserError, match="Takt's Wire has no target"):
        build(write("buses", text.replace("any->begin(s", "Wire.begin(s")), boards.load(board))
