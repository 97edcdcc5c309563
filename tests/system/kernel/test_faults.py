"""A hard fault is named by the very image that is flashed, however small its stacks are."""

from __future__ import annotations

from pathlib import Path

import pytest
from everywhere import BOARDS, PC
from takt import boards
from takt.build.build import build
from takt.machine.machines import machine_of

SMALLEST = """
#include <takt/thread.h>
TAKT_TELLS_FATAL;
static void careless(void *arg)
{
    for (;;)
        WHAT;
}
TAKT_THREAD(careless, 1, careless, 0, 800)
int main(void) { takt_start(); }
"""
SKETCH = "void setup() {} void loop() { delay(5); WHAT; }"
WILD = "*(volatile int *)0x90000000 = 1"
UNDEFINED = "__builtin_trap()"


QUIET = ("lm3s6965evb", PC)  # in QEMU nothing happens there


@pytest.mark.parametrize("what", [WILD, UNDEFINED])
@pytest.mark.parametrize("name", ["careless.c", "careless.ino"])
@pytest.mark.parametrize("board", [*(b for b in BOARDS if b != "uno"), "stm32f051-4k"])
def test_hard_faults_are_named(board: str, name: str, what: str, tmp_path: Path) -> None:
    if board in QUIET and what == WILD:
        pytest.skip("a write to nowhere is no fault in QEMU's model")
    folder = tmp_path / "careless"
    folder.mkdir()
    source = SMALLEST if name.endswith(".c") else SKETCH
    (folder / name).write_text(source.replace("WHAT", what))
    data = boards.load(board)
    built = build(folder, data, trace=False, out=tmp_path / "out")
    machine = machine_of(data)
    machine.load_elf(built.elf)
    stop = machine.run(data.clock_hz // 10)
    said = bytes(byte for _, byte in machine.uart_take(0)).decode()
    assert stop.reason == "halt"
    assert "takt: fatal: " in said and "fault at 0x" in said
    assert said.endswith(" (in careless)\r\n" if name.endswith(".c") else " (in loop)\r\n")
