"""The alarm is never missed; fatal errors are told on the console."""

from __future__ import annotations

import struct

import pytest
from everywhere import BOARDS, OURS, PC

HELD = "said before, and more of it than fits the hardware's FIFO\r\n"
FATAL = "\r\ntakt: fatal: "
STACK, FAULT, CONTEXT = 1, 2, 4
LATEST_US = {"pico": 25, "sim": 25, "stm32f051": 55}  # others: 250


@pytest.mark.parametrize("board", [b for b in BOARDS if b != PC])
def test_short_sleeps_are_neither_early_nor_missed(bench) -> None:
    b = bench("alarm")
    assert b.run(2_000_000) == "time"
    assert b.values("count") == [1600]
    assert b.values("early") == [0]
    assert b.values("latest")[0] <= LATEST_US.get(b.board, 250)
    assert b.values("past") == [1]


def test_main_that_returns(bench) -> None:
    b = bench("fatal", CASE="MAIN_RETURNS")
    assert b.run(500_000) == "halt"
    assert b.text == f"{FATAL}main() returned without takt_start()\r\n"


NAMED = {
    "NO_HANDLER": (FAULT, f"{HELD}{FATAL}no handler for exception 25 (in careless)\r\n"),
    "MALLOC_IN_ISR": (CONTEXT, f"{HELD}{FATAL}malloc or free in an interrupt (in careless)\r\n"),
    "STACK_OVERFLOW": (STACK, f"{HELD}{FATAL}stack overflow (in careless)\r\n"),
    "BAD_ADDRESS": (FAULT, f"{FATAL}hard fault at 0x"),
}


@pytest.mark.parametrize("board", OURS)
@pytest.mark.parametrize("case", NAMED)
def test_mistakes_are_named(bench, case: str) -> None:
    code, said = NAMED[case]
    b = bench("fatal", CASE=case)
    assert b.run(500_000) in ("halt", "fault")
    assert b.text.startswith(said)
    assert b.text.endswith("(in careless)\r\n")
    record = b.machine.read(b.machine.symbol("takt_fatal_record"), 4)
    assert struct.unpack("<I", record) == (code,)
