"""What is taken for granted of the compiler's functions that have loops holds on boards."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from programs import Run, link
from takt.code.library_cycles import AVR, THUMB

SOURCE = Path(__file__).parent / "library.c"
ROUNDS = 16
THUMB_NAMES = {  # of what is measured, as Thumb programs call it
    "udivsi3": "__udivsi3",
    "divsi3": "__divsi3",
    "uidivmod": "__aeabi_uidivmod",
    "idivmod": "__aeabi_idivmod",
    "uldivmod": "__aeabi_uldivmod",
    "ldivmod": "__aeabi_ldivmod",
    "divsf3": "__aeabi_fdiv",
    "divdf3": "__aeabi_ddiv",
}
AVR_NAMES = {"ldivmod": "__divdi3", "divdf3": "__divsf3"}


@pytest.mark.parametrize("board", ["pico", "stm32f051", "uno"])
def test_no_operands_take_longer(board: str, tmp_path: Path) -> None:
    run = Run(board, link(board, [SOURCE], tmp_path / "library"))
    run.passed(120_000)
    avr = board == "uno"
    measured = {}
    for kind in re.findall(r"X\((\w+),", SOURCE.read_text()):
        name = AVR_NAMES.get(kind, f"__{kind}") if avr else THUMB_NAMES.get(kind)
        us = run.value(f"{kind}_us") / ROUNDS  # the loop around it included
        if name in (AVR if avr else THUMB):
            measured[name] = us * run.board.clock_hz / 1e6
    assert len(measured) >= (8 if avr else len(THUMB_NAMES))
    for name, cycles in measured.items():
        known = (AVR if avr else THUMB)[name]
        assert cycles <= known, name
        assert cycles > known / 4, f"{name}: {cycles:.0f}, the call has been left out"
