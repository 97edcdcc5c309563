"""Arduino sketches on every board."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import pytest
from everywhere import BOARDS, PC
from takt import boards
from takt.build.build import build
from takt.cli import run
from takt.errors import UserError
from takt.machine.cortex import CortexMachine
from takt.machine.machines import machine_of
from takt.world import world

SHARES = """
#include <Takt.h>
volatile float x = 1, y = 1;
volatile uint32_t rounds[3];
void setup() {
  Serial.begin(115200);
  pinMode(LED_BUILTIN, OUTPUT);
  Serial.println("ready");
}
void loop(1, 20, 100) { x = x * 1.0001f + 0.5f; rounds[0]++; }
void loop(2, 30, 150) { y = y * 0.9999f + 0.5f; rounds[1]++; }
void loop(3, 5, 200) {
  digitalWrite(LED_BUILTIN, rounds[2]++ & 1);
  Serial.print("at ");
  Serial.println(millis());
  delay(100);
}
"""

ECHO = """
void setup() { Serial.begin(115200); Serial.setTimeout(50); }
void loop() {
  if (Serial.available()) {
    String said = Serial.readString();
    said.setCharAt(0, toupper(said[0]));
    Serial.print("<" + said + ">");
  }
  delay(5);
}
"""

HERE = Path(__file__).parent


def sketch(folder: Path, source: str) -> Path:
    where = folder / "program"
    where.mkdir()
    (where / "program.ino").write_text(source)
    return where


def go(board: str, folder: Path, seconds: float, out: Path) -> dict[str, Any]:
    data = boards.load(board)
    built = build(folder, data, out=out / "build")
    return run.run(built, world.load(folder, data), seconds).as_dict()


@pytest.mark.parametrize("board", (*BOARDS, "atmega324p"))
def test_loops_get_their_budgets(board: str, tmp_path: Path) -> None:
    seconds = 0.5 if board == PC else 2.0  # one that computes is slow to emulate
    result = go(board, sketch(tmp_path, SHARES), seconds, tmp_path)
    assert result["serial"].startswith("ready\r\n")
    times = [int(ms) for ms in re.findall(r"at (\d+)\r\n", result["serial"])]
    assert len(times) >= (4 if board == PC else 18) and times == sorted(times)
    assert all(99 <= b - a <= 300 for a, b in itertools.pairwise(times)), times
    for thread in result["threads"]:
        assert thread["misses"] == 0 and thread["starved"] == 0
        assert thread["response_max_us"] <= thread["bound_us"]
        assert thread["stack_used"] <= thread["stack_size"]
    for greedy in result["threads"][:2]:
        assert greedy["cpu_us_min"] >= greedy["budget_us"]
    assert result["warnings"] == []


@pytest.mark.parametrize("board", (*BOARDS, "atmega324p"))
def test_serial_input(board: str, tmp_path: Path) -> None:
    data = boards.load(board)
    built = build(sketch(tmp_path, ECHO), data, out=tmp_path / "build")

    def life() -> list[tuple[int, int]]:
        machine = machine_of(data)
        machine.load_elf(built.elf)
        machine.uart_send(0, b"hello, board", 20 * data.clock_hz // 1000)
        machine.run(data.clock_hz // 4)
        sent = machine.uart_take(0)
        return sent

    sent = life()
    assert bytes(byte for _, byte in sent) == b"<Hello, board>"
    assert life() == sent


MISSING = {
    "analog inputs": "void setup() {} void loop() { delay(analogRead(A0)); }",
    "PWM": "void setup() {} void loop() { analogWrite(3, 100); delay(1); }",
    "interrupts of pins": """
        void tell() {}
        void setup() { attachInterrupt(2, tell, RISING); }
        void loop() { delay(1); }""",
    "I2C": """
        #include <Wire.h>
        void setup() { Wire.begin(); }
        void loop() { delay(1); }""",
    "a second serial port": "void setup() { Serial1.begin(9600); } void loop() { delay(1); }",
}

WITH_SIM = "use one that has: atmega324p, galileo, pico, sim, stm32f051, stm32f051-4k, uno"
WITH_PC = WITH_SIM.replace("pico", "pc, pico")
FIXES = {
    "analog inputs": WITH_SIM,
    "PWM": WITH_SIM,
    "interrupts of pins": WITH_PC,
    "I2C": "use one that has: atmega324p, galileo, pico, stm32f051, stm32f051-4k, uno",
    "a second serial port": "see: takt boards",
}


@pytest.mark.parametrize("what", MISSING)
def test_a_driver_that_is_missing_is_named(what: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as raised:
        build(sketch(tmp_path, MISSING[what]), boards.load("microbit"), out=tmp_path / "build")
    assert f"this board has no driver for {what}" in raised.value.what
    assert raised.value.fix == FIXES[what]


def test_qemu_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, linked) -> None:
    elf = linked("pico", [HERE / "basics.c"])
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UserError) as raised:
        CortexMachine(boards.load("microbit")).load_elf(elf)
    assert "apt-get install qemu-system-arm" in str(raised.value.fix)
