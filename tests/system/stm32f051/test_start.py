"""From reset to setup(): clocks, flash, images, pins."""

from __future__ import annotations

import re

from takt import boards
from takt.machine.machine import Machine
from takt.paths import ROOT

FLASH_ACR, RCC_CR, RCC_CFGR = 0x4002_2000, 0x4002_1000, 0x4002_1004
NOTHING = "void setup() {} void loop() { delay(1); }"
BLINK = """
void setup() { pinMode(LED_BUILTIN, OUTPUT); Serial.begin(115200); Serial.println("up"); }
void loop() { digitalWrite(LED_BUILTIN, 1); delay(50); digitalWrite(LED_BUILTIN, 0); delay(50); }
"""


def test_the_chip_runs_as_fast_as_the_board_says(make) -> None:
    ran = make(NOTHING).to(0.01)
    assert ran.machine.hz == ran.built.board.clock_hz == 48_000_000
    assert ran.machine.bus_read(FLASH_ACR) & 0x17 == 0x11, "one wait state and prefetch"
    assert ran.machine.bus_read(RCC_CR) >> 24 == 3, "PLL on and ready"
    assert ran.machine.bus_read(RCC_CFGR) & 0xF == 0xA


def test_the_clock_counts_microseconds(make) -> None:
    ran = make(
        "volatile unsigned long at; void setup() {} void loop() { at = micros(); delay(1); }"
    )
    ran.to(0.2)
    first = ran["at"]
    ran.to(0.7)
    assert abs(ran["at"] - first - 500_000) <= 1100


def test_images_boot_from_cold_and_again_after_a_reset(make) -> None:
    built = make(BLINK).built
    assert sorted(built.files) == ["bin", "elf", "hex"]
    machine = Machine("stm32f051", "m0")
    machine.load_bin(built.bin.read_bytes(), built.board.flash.origin)
    led = boards.load("stm32f051").raw["chip_pins"]["D13"]
    for _ in range(2):
        machine.reset()
        machine.log_pin(led)
        machine.run(machine.now + 48_000_000 // 4)
        levels = [level for _, _, level in machine.pin_edges()]  # the reset may end a light
        assert levels[levels.index(1) :][:3] == [1, 0, 1]
        assert bytes(byte for _, byte in machine.uart_take(0)) == b"up\r\n"
        assert machine.fault() is None


def test_pins_in_c_and_in_the_board_file_agree() -> None:
    board = boards.load("stm32f051")
    text = (ROOT / "board" / "stm32f051" / "pins.c").read_text()
    found = [
        (ord(port) - ord("A")) * 16 + int(bit)
        for port, bit in re.findall(r"STM32F0_PIN\('(\w)', (\d+)\)", text)
    ]
    wanted = {board.pins[name]: chip for name, chip in board.raw["chip_pins"].items()}
    assert dict(enumerate(found)) == wanted
    lines = [chip % 16 for chip in found[:14]]
    assert len(set(lines)) == 14, "each of D0 to D13 has an interrupt line of its own"


def test_pin_names_in_the_sketch_and_in_the_board_file_agree() -> None:
    board = boards.load("stm32f051")
    text = (ROOT / "board" / "stm32f051" / "pins_arduino.h").read_text()
    names = dict(re.findall(r"#define PIN_(\w+) +(\d+)", text))
    for ours, theirs in (
        *((f"A{n}", f"A{n}") for n in range(6)),
        *(("WIRE_SDA", "SDA"), ("WIRE_SCL", "SCL"), ("WIRE1_SDA", "SDA1"), ("WIRE1_SCL", "SCL1")),
        *(("SPI_MOSI", "MOSI"), ("SPI_MISO", "MISO"), ("SPI_SCK", "SCK"), ("SPI_SS", "SS")),
        ("LED", "LED_BUILTIN"),
    ):
        assert int(names[ours]) == board.pins[theirs], ours
