"""EEPROM on the pico: what is written is there after power was off, read from the flash by a parser
of its own; how long it takes, by pins; loops with budgets beside it keep their share."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from takt import boards
from takt.build.build import build
from takt.errors import UserError
from takt.machine.machine import Machine
from takt.machine.machines import machine_of
from takt.world import world

HZ = 125_000_000
FLASH, HALF, PAGE, BYTES = 0x10000000, 16384, 256, 4096
KEPT = FLASH + 2 * 1024 * 1024 - 2 * HALF
ERASED = 0xFFFFFFFF


def loaded(write: Callable, text: str) -> Machine:
    target = boards.load("pico")
    machine = machine_of(target)
    machine.load_elf(build(write("bytes", text), target, trace=False).elf)
    return machine


def said(machine: Machine, seconds: float = 1.0) -> list[str]:
    machine.run(int(seconds * HZ))
    return bytes(byte for _, byte in machine.uart_take(0)).decode().split()


def words(data: bytes) -> Iterator[int]:
    return (word for (word,) in struct.iter_unpack("<I", data))


def kept(machine: Machine) -> bytes:
    """As the comment in byte_log.h says it is stored."""
    halves = [machine.read(KEPT + n * HALF, HALF) for n in (0, 1)]
    begun = [struct.unpack_from("<I", half, 4)[0] for half in halves]
    half = halves[begun[0] < begun[1] < ERASED or begun[0] == ERASED]
    image = bytearray(half[PAGE : PAGE + BYTES])
    for record in words(half[PAGE + BYTES :]):
        if record == ERASED:
            break
        if not record >> 31:
            continue  # settled
        assert record >> 20 == 0x800 | f"{record & 0xFFFFF:020b}".count("0")
        image[record & 0xFFF] = record >> 12 & 0xFF
    return bytes(image)


SETTINGS = """
#include <EEPROM.h>
struct Settings { long gain; float offset; char name[5]; };
struct Early { uint8_t byte = EEPROM.read(100); } early;
void setup() {
  Serial.begin(115200);
  EEPROM.begin(512);
  Serial.println(early.byte);
  Settings read, settings = {-70000, 1.5f, "rove"};
  EEPROM.get(100, read);
  Serial.println(read.gain == -70000 && read.offset == 1.5f && !strcmp(read.name, "rove"));
  EEPROM.put(100, settings);
  EEPROM[7] = 200;
  EEPROM[7] += 100;
  int before = EEPROM[7]++;
  EEPROM[4096 + 8] = EEPROM[7];
  Serial.println(before);
  Serial.println(EEPROM.length());
  Serial.println(EEPROM.commit());
}
void loop() { delay(1000); }
"""


def test_it_is_there_when_power_returns(write: Callable) -> None:
    machine = loaded(write, SETTINGS)
    assert said(machine) == ["255", "0", "44", "4096", "1"]
    image = kept(machine)
    assert image[100:108] == struct.pack("<lf", -70000, 1.5) and image[108:113] == b"rove\0"
    assert image[7] == image[8] == 45 and set(image[:7] + image[9:100]) == {255}
    again = loaded(write, SETTINGS)
    again.write(KEPT, machine.read(KEPT, 2 * HALF))
    first = image[100]
    assert said(again) == [str(first), "1", "44", "4096", "1"]
    assert kept(again) == image


SHARED = """
#include <Takt.h>
#include <EEPROM.h>
volatile long spins;
void burst(int byte) { for (int n = 0; n < 1600; n++) EEPROM.write(byte, n); }
void setup() { Serial.begin(115200); pinMode(2, OUTPUT); pinMode(3, OUTPUT); }
void loop(1, 4_ms, 20_ms) { burst(0); EEPROM.write(10, 1); for (;;) delay(100); }
void loop(2, 4_ms, 20_ms) { burst(1); EEPROM.write(11, 1); for (;;) delay(100); }
void periodic(steady, 2_ms, 10_ms) {
  digitalWrite(2, HIGH);
  delayMicroseconds(1000);
  digitalWrite(2, LOW);
}
void loop(4, 1_ms, 100_ms) {
  if (EEPROM[10] != 1 || EEPROM[11] != 1) { delay(100); return; }
  Serial.println(EEPROM.read(0));
  Serial.println(EEPROM.read(1));
  Serial.println(EEPROM.commit());
  for (;;) delay(1000);
}
"""


def test_loops_write_while_others_keep_their_share(write: Callable) -> None:
    """Two loops write 3200 bytes, more than a half has room for; the job beside them does its
    1 ms in each period."""
    machine = loaded(write, SHARED)
    machine.log_pin(world.empty(boards.load("pico")).chip[2])
    assert said(machine, 3) == [str(1599 % 256)] * 2 + ["1"]
    generations = [machine.word(KEPT + n * HALF + 4) for n in (0, 1)]
    assert sorted(generations) == [1, 2]
    edges = [(cycle * 1000 / HZ, level) for cycle, _, level, *_ in machine.pin_edges()]
    done = [at for at, level in edges[2:] if not level]
    assert [int(at // 10) for at in done] == list(range(int(done[0] // 10), 300))


TORN = {
    "a job that would be ended meanwhile": """
