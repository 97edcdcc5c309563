"""SPI and Wire where interrupts are off, and beside handlers that use the bus, too: as they are
flashed, and on the uno with the drivers of several threads as well."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from conftest import Run
from devices import Complement, Memory
from takt import boards
from takt.build.build import build

BOARDS = ("pico", "stm32f051", "uno")
FLASHED = pytest.mark.parametrize(
    ("board", "trace"), [*((board, False) for board in BOARDS), ("uno", True)]
)
SELECT = 10


@pytest.fixture
def start(write: Callable) -> Callable[..., Run]:
    """Builds; the sketch is at its beginning."""

    def go(board: str, text: str, trace: bool = False, **devices) -> Run:
        files = {"world.toml": devices["world"]} if "world" in devices else {}
        built = build(write("excluded", SAY + text, files), boards.load(board), trace=trace)
        return Run(built, devices.get("i2c", {}), devices.get("spi", {}))

    return go


SAY = """
#include <SPI.h>
#include <Wire.h>
#include <Takt.h>
#define SELECT 10
void say(const char *name, long value) {
  Serial.print(name); Serial.print('='); Serial.println(value);
}
void begin() {
  Serial.begin(57600); pinMode(SELECT, OUTPUT); digitalWrite(SELECT, HIGH); SPI.begin();
}
"""

SETTINGS = """
void put(bool off) {
  if (off) noInterrupts();
  SPI.beginTransaction(SPISettings(500000, LSBFIRST, SPI_MODE0));
  digitalWrite(SELECT, LOW); SPI.transfer(1); SPI.transfer(2); digitalWrite(SELECT, HIGH);
  SPI.endTransaction();
  if (off) interrupts();
}
void setup() {
  begin();
  put(false);
  SPI.beginTransaction(SPISettings(4000000, MSBFIRST, SPI_MODE0));
  SPI.endTransaction();
  put(true);
  SPI.beginTransaction(SPISettings(4000000, MSBFIRST, SPI_MODE0));
  noInterrupts();
  digitalWrite(SELECT, LOW); SPI.transfer(3); digitalWrite(SELECT, HIGH);
  SPI.endTransaction();
  interrupts();
  put(false);
  say("over", 1);
}
void loop() { delay(10); }
"""


@FLASHED
def test_a_transaction_begins_and_ends_with_interrupts_off(start, board: str, trace: bool) -> None:
    device = Complement()
    r = start(board, SETTINGS, trace, spi={SELECT: device}).to(0.1)
    assert r.values("over") == [1]
    assert device.blocks == [[0x80, 0x40], [0x80, 0x40], [3], [0x80, 0x40]]


TWO_LOOPS = """
void setup() { begin(); }
void loop(1, 2, 20) {
  delay(1);
  SPI.beginTransaction(SPISettings(1000000, MSBFIRST, SPI_MODE0));
  digitalWrite(SELECT, LOW); SPI.transfer(1); SPI.transfer(2); digitalWrite(SELECT, HIGH);
  SPI.endTransaction();
  delay(9);
}
void loop(2, 10, 100) {
  SPI.beginTransaction(SPISettings(1000000, LSBFIRST, SPI_MODE0));
  digitalWrite(SELECT, LOW); SPI.transfer(8);
  delayMicroseconds(3000);
  SPI.transfer(4);
  noInterrupts();
  TAKT_SECTION_US(200);
  digitalWrite(SELECT, HIGH);
  SPI.endTransaction();
  interrupts();
  delay(3);
}
"""


@pytest.mark.parametrize("board", BOARDS)
def test_a_loop_that_waits_gets_the_bus_from_one_with_interrupts_off(start, board: str) -> None:
    device = Complement()
    start(board, TWO_LOOPS, spi={SELECT: device}).to(1)
    found = device.blocks[:-1]
    assert {tuple(block) for block in found} == {(1, 2), (0x10, 0x20)}
    assert found.count([1, 2]) > 40 and found.count([0x10, 0x20]) > 8


SLOW = """
void setup() { begin(); }
void loop() {
  static uint8_t block[20];
  SPI.beginTransaction(SPISettings(100000, MSBFIRST, SPI_MODE0));
  noInterrupts();
  digitalWrite(SELECT, LOW); SPI.transfer(5); digitalWrite(SELECT, HIGH);
  for (uint8_t i = 0; i < sizeof block; i++) block[i] = i;
  digitalWrite(SELECT, LOW); SPI.transfer(block, sizeof block); digitalWrite(SELECT, HIGH);
  interrupts();
  SPI.endTransaction();
  int wrong = 0;
  for (uint8_t i = 1; i < sizeof block; i++) wrong += block[i] != (uint8_t)~(i - 1);
  say("wrong", wrong);
  delay(20);
}
"""


@FLASHED
def test_slow_transfers_with_interrupts_off(start, board: str, trace: bool) -> None:
    device = Complement()
    r = start(board, SLOW, trace, spi={SELECT: device}).to(0.3)
    assert r.values("wrong") == [0] * len(r.values("wrong")) and len(r.values("wrong")) > 8
    assert device.blocks[:2] == [[5], list(range(20))]


OTHERS_TRANSFER = """
volatile unsigned long sent, refused, longest;
void setup() { begin(); }
void loop(1, 5, 20) {
  takt_spi_settings fast = {1000000, 0, 8, false};
  uint8_t out = 7;
  delay(2);
  {
    takt::Critical off{200_us};
    unsigned long begun = micros();
    int got = takt_spi_transfer(0, &fast, TAKT_SPI_NO_PIN, &out, nullptr, 1);
    unsigned long took = micros() - begun;
    sent += got == 1;
    refused += got == TAKT_EAGAIN;
    if (took > longest) longest = took;
  }
  delay(7);
}
void loop(2, 5, 100) {
  static uint8_t out[40], in[40];
  takt_spi_settings slow = {187500, 0, 8, false};
  for (uint8_t i = 0; i < sizeof out; i++) out[i] = i;
  say("moved", takt_spi_transfer(0, &slow, SELECT, out, in, sizeof out));
  int wrong = 0;
  for (uint8_t i = 1; i < sizeof in; i++) wrong += in[i] != (uint8_t)~(i - 1);
  say("wrong", wrong);
  say("sent", sent); say("refused", refused); say("longest", longest);
}
"""


@pytest.mark.parametrize("board", BOARDS)
def test_with_interrupts_off_no_other_transfer_is_seen_through(start, board: str) -> None:
    """The more urgent loop finds the bus in use and says so; the transfer under way goes on."""
    device = Complement()
    r = start(board, OTHERS_TRANSFER, spi={SELECT: device}).to(1)
    moved = r.values("moved")
    assert set(moved) == {40} and len(moved) > 8 and set(r.values("wrong")) == {0}
    assert {tuple(block) for block in device.blocks[:-1]} == {tuple(range(40))}
    assert r.values("sent")[-1] > 8 and r.values("refused")[-1] > 8
    assert r.values("longest")[-1] < 100


LONG = """
void setup() {
  begin();
  SPI.beginTransaction(SPISettings(8000000, MSBFIRST, SPI_MODE0));
  digitalWrite(SELECT, LOW); SPI.transfer(nullptr, nullptr, 40000); digitalWrite(SELECT, HIGH);
  SPI.endTransaction();
  say("over", 1);
}
void loop() { delay(10); }
"""


@pytest.mark.parametrize("board", ("pico", "stm32f051"))
def test_a_transfer_may_be_of_more_than_15_bits(start, board: str) -> None:
    device = Complement()
    r = start(board, LONG, spi={SELECT: device}).to(0.4)
    assert r.values("over") == [1] and [len(block) for block in device.blocks] == [40000]


WIRE = """
void setup() { begin(); Wire.begin(); }
void loop() {
  noInterrupts();
  unsigned long begun = micros();
  Wire.beginTransmission(0x50); Wire.write(1); int sent = Wire.endTransmission();
  int got = Wire.requestFrom(0x50, 2);
  unsigned long took = micros() - begun;
  interrupts();
  say("sent", sent); say("got", got); say("took", took);
  Wire.beginTransmission(0x50); Wire.write(9); say("later", Wire.endTransmission());
  say("bytes", Wire.requestFrom(0x50, 2)); say("first", Wire.read());
  delay(10);
}
"""


@FLASHED
def test_wire_with_interrupts_off_fails_at_once(start, board: str, trace: bool) -> None:
    device = Memory()
    r = start(board, WIRE, trace, i2c={0x50: device}).to(0.3)
    assert len(r.values("first")) > 8
    assert {name: set(r.values(name)) for name in ("sent", "got", "later", "bytes")} == {
        "sent": {4}, "got": {0}, "later": {0}, "bytes": {2},
    }  # fmt: skip
    assert max(r.values("took")) < 400
    assert r.values("first")[0] == 9 and "".join(device.seen).startswith("WPRPWPRP")


HANDLER = """
SPISettings fast(4000000, MSBFIRST, SPI_MODE0);
volatile unsigned first, second, calls;
void isr() {
  SPI.beginTransaction(fast);
  first = first + 1;
  SPI.transfer(0xEE);
  second = second + 1;
  SPI.endTransaction();
  calls = calls + 1;
}
void setup() {
  begin();
  pinMode(2, INPUT);
  attachInterrupt(digitalPinToInterrupt(2), isr, RISING);
}
void loop() {
  static unsigned rounds, torn;
  SPI.beginTransaction(fast);
  SPI.transfer(1);
  noInterrupts();
  torn += first != second;
  interrupts();
  SPI.transfer(2);
  SPI.endTransaction();
  noInterrupts();
  torn += first != second;
  interrupts();
  if (++rounds % 200 == 0) { say("calls", calls); say("torn", torn); }
}
"""
WAVE = """
[parts.wave]
type = "square-wave"
pin = 2
frequency = "211 Hz"
"""


@pytest.mark.parametrize("board", ("pico", "stm32f051"))
def test_interrupts_go_off_within_a_transaction_beside_a_handler_with_one(
    start, board: str
) -> None:
    """The handler waits for the bus, and is not waited for."""
    r = start(board, HANDLER, world=WAVE).to(1)
    calls = r.values("calls")
    assert len(calls) > 5 and calls[-1] > 60, r.text
    assert set(r.values("torn")) == {0}
