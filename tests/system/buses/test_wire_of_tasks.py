"""Wire in tasks, which are one thread: no task comes between what belongs together of another."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from conftest import Run
from takt import boards
from takt.build.build import build

BOARDS = pytest.mark.parametrize("board", ("pico", "uno"))
FIRST, SECOND = 0x50, 0x51


class Target:
    """Answers with its address; keeps what is written, a list for each transmission."""

    def __init__(self, address: int) -> None:
        self.address = address
        self.written: list[list[int]] = []
        self.reads = 0

    def start(self, read: bool) -> bool:
        if read:
            self.reads += 1
        else:
            self.written.append([])
        return True

    def write(self, byte: int) -> bool:
        self.written[-1].append(byte)
        return True

    def read(self, last: bool) -> int:
        return self.address

    def stop(self) -> None:
        pass


@pytest.fixture
def start(write: Callable) -> Callable[..., tuple[Run, Target, Target]]:
    """Builds as it is flashed; the sketch is at its beginning, and there are two devices."""

    def go(board: str, text: str) -> tuple[Run, Target, Target]:
        built = build(write("tasks", HEAD + text), boards.load(board), trace=False)
        devices = {address: Target(address) for address in (FIRST, SECOND)}
        return Run(built, devices, {}), devices[FIRST], devices[SECOND]

    return go


HEAD = """
#include <Wire.h>
#include <Takt.h>
void begin() { Serial.begin(57600); Wire.begin(); Wire.setClock(400000); }
void say(const char *name, long value) {
  Serial.print(name); Serial.print('='); Serial.println(value);
}
"""
WRITES = """
void setup() { begin(); }
void task(fast, 2) { Wire.beginTransmission(0x51); Wire.write(0xEE); Wire.endTransmission(); }
void task(slow, 50) {
  Wire.beginTransmission(0x50);
  for (byte i = 1; i <= 8; i++) { Wire.write(i); delayMicroseconds(700); }
  Wire.endTransmission();
}
"""


@BOARDS
def test_transmissions_are_whole(start, board: str) -> None:
    r, first, second = start(board, WRITES)
    r.to(1)
    assert first.written == [list(range(1, 9))] * len(first.written) and len(first.written) >= 19
    assert {tuple(one) for one in second.written[:-1]} == {(0xEE,)} and len(second.written) > 430


READS = """
unsigned wrong, right;
void setup() { begin(); }
void task(fast, 2) { Wire.requestFrom(0x51, 2); wrong += Wire.read() != 0x51; Wire.read(); }
void task(slow, 20) {
  Wire.beginTransmission(0x50); Wire.write(9); Wire.endTransmission(false);
  delayMicroseconds(2500);
  Wire.requestFrom(0x50, 4);
  for (byte i = 0; i < 4; i++) { delayMicroseconds(700); (Wire.read() == 0x50 ? right : wrong)++; }
}
void task(tell, 500) { say("right", right); say("wrong", wrong); }
"""


@BOARDS
def test_reads_are_whole(start, board: str) -> None:
    r, first, _ = start(board, READS)
    r.to(1.2)
    assert set(r.values("wrong")) == {0} and r.values("right")[-1] >= 180, r.text
    assert first.written == [[9]] * len(first.written) and abs(first.reads - len(first.written)) < 2


LEAVES = """
volatile bool within;
unsigned on_top;
void setup() {
  begin();
  Wire.requestFrom(0x50, 2);
}
void task(fast, 2) { on_top += within; }
void task(slow, 50) {
  delayMicroseconds(10);
  Wire.requestFrom(0x50, 2);
  Wire.read();
}
void task(slower, 100) {
  within = true; delayMicroseconds(5000); within = false;
  say("on_top", on_top);
  say("left", Wire.available());
  Wire.beginTransmission(0x51); Wire.write(7); Wire.endTransmission(false);
}
void task(slowest, 200) { Wire.beginTransmission(0x50); Wire.write(8); Wire.endTransmission(); }
"""


@BOARDS
def test_what_a_task_leaves_keeps_no_other_off(start, board: str) -> None:
    """Bytes it has not read are dropped; a transmission that waits for its read is sent."""
    r, first, second = start(board, LEAVES)
    r.to(1)
    counts = r.values("on_top")
    assert len(counts) >= 9 and counts[-1] >= 2 * (len(counts) - 1), r.text
    assert set(r.values("left")) == {0}
    assert [7] in second.written and [8] in first.written
