"""AVR, a sketch with nothing but loop(), as it is flashed: kernel and drivers are those of one
thread. What comes over the wires, with devices that behave and that do not."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from conftest import Run
from devices import Complement, Memory, Refuser, Stretcher
from takt import boards
from takt.build.build import build
from takt.code.elf import Program
from takt.errors import UserError

BOARDS = ("uno", "atmega324p")
FINE, ABSENT, REFUSED, OTHER, TIMED_OUT = 0, 2, 3, 4, 5
TIMEOUT_US, FREEING_US = 10_000, 5_000
EAGAIN = -2
SELECT = {"uno": 10, "atmega324p": 4}
OF_SEVERAL = ("port_switch_from_isr", "takt_preempt", "takt_sem_wait", "i2c_serve", "spi_serve")

pytestmark = pytest.mark.parametrize("board", BOARDS)


@pytest.fixture
def start(write: Callable) -> Callable[..., Run]:
    """Builds; the sketch is at its beginning."""

    def go(board: str, text: str, **devices) -> Run:
        files = {"world.toml": devices["world"]} if "world" in devices else {}
        trace = devices.get("trace", False)
        built = build(write("alone", text, files), boards.load(board), trace=trace)
        assert built.admission is None and [one.name for one in built.threads] == ["loop"]
        assert trace or not {*OF_SEVERAL} & Program(built.elf).by_name.keys()
        return Run(built, devices.get("i2c", {}), devices.get("spi", {}))

    return go


I2C = """
#include <Wire.h>
void say(const char *name, long value) {
  Serial.print(name); Serial.print('='); Serial.println(value);
}
uint8_t count;
void setup() { Serial.begin(57600); Wire.begin(); Wire.setWireTimeout(10000); }
void loop() {
  unsigned long begun = micros();
  Wire.beginTransmission(0x50); Wire.write(7); Wire.write(count);
  int code = Wire.endTransmission();
  say("us", micros() - begun);
  say("code", code);
  Wire.beginTransmission(0x50); Wire.write(7); Wire.endTransmission(false);
  say("got", Wire.requestFrom(0x50, 3));
  if (Wire.available()) say("first", Wire.read());
  if (Wire.available()) say("second", Wire.read());
  Wire.beginTransmission(0x51);
  say("absent", Wire.endTransmission());
  if (Wire.getWireTimeoutFlag()) { Wire.clearWireTimeoutFlag(); say("flag", 1); }
  count++;
  delay(10);
}
"""


def test_transactions(start, board: str) -> None:
    device = Memory()
    r = start(board, I2C, i2c={0x50: device}).to(0.5)
    rounds = len(r.values("absent"))
    assert rounds > 20
    assert set(r.values("code")) == {FINE} and set(r.values("absent")) == {ABSENT}
    assert set(r.values("got")) == {3}
    assert r.values("first")[:rounds] == list(range(rounds)), "what was written before"
    assert set(r.values("second")) == {8}
    assert device.seen[:5] == ["W", "P", "W", "R", "P"], "a repeated start before the read"
    assert not r.values("flag")


def test_a_byte_that_is_refused(start, board: str) -> None:
    r = start(board, I2C, i2c={0x50: Refuser(1)}).to(0.3)
    assert set(r.values("code")) == {REFUSED}
    assert set(r.values("got")) == {3}, "one byte was taken"


class Fading(Stretcher):
    """Holds SCL for ever in its fifth transaction, a write, and is well after that."""

    over = False

    def stretch(self) -> int:
        return self.cycles if len(self.seen) > 10 and not self.over else 0


def test_a_clock_that_is_held_for_ever(start, board: str) -> None:
    device = Fading()
    r = start(board, I2C, i2c={0x50: device}).to(0.5)
    codes = r.values("code")
    fine = codes.index(TIMED_OUT)
    assert fine == 2 and set(codes[:fine]) == {FINE}
    assert set(codes[fine + 1 :]) == {OTHER}, "SCL is still low, and that is told"
    assert TIMEOUT_US <= r.values("us")[fine] <= TIMEOUT_US + FREEING_US
    assert max(r.values("us")[fine + 1 :]) <= 2 * FREEING_US
    assert r.values("flag") == [1]
    device.over = True
    r.machine.i2c_hold(0, sda=None, scl=False)
    r.to(0.8)
    assert r.values("code")[-2:] == [FINE] * 2


def test_a_stretched_clock_does_no_harm(start, board: str) -> None:
    r = start(board, I2C, i2c={0x50: Stretcher(boards.load(board).clock_hz // 400)}).to(0.5)
    assert set(r.values("code")) == {FINE} and min(r.values("us")) > 5000


@pytest.mark.parametrize("clocks", [1, 5, 9])
def test_a_bus_is_clocked_free(start, board: str, clocks: int) -> None:
    r = start(board, I2C, i2c={0x50: Memory()}).to(0.1)
    before = len(r.values("code"))
    r.machine.i2c_hold(0, sda=True, scl=None, clocks=clocks)
    r.to(0.3)
    assert len(r.values("code")) > before + 3
    assert set(r.values("code")[before + 1 :]) == {FINE}


@pytest.mark.parametrize("scl", [None, True])
def test_a_bus_that_cannot_be_freed_is_given_up_in_time(
    start, board: str, scl: bool | None
) -> None:
    r = start(board, I2C, i2c={0x50: Memory()}).to(0.1)
    before = len(r.values("code"))
    r.machine.i2c_hold(0, sda=True, scl=scl)
    r.to(0.4)
    assert set(r.values("code")[before + 1 :]) == {OTHER}
    assert max(r.values("us")) <= FREEING_US
    r.machine.i2c_hold(0, sda=False, scl=False)
    r.to(0.6)
    assert r.values("code")[-1] == FINE


SPI = """
#include <SPI.h>
static uint8_t out[100], in[100];
void say(const char *name, long value) {
  Serial.print(name); Serial.print('='); Serial.println(value);
}
void setup() {
  Serial.begin(57600); pinMode(SS, OUTPUT); digitalWrite(SS, HIGH); SPI.begin();
  for (int i = 0; i < 100; i++) out[i] = i * 7;
  for (uint32_t hz = 125000; hz <= 8000000; hz *= 8) {
    takt_spi_settings settings = {hz, 0, 8, false};
    Serial.flush();
    unsigned long begun = micros();
    say("moved", takt_spi_transfer(0, &settings, SS, out, in, 100));
    say("us", micros() - begun);
    int wrong = 0;
    for (int i = 1; i < 100; i++) wrong += in[i] != (uint8_t)~out[i - 1];
    say("wrong", wrong);
  }
  SPI.beginTransaction(SPISettings(2000000, LSBFIRST, SPI_MODE1));
  digitalWrite(SS, LOW); SPI.transfer(0x01); say("lsb", SPI.transfer(0)); digitalWrite(SS, HIGH);
  SPI.endTransaction();
  SPI.beginTransaction(SPISettings(2000000, MSBFIRST, SPI_MODE2));
  digitalWrite(SS, LOW); SPI.transfer16(0x1234); say("word", SPI.transfer16(0));
  digitalWrite(SS, HIGH); SPI.endTransaction();
  SPI.end();
  takt_spi_settings settings = {1000000, 0, 8, false};
  say("closed", takt_spi_transfer(0, &settings, SS, out, in, 1));
}
void loop() {}
"""


def test_spi(start, board: str) -> None:
    device = Complement()
    r = start(board, SPI, spi={SELECT[board]: device}).to(0.3)
    assert r.values("moved") == [100] * 3 and r.values("wrong") == [0] * 3
    slow, middle, fast = r.values("us")
    assert 6400 <= slow < 9000 and 800 <= middle < 4000 and fast <= middle
    assert [v & 0xFFFF for v in r.values("lsb") + r.values("word")] == [0xFE, 0xCBFF]
    assert r.values("closed") == [-4]
    text = [i * 7 % 256 for i in range(100)]
    assert device.blocks == [text] * 3 + [[0x80, 0], [0x12, 0x34, 0, 0]]


EDGE = {"uno": 2, "atmega324p": 12}
OTHER_SELECT = {"uno": 7, "atmega324p": 13}
WAVE = """
[parts.wave]
type = "square-wave"
pin = %d
frequency = "1700 Hz"
"""
IN_INTERRUPT = """
#include <SPI.h>
#define IN 2
#define OTHER 7
volatile int refused;
void edge() {
  SPI.beginTransaction(SPISettings(4000000, LSBFIRST, SPI_MODE0));
  digitalWrite(OTHER, LOW); SPI.transfer(0xE1); SPI.transfer(0xE2); digitalWrite(OTHER, HIGH);
  SPI.endTransaction();
}
void setup() {
  pinMode(SS, OUTPUT); digitalWrite(SS, HIGH); pinMode(OTHER, OUTPUT); digitalWrite(OTHER, HIGH);
  SPI.begin();
  USING
  attachInterrupt(digitalPinToInterrupt(IN), edge, RISING);
}
void loop() {
  SPI.begin();
  SPI.beginTransaction(SPISettings(1000000, MSBFIRST, SPI_MODE0));
  digitalWrite(SS, LOW);
  SPI.beginTransaction(SPISettings(1000000, MSBFIRST, SPI_MODE0));
  for (int i = 0; i < 3; i++) SPI.transfer(i);
  SPI.endTransaction();
  for (int i = 3; i < 6; i++) SPI.transfer(i);
  digitalWrite(SS, HIGH);
  SPI.endTransaction();
}
"""


@pytest.mark.parametrize(("using", "trace"), [(True, False), (True, True), (False, False)])
def test_spi_in_an_interrupt(start, board: str, using: bool, trace: bool) -> None:
    """usingInterrupt() keeps the handler from coming in the midst of a transaction; so it is with
    drivers that know several threads."""
    mine, others = Complement(), Complement()
    text = IN_INTERRUPT.replace("USING", "SPI.usingInterrupt(IN);" if using else "")
    text = text.replace("IN 2", f"IN {EDGE[board]}").replace("R 7", f"R {OTHER_SELECT[board]}")
    spi = {SELECT[board]: mine, OTHER_SELECT[board]: others}
    r = start(board, text, spi=spi, world=WAVE % EDGE[board], trace=trace)
    if not using:
        with pytest.raises(AssertionError, match="two SPI devices are selected at once"):
            r.to(0.3)
        return
    r.to(0.3)
    assert len(mine.blocks) > 30 and len(others.blocks) >= 300
    assert all(block == list(range(6)) for block in mine.blocks[:-1])
    assert all(block == [0x87, 0x47] for block in others.blocks[:-1])


SERIAL = """
char text[201];
void setup() {
  Serial.begin(57600);
  for (int i = 0; i < 200; i++) text[i] = 'a' + i % 26;
  Serial.println(text);
  Serial.print(-12345); Serial.print(' '); Serial.println(3.25);
  noInterrupts(); Serial.println(text); interrupts();
  Serial.flush();
  Serial.setTimeout(50);
  unsigned long begun = millis();
  Serial.print(Serial.readString()); Serial.print('|');
  Serial.println((millis() - begun) / 2);
}
void loop() { while (Serial.available()) Serial.write(Serial.read() + 1); }
"""


def test_serial(start, board: str) -> None:
    r = start(board, SERIAL).to(0.6)
    text = "".join(chr(97 + i % 26) for i in range(200))
    assert r.text == f"{text}\n-12345 3.25\n{text}\n|25\n"
    r.machine.uart_send(0, b"HAL")
    r.to(0.7)
    assert r.text.endswith("IBM")


PRINTS = """
volatile unsigned edges;
void edge() { edges++; Serial.print("!?"); }
void setup() { Serial.begin(57600); attachInterrupt(digitalPinToInterrupt(IN), edge, RISING); }
void loop() { Serial.print("abcdefghijklmnopqrstuvwxyz"); }
"""


def test_a_handler_that_prints_while_loop_does(start, board: str) -> None:
    """No byte is lost: all of loop()'s are in order, and the handler's come in pairs."""
    world = WAVE.replace("1700 Hz", "730 Hz") % EDGE[board]
    r = start(board, PRINTS.replace("IN)", f"{EDGE[board]})"), world=world).to(0.5)
    text = r.text
    assert text.count("!?") == text.count("!") > 300
    letters = text.replace("!?", "")
    expected = "abcdefghijklmnopqrstuvwxyz" * (len(letters) // 26 + 1)
    assert len(letters) > 1000 and letters == expected[: len(letters)]


DELAYS = (1, 2, 30, 64, 65, 66, 131, 200)
DELAY = """
const int delays[] = {%s};
void setup() {
  pinMode(5, OUTPUT); Serial.begin(57600);
  for (int ms : delays) {
    Serial.print("some text that is on its way meanwhile");
    digitalWrite(5, HIGH); delay(ms); digitalWrite(5, LOW);
  }
}
void loop() {}
"""


def test_delays(start, board: str) -> None:
    r = start(board, DELAY % ", ".join(map(str, DELAYS))).to(0.6)
    edges = [cycle for cycle, pin, _ in r.session.bench.edges if pin == 5]
    cycles = boards.load(board).clock_hz // 1000
    for ms, begun, ended in zip(DELAYS, edges[::2], edges[1::2], strict=True):
        assert ms * cycles <= ended - begun < (ms + 0.4) * cycles, ms


FATAL = """
int depth(int n) {
  volatile char room[40];
  room[n % 40] = n;
  return n ? depth(n - 1) + room[0] : 0;
}
void setup() { Serial.begin(57600); Serial.println("here"); CASE; }
void loop() {}
"""
TOLD = {
    "abort()": "takt: fatal: the program called exit or abort (in loop)",
    "Serial.println(depth(Serial.available() + 200))": "takt: fatal: stack overflow (in loop)",
    "TIMSK2 = 1; TCCR2B = 1; delay(100)": "takt: fatal: no handler for exception 9 (in loop)",
}


@pytest.mark.parametrize("case", TOLD)
def test_fatal_errors_are_told(start, board: str, case: str) -> None:
    if board != "uno" and "TIMSK2" in case:
        pytest.skip("another number")
    r = start(board, FATAL.replace("CASE", case))
    with pytest.raises(UserError, match=re.escape(TOLD[case].split(": ")[-1].split(" (in")[0])):
        r.to(0.5)
    assert f"here\n\n{TOLD[case]}\n" in r.text
