"""Mistakes end in a named fatal line, with an MPU and without."""

from __future__ import annotations

import pytest
from everywhere import ARMV6M, ARMV7M, BOARDS

OVERFLOW = "\r\ntakt: fatal: stack overflow (in careless)\r\n"
SEEN_BY_KERNEL = ("DEEP_CALLS", "BIG_FRAME", "FRAME_OF_INTERRUPT")

EINVAL = -4
# Address 0 is memory there, which takes no notice of what is written: the kernel looks for null.
LOOKED_FOR = {("pico", "NULL_SEM"), ("pico", "NULL_SIGNAL")}
NULL_POINTER = "\r\ntakt: fatal: null pointer (in careless)\r\n"


def said(start, board: str, case: str, *flags: str) -> str:
    run = start(board, "mistakes.c", f"-DCASE={case}", *flags)
    run.until_done(200)
    assert run.value("takt_fatal_record") != 0, run.text
    return run.text


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("case", SEEN_BY_KERNEL)
def test_overflow_is_seen_by_the_kernel(start, board: str, case: str) -> None:
    if board in ARMV7M:
        assert said(start, board, case, "-DNO_MPU") == OVERFLOW
    else:
        assert said(start, board, case) == OVERFLOW


@pytest.mark.parametrize("board", ARMV7M)
@pytest.mark.parametrize("case", (*SEEN_BY_KERNEL, "ENDLESS_CALLS", "HUGE_FRAME"))
def test_overflow_is_seen_by_the_mpu(start, board: str, case: str) -> None:
    assert said(start, board, case) == OVERFLOW


@pytest.mark.parametrize("board", BOARDS)
def test_faults_are_named(start, board: str) -> None:
    assert "takt: fatal: hard fault at 0x" in said(start, board, "UNDEFINED")
    text = said(start, board, "NO_HANDLER")
    assert text.startswith("\r\ntakt: fatal: no handler for exception ")
    assert text.endswith("41 (in careless)\r\n")
    assert "main() returned" in said(start, board, "MAIN_RETURNS")


def ended(start, board: str, case: str) -> tuple[str, int]:
    """What the program said last and what the kernel answered."""
    run = start(board, "mistakes.c", f"-DCASE={case}")
    run.until_done(50)
    answer = run.value("answer")
    return run.text, answer - (1 << 32) if answer >> 31 else answer


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("case", ["NULL_SEM", "NULL_SIGNAL", "NULL_MUTEX"])
def test_a_null_pointer(start, board: str, case: str) -> None:
    """Named where the chip notices; what the kernel can see by itself it refuses."""
    text, answer = ended(start, board, case)
    if board in ARMV7M:
        assert text == NULL_POINTER
    elif (board, case) in LOOKED_FOR:
        assert (text, answer) == ("", EINVAL)
    else:
        assert text.startswith("\r\ntakt: fatal: ") or answer in range(-20, 0)


@pytest.mark.parametrize("board", ARMV7M)
def test_reading_at_a_null_pointer(start, board: str) -> None:
    assert said(start, board, "NULL_READ") == NULL_POINTER


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("case", ["UNALIGNED_SEM", "UNALIGNED_SIGNAL", "UNALIGNED_MUTEX"])
def test_an_unaligned_object(start, board: str, case: str) -> None:
    """ARMv6-M refuses to read it; to ARMv7-M it is as good as any."""
    text, answer = ended(start, board, case)
    if board in ARMV6M:
        assert text.startswith("\r\ntakt: fatal: hard fault at 0x")
    else:
        assert answer == 0 and text == ""
