"""Periodic jobs on every port and emulator."""

from __future__ import annotations

import pytest
from everywhere import BOARDS


@pytest.mark.parametrize("board", (*BOARDS, "atmega324p"))
def test_periodic_jobs(start, board: str) -> None:
    start(board, "periodic.c").passed()