#include <Takt.h>
#include <EEPROM.h>
void use(EEPROMClass &kept, byte n) { kept.write(100, n); }
void setup() { Serial.begin(115200); pinMode(2, OUTPUT); pinMode(3, OUTPUT); }
void periodic(logger, 2_ms, 20_ms) {
  static byte n;
  EEPROM.write(1, ++n);
  digitalWrite(2, n & 1);
}
void loop(2, 5_ms, 50_ms) { static byte n; use(EEPROM, ++n); digitalWrite(3, n & 1); delay(40); }
""",
    "tasks on top of one another": """
#include <Takt.h>
#include <EEPROM.h>
void setup() { pinMode(2, OUTPUT); pinMode(3, OUTPUT); EEPROM.write(0, 0); }
void task(fast, 2) { static byte k; digitalWrite(2, ++k & 1); EEPROM.write(1, k); }
void task(slow, 50) {
  static byte k;
  for (int i = 0; i < 100; i++) EEPROM.write(2, ++k);
  digitalWrite(3, ++k & 1);
}
""",
}


@pytest.mark.parametrize("text", TORN.values(), ids=TORN)
def test_no_write_is_torn(text: str, write: Callable) -> None:
    machine = loaded(write, text)
    chip = world.empty(boards.load("pico")).chip
    for pin in (2, 3):
        machine.log_pin(chip[pin])
    machine.run(2 * HZ)
    seen = machine.pin_edges()
    for pin in (2, 3):
        edges = [cycle / HZ for cycle, which, *_ in seen if which == chip[pin]]
        assert len(edges) > 30 and edges[-1] > 1.9


TIMED = """
#include <EEPROM.h>
void setup() {
  pinMode(2, OUTPUT);
  EEPROM.write(0, 0);
  for (int n = 1; n < 5; n++) {
    digitalWrite(2, HIGH);
    EEPROM.write(0, n);
    digitalWrite(2, LOW);
  }
  digitalWrite(2, HIGH);
  EEPROM.update(0, 4);
  digitalWrite(2, LOW);
}
void loop() { delay(1000); }
"""


def test_a_byte_takes_what_its_header_says(write: Callable) -> None:
    machine = loaded(write, TIMED)
    machine.log_pin(world.empty(boards.load("pico")).chip[2])
    machine.run(HZ)
    at = [cycle * 1e6 / HZ for cycle, *_ in machine.pin_edges()][-10:]
    took = [fall - rise for rise, fall in zip(at[::2], at[1::2], strict=True)]
    assert all(50 < us < 60 for us in took[:4]), took
    assert took[4] < 2


BESIDE = """
#include <Takt.h>
#include <EEPROM.h>
void setup() {
  pinMode(2, OUTPUT);
  pinMode(3, OUTPUT);
  for (int n = 0; n < 3009; n++) EEPROM.write(0, n);
}
void loop(1, 20_ms, 100_ms) {
  delay(20);
  digitalWrite(2, HIGH);
  EEPROM.write(1, 1);
  digitalWrite(2, LOW);
  for (;;) delay(1000);
}
void loop(2, 1_ms, 200_ms) { static bool s; s = !s; digitalWrite(3, s); }
"""


def test_another_half_takes_as_much_of_the_budget_as_its_header_says(write: Callable) -> None:
    """A greedy loop below stands still for no longer."""
    machine = loaded(write, BESIDE)
    chip = world.empty(boards.load("pico")).chip
    for pin in (2, 3):
        machine.log_pin(chip[pin])
    machine.run(2 * HZ)
    seen = [(cycle * 1e6 / HZ, pin) for cycle, pin, *_ in machine.pin_edges()]
    begun, ended = [at for at, pin in seen if pin == chip[2]][-2:]
    own = [at for at, pin in seen if pin == chip[3]]
    unit = own[1001] - own[1000]
    gaps = [b - a for a, b in pairwise(own) if begun < b < ended and b - a > 3 * unit]
    assert 190_000 < ended - begun < 200_000
    assert 4_000 < sum(gaps) < 6_500 and max(gaps) < 300


REFUSED = """
#include <Takt.h>
#include <EEPROM.h>
takt::Mutex mutex{500_ms};
void setup() {
  Serial.begin(115200);
  mutex.lock();
  EEPROM.write(0, 1);
  mutex.unlock();
  Serial.println(EEPROM.commit());
  noInterrupts();
  EEPROM.write(0, 2);
  interrupts();
  Serial.println(EEPROM.commit());
  Serial.println(EEPROM.commit());
  Serial.println(EEPROM[0]);
}
void loop() { delay(1000); }
"""


def test_with_interrupts_off_nothing_is_written(write: Callable) -> None:
    assert said(loaded(write, REFUSED)) == ["1", "0", "1", "1"]


def test_not_while_the_program_is_in_flash(write: Callable) -> None:
    with pytest.raises(UserError, match="need the flash, from which no code can run") as refused:
        build(write("bytes", SETTINGS), boards.load("pico"), trace=False, flash=True)
    assert "--flash" in refused.value.fix
