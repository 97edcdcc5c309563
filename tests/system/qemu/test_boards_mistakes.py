"""Mistakes end in a named fatal line, with an MPU and without, linked by hand and as flashed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from everywhere import ARMV6M, ARMV7M, AVR, BOARDS, PC, SIM
from programs import HOW, Run

OVERFLOW = "\r\ntakt: fatal: stack overflow (in careless)\r\n"
SEEN_BY_KERNEL = ("DEEP_CALLS", "BIG_FRAME", "FRAME_OF_INTERRUPT")

EINVAL, EOWNER = -4, -6
NULLS = [f"NULL_{what}" for what in ("SEM", "SIGNAL", "WAIT_FOR", "TRY", "SIGNAL_ISR")]
NULLS += ["NULL_MUTEX", "NULL_UNLOCK"]
# What is written at address 0 goes unnoticed there: the kernel looks for null.
LOOKED_FOR = ("pico", "microbit", SIM, *AVR)
NULL_POINTER = "\r\ntakt: fatal: null pointer (in careless)\r\n"


GUARDED = (*ARMV7M, PC)  # stacks, and address 0
HAVE_MPU = (*ARMV7M, "pico")  # whose fault handler is not told the address

SOURCE = Path(__file__).with_name("mistakes.c").read_text()
CASES = re.findall(r"^    ([A-Z_]+),", SOURCE, re.MULTILINE)


@pytest.fixture(params=HOW)
def mistake(start, request: pytest.FixtureRequest) -> Callable[..., Run]:
    """mistake(board, case) -> the program that makes it."""

    def begin(board: str, case: str, **values: int) -> Run:
        return start(board, "mistakes.c", how=request.param, chosen=CASES.index(case), **values)

    return begin


def line_of(text: str) -> str:
    """Without the registers, which a PC tells first."""
    at = text.find("\r\ntakt: fatal:")
    registers = text[:at]
    assert at <= 0 or (registers.startswith("\r\ntakt: exception ") and " rip=0" in registers)
    return text[max(at, 0) :]


def said(mistake, board: str, case: str, **values: int) -> str:
    run = mistake(board, case, **values)
    run.until_done(200)
    assert run.value("takt_fatal_record") != 0, run.text
    return line_of(run.text)


@pytest.mark.parametrize("board", [b for b in (*BOARDS, "atmega324p") if b != PC])
@pytest.mark.parametrize("case", SEEN_BY_KERNEL)
def test_overflow_is_seen_by_the_kernel(mistake, board: str, case: str) -> None:
    if (board, case) == (SIM, "FRAME_OF_INTERRUPT"):
        pytest.skip("an interrupt pushes nothing there")
    assert said(mistake, board, case, mpu_off=board in HAVE_MPU) == OVERFLOW


@pytest.mark.parametrize("board", (*HAVE_MPU, PC))
@pytest.mark.parametrize("case", (*SEEN_BY_KERNEL, "ENDLESS_CALLS", "HUGE_FRAME"))
def test_overflow_is_seen_by_the_guard(mistake, board: str, case: str) -> None:
    assert said(mistake, board, case) == OVERFLOW


@pytest.mark.parametrize("board", (*BOARDS, "atmega324p"))
def test_faults_are_named(mistake, board: str) -> None:
    if board not in AVR:  # which has no fault
        assert "takt: fatal: hard fault at 0x" in said(mistake, board, "UNDEFINED")
    if board != SIM:  # which has no vectors
        text = said(mistake, board, "NO_HANDLER")
        assert text.startswith("\r\ntakt: fatal: no handler for exception ")
        number = {"uno": 14, "atmega324p": 16, PC: 200}.get(board, 41)
        assert text.endswith(f"{number} (in careless)\r\n")
    assert "main() returned" in said(mistake, board, "MAIN_RETURNS")


@pytest.mark.parametrize("board", (*BOARDS, "atmega324p"))
def test_a_thread_that_ends_with_a_mutex(mistake, board: str) -> None:
    """Nobody else would ever run."""
    text = said(mistake, board, "ENDS_LOCKED")
    assert text == "\r\ntakt: fatal: returned with a mutex locked (in careless)\r\n"


def ended(mistake, board: str, case: str) -> tuple[str, int]:
    """What the program said last and what the kernel answered."""
    run = mistake(board, case)
    run.until_done(50)
    answer = run.value("answer")
    return line_of(run.text), answer - (1 << 32) if answer >> 31 else answer


@pytest.mark.parametrize("board", (*BOARDS, "atmega324p"))
@pytest.mark.parametrize("case", NULLS)
def test_a_null_pointer(mistake, board: str, case: str) -> None:
    """Named where the chip notices, else refused."""
    text, answer = ended(mistake, board, case)
    if case == "NULL_UNLOCK":  # is not what is held
        assert (text, answer) == ("", EOWNER)
    elif board in GUARDED:
        assert text == NULL_POINTER
    elif board in LOOKED_FOR:
        assert (text, answer) == ("", EINVAL)
    elif case == "NULL_MUTEX":  # what is in flash there is locked
        assert (text, answer) == ("", EOWNER)
    else:
        assert text.startswith("\r\ntakt: fatal: hard fault at 0x")


@pytest.mark.parametrize("board", (*GUARDED, SIM))
def test_reading_at_a_null_pointer(mistake, board: str) -> None:
    assert said(mistake, board, "NULL_READ") == NULL_POINTER


def test_reading_at_a_null_pointer_of_a_pico(mistake) -> None:
    assert said(mistake, "pico", "NULL_READ").startswith("\r\ntakt: fatal: hard fault at 0x")


@pytest.mark.parametrize("board", (*BOARDS, "atmega324p"))
@pytest.mark.parametrize("case", ["UNALIGNED_SEM", "UNALIGNED_SIGNAL", "UNALIGNED_MUTEX"])
def test_an_unaligned_object(mistake, board: str, case: str) -> None:
    """ARMv6-M refuses to read it; to others it is as good as any."""
    text, answer = ended(mistake, board, case)
    if board in ARMV6M:
        assert text.startswith("\r\ntakt: fatal: hard fault at 0x")
    else:
        assert answer == 0 and text == ""
