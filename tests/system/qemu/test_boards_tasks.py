"""Tasks beside threads on every port and emulator."""

from __future__ import annotations

import pytest
from everywhere import BOARDS


@pytest.mark.parametrize("host", ["-DHOST=TAKT_TASKS", "-DHOST=TAKT_TASKS_IN_TURN", "-DBUDGET"])
@pytest.mark.parametrize("board", (*BOARDS, "atmega324p"))
def test_tasks_beside_threads_that_sleep(start, board: str, host: str) -> None:
    start(board, "tasks.c", host).passed()
