"""Tasks beside threads on every port and emulator."""

from __future__ import annotations

import pytest
from everywhere import BOARDS

HOSTS = ("-DHOST=TAKT_TASKS", "-DHOST=TAKT_TASKS_IN_TURN -DIN_TURN", "-DBUDGET")
REGISTERS = "../kernel/preempt/registers.S"


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("board", (*BOARDS, "atmega324p"))
def test_tasks_beside_threads_that_sleep(start, board: str, host: str) -> None:
    start(board, "tasks.c", *host.split()).passed()


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("board", (*BOARDS, "atmega324p"))
def test_triggers_from_interrupts_and_threads(start, board: str, host: str) -> None:
    start(board, "task_triggers.c", REGISTERS, *host.split()).passed(3000)


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("host", ("-DHOST=TAKT_TASKS", "-DBUDGET"))
def test_a_trigger_during_a_section_is_served_after_it(start, board: str, host: str) -> None:
    start(board, "task_mutex.c", host).passed()
