"""EEPROM: what it writes <avr/eeprom.h> reads, and the other way round; what the memory takes is
the data sheet's time, by pins; loops share it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from takt import boards
from takt.build.build import build
from takt.machine.machine import Machine
from takt.machine.machines import machine_of
from takt.world import world

HZ = 16_000_000
BYTE_US, ERASED_US = 3400, 1800  # ATmega328P data sheet, EEPM


def loaded(write: Callable, text: str) -> Machine:
    target = boards.load("uno")
    machine = machine_of(target)
    machine.load_elf(build(write("bytes", text), target, trace=False).elf)
    return machine


def said(machine: Machine) -> list[str]:
    machine.run(HZ)
    return bytes(byte for _, byte in machine.uart_take(0)).decode().split()


BOTH_WAYS = """
#include <EEPROM.h>
#include <avr/eeprom.h>
struct Settings { long gain; float offset; char name[5]; };
void setup() {
  Serial.begin(115200);
  Serial.println(EEPROM.read(1023));
  Settings settings = {-70000, 1.5f, "rove"};
  EEPROM.put(100, settings);
  Settings read;
  eeprom_read_block(&read, (const void *)100, sizeof read);
  Serial.println(read.gain == -70000 && read.offset == 1.5f && !strcmp(read.name, "rove"));
  eeprom_write_dword((uint32_t *)200, 0x12345678);
  uint32_t word;
  Serial.println(EEPROM.get(200, word), HEX);
  eeprom_update_float((float *)204, 2.5f);
  eeprom_update_word((uint16_t *)208, 0xABCD);
  Serial.println(eeprom_read_float((float *)204) == 2.5f && EEPROM.read(209) == 0xAB);
  EEPROM[7] = 200;
  EEPROM[7] += 100;
  int before = EEPROM[7]++;
  EEPROM[8] = EEPROM[7];
  Serial.println(before);
  Serial.println(eeprom_read_byte((uint8_t *)8));
  unsigned long sum = 0;
  for (EEPtr at = EEPROM.begin(); at != EEPROM.end(); at++) sum += *at == 255;
  Serial.println(sum);
  Serial.println(EEPROM.length());
  EEPROM.write(1024 + 3, 9);
  Serial.println(eeprom_read_byte((uint8_t *)3));
}
void loop() { delay(1000); }
"""


def test_what_one_writes_the_other_reads(write: Callable) -> None:
    settings, word, real, half, others = 13, 4, 4, 2, 2
    erased = 1024 - settings - word - real - half - others
    same = sum(byte == 255 for byte in (-70000).to_bytes(4, "little", signed=True))
    assert said(loaded(write, BOTH_WAYS)) == [
        "255", "1", "12345678", "1", "44", "45", str(erased + same), "1024", "9",
    ]  # fmt: skip


DATA, EECR, EEAR, SREG = 0x80_0000, 0x3F, 0x41, 0x5F
EEPE, INTERRUPTS = 2, 0x80
BESIDE = """
#include <EEPROM.h>
#include <avr/eeprom.h>
volatile uint8_t value;
void setup() {
  value = EEPROM.read(9);
  eeprom_write_byte((uint8_t *)0x155, 7);
  value = eeprom_read_byte((uint8_t *)0x155);
}
void loop(1, 2_ms, 20_ms) {}
void loop(2, 2_ms, 20_ms) {}
"""


def test_no_loop_comes_between_an_address_and_its_use(write: Callable) -> None:
    """Seen with interrupts on, the address is as it was, or the write is under way."""
    machine = loaded(write, BESIDE)
    machine.break_at(machine.symbol("eeprom_write_byte"))
    assert machine.run(HZ).reason == "break"
    seen = set()
    while not machine.read(DATA + EECR, 1)[0] & EEPE:
        if machine.read(DATA + SREG, 1)[0] & INTERRUPTS:
            seen.add(int.from_bytes(machine.read(DATA + EEAR, 2), "little"))
        machine.step()
    assert seen == {9}


TIMED = """
#include <EEPROM.h>
void setup() {
  pinMode(8, OUTPUT);
  EEPROM.write(0, 1);
  digitalWrite(8, HIGH);
  while (EECR & _BV(EEPE)) {}
  digitalWrite(8, LOW);
  EECR = _BV(EEPM0);
  cli();
  EECR |= _BV(EEMPE);
  EECR |= _BV(EEPE);
  digitalWrite(8, HIGH);
  EEAR = 5;
  sei();
  while (EECR & _BV(EEPE)) {}
  digitalWrite(8, LOW);
  EECR |= _BV(EEPE);
  Serial.begin(115200);
  Serial.println(EEAR);
  Serial.println(EEPROM.read(0));
  EEPROM.update(0, 255);
  unsigned long begun = micros();
  EEPROM.update(0, 255);
  Serial.println(micros() - begun < 100);
}
void loop() { delay(1000); }
"""


def test_a_byte_takes_the_data_sheets_time(write: Callable) -> None:
    machine = loaded(write, TIMED)
    machine.log_pin(world.empty(boards.load("uno")).chip[8])
    assert said(machine) == ["0", "255", "1"]
    at = [cycle * 1e6 / HZ for cycle, *_ in machine.pin_edges()]
    assert at[1] - at[0] == pytest.approx(BYTE_US, abs=3)
    assert at[3] - at[2] == pytest.approx(ERASED_US, abs=3)


SHARED = """
#include <EEPROM.h>
volatile unsigned long spins;
void fill(int from) { for (int n = 0; n < 40; n++) EEPROM.write(from + 2 * n, from + 2 * n); }
void setup() { Serial.begin(115200); }
void loop(1, 2_ms, 20_ms) { fill(0); for (;;) delay(100); }
void loop(2, 2_ms, 20_ms) { fill(1); for (;;) delay(100); }
void loop(3, 6_ms, 20_ms) { spins++; }
void loop(4, 2_ms, 20_ms) {
  delay(900);
  int right = 0;
  for (int n = 0; n < 80; n++) right += EEPROM.read(n) == n;
  Serial.println(right);
  Serial.println(EEPROM.read(80));
}
"""


def test_loops_share_it_without_locks(write: Callable) -> None:
    assert said(loaded(write, SHARED))[:2] == ["80", "255"]
