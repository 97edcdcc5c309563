"""A handler, or the dispatcher, that needs more of the interrupts' stack than there is."""

from __future__ import annotations

import pytest
from everywhere import ARMV7M, BOARDS, OURS, PC, QEMU, SIM
from takt import boards
from takt.build.build import build
from takt.cli import run
from takt.errors import UserError
from takt.world import world

OVERFLOW = "stack overflow (of the interrupts)"
TOLD = f"\r\ntakt: fatal: {OVERFLOW}\r\n"
SKETCH = """
#include <Takt.h>
unsigned most = 5000;
volatile unsigned handled;
void deep() {
  volatile char room[most / 2];
  for (unsigned i = 0; i < sizeof room; i++) room[i] = 0x55;
  handled += room[0];
}
void setup() {
  pinMode(8, OUTPUT);
  attachInterruptIsr(8, deep, RISING);
}
void loop(1, 20, 100) { digitalWrite(8, LOW); digitalWrite(8, HIGH); delay(50); }
"""


@pytest.mark.parametrize("board", [board for board in BOARDS if board != "uno"])
def test_what_fits_is_no_overflow(start, board: str) -> None:
    run = start(board, "deep_handler.c", "-DDEPTH=2")
    assert run.until_done(20) == "time"
    assert run.value("handled") == 1 and run.text == ""


@pytest.mark.parametrize("board", [*OURS, *QEMU])
@pytest.mark.parametrize("depth", [60, 300])
def test_a_deep_handler_is_named(start, board: str, depth: int) -> None:
    """By a guard; else RAM has ended."""
    run = start(board, "deep_handler.c", f"-DDEPTH={depth}")
    assert run.until_done(20) == "halt"
    assert run.text == TOLD


def test_a_deep_handler_of_a_pc_meets_the_guard(start) -> None:
    run = start(PC, "deep_handler.c", "-DDEPTH=300")
    assert run.until_done(20) == "halt"
    assert run.text.startswith("\r\ntakt: exception 000000000000000e ")
    assert run.text.endswith(TOLD)


@pytest.mark.parametrize("board", [board for board in BOARDS if board not in (SIM, PC)])
def test_a_deep_dispatcher_is_named(start, board: str) -> None:
    """Before anybody else runs."""
    run = start(board, "spoilt_stack.c")
    assert run.until_done(20) == "halt"
    assert (run.text, run.value("rounds")) == (TOLD, 2)


@pytest.mark.parametrize("board", ARMV7M)
@pytest.mark.parametrize("depth", range(16, 24))
def test_a_deep_handler_meets_the_guard(start, board: str, depth: int) -> None:
    """Or nothing happens at all: no depth gets past it."""
    run = start(board, "deep_handler.c", f"-DDEPTH={depth}")
    reason = run.until_done(20)
    assert run.text == (TOLD if reason == "halt" else "")
    assert (reason, run.value("handled")) in (("halt", 0), ("time", 1))
    assert run.room_left()


@pytest.mark.parametrize("name", OURS)
def test_a_sketch_that_is_traced(tmp_path, name: str) -> None:
    """stm32f051: the trace's ring is below the stack and must not just take it."""
    folder, board = tmp_path / "deep", boards.load(name)
    folder.mkdir()
    (folder / "deep.ino").write_text(SKETCH.replace("5000", "1800" if name != "pico" else "12000"))
    built = build(folder, board)
    assert any("stack of the interrupts is a guess" in warning for warning in built.warnings)
    with pytest.raises(UserError) as raised:
        run.run(built, world.load(folder, board), 0.2)
    assert OVERFLOW in str(raised.value)
