"""Periodic jobs on every port and emulator."""

from __future__ import annotations

import pytest
from everywhere import AVR, BOARDS


@pytest.mark.parametrize("board", (*BOARDS, *AVR))
def test_periodic_jobs(start, board: str) -> None:
    start(board, "periodic.c").passed()
