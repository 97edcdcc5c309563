"""Mistakes end in a named fatal line, with an MPU and without."""

from __future__ import annotations

import pytest
from everywhere import ARMV7M, BOARDS

OVERFLOW = "\r\ntakt: fatal: stack overflow (in careless)\r\n"
SEEN_BY_KERNEL = ("DEEP_CALLS", "BIG_FRAME", "FRAME_OF_INTERRUPT")


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


@pytest.mark.parametrize("board", ARMV7M)
@pytest.mark.parametrize("case", ["NULL_SEM", "NULL_MUTEX", "NULL_READ"])
def test_a_null_pointer_is_named(start, board: str, case: str) -> None:
    run = start(board, "mistakes.c", f"-DCASE={case}")
    reason = run.until_done(50)
    if reason == "time":  # the kernel has answered by itself
        assert run.value("answer") - (1 << 32) in range(-20, 0)
    else:
        assert run.text == "\r\ntakt: fatal: null pointer (in careless)\r\n"
