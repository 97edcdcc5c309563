"""A sketch that sends by PIO, by the names of the pico's SDK: what arrives on the wire."""

from __future__ import annotations

from pathlib import Path

import pytest
from ledstrip import HZ, decoded, sketch, wire_of
from takt import boards
from takt.errors import UserError
from takt.machine.machines import machine_of

PIN = 6
FRAMES = [b"\x00\xff\xa5\x01\x80\x7e", b"\x12\x34\x56\x78\x9a\xbc"]

SKETCH = """
#include <hardware/clocks.h>
#include <hardware/pio.h>

const uint16_t code[] = {  // 20 MHz: 25 cycles a bit
  0x6021,  // out x, 1          low
  0xe701,  // set pins, 1 [7]   high
  0xa701,  // mov pins, x [7]   the bit
  0xe700,  // set pins, 0 [7]   low
};
const pio_program_t program = {code, 4, -1, 0};
const uint8_t frames[2][6] = {{FRAME0}, {FRAME1}};
PIO block;
uint machine, offset;

void start(uint pin) {
  if (!pio_claim_free_sm_and_add_program(&program, &block, &machine, &offset)) panic("no room");
  pio_gpio_init(block, pin);
  pio_sm_set_consecutive_pindirs(block, machine, pin, 1, true);
  pio_sm_config c = pio_get_default_sm_config();
  sm_config_set_wrap(&c, offset, offset + 3);
  sm_config_set_out_pins(&c, pin, 1);
  sm_config_set_set_pins(&c, pin, 1);
  sm_config_set_out_shift(&c, false, true, 8);
  sm_config_set_fifo_join(&c, PIO_FIFO_JOIN_TX);
  sm_config_set_clkdiv(&c, clock_get_hz(clk_sys) / 20e6f);
  pio_sm_init(block, machine, offset, &c);
  pio_sm_set_enabled(block, machine, true);
}

void setup() { start(PIN); }

void loop() {
  static int n;
  if (n == 2) return;
  for (uint8_t byte : frames[n]) pio_sm_put_blocking(block, machine, (uint32_t)byte << 24);
  n++;
  delay(2);
}
"""


def text_of(frames: list[bytes]) -> str:
    text = SKETCH.replace("PIN", str(PIN))
    for n, frame in enumerate(frames):
        text = text.replace(f"FRAME{n}", ", ".join(map(str, frame)))
    return text


def test_a_strip_of_leds_gets_its_bytes(tmp_path: Path) -> None:
    edges, machine = wire_of(sketch(tmp_path / "strip", text_of(FRAMES)), PIN)
    assert decoded(edges) == FRAMES
    assert machine.unimplemented() == []


def test_machines_and_memory_are_given_once(tmp_path: Path) -> None:
    text = """
#include <hardware/pio.h>
const uint16_t words[] = {0x0001, 0xa042, 0x0000};  // jmp 1; nop; jmp 0
const pio_program_t three = {words, 3, -1, 0}, low = {words, 3, 0, 0};
void setup() {
  Serial.begin(115200);
  int first = pio_add_program(pio0, &three), second = pio_add_program(pio0, &three);
  Serial.print(first); Serial.print(' '); Serial.print(second);
  Serial.print(' '); Serial.print(pio_add_program(pio0, &low));
  Serial.print(' '); Serial.print(pio_add_program(pio0, &low));
  pio_remove_program(pio0, &three, first);
  Serial.print(' '); Serial.print(pio_add_program(pio0, &three));
  for (int n = 0; n < 5; n++) { Serial.print(' '); Serial.print(pio_claim_unused_sm(pio1, false)); }
  pio_sm_unclaim(pio1, 2);
  Serial.print(' '); Serial.print(pio_claim_unused_sm(pio1, true));
  pio_sm_init(pio0, 3, first, NULL);  // runs as it was moved: first, first + 1, first + 2
  Serial.print(' '); Serial.print(pio_sm_get_pc(pio0, 3));
  pio_sm_set_enabled(pio0, 3, true);
  for (int n = 0; n < 9; n++) if (pio_sm_get_pc(pio0, 3) < first) Serial.print(" lost");
  Serial.println();
  pio_claim_unused_sm(pio1, true);
}
void loop() {}
"""
    built = sketch(tmp_path / "claims", text)
    machine = machine_of(boards.load("pico"))
    machine.load_elf(built.elf)
    machine.run(HZ // 10)
    said = bytes(byte for _, byte in machine.uart_take(0)).decode()
    lines = said.splitlines()
    assert lines[0] == "29 26 0 -9 29 0 1 2 3 -1 2 29"
    assert "PIO: no state machine is left" in said


def test_what_is_not_offered_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError) as refused:
        sketch(tmp_path / "i2c", "#include <hardware/i2c.h>\nvoid setup() {}\nvoid loop() {}\n")
    assert "hardware/i2c.h" in str(refused.value) and "pico.md" in str(refused.value)
