"""What passes from unlocking a mutex until the thread that it has held up goes on, by the cycle."""

from __future__ import annotations

import pytest
from everywhere import AVR, OURS

ROUNDS = 20
MOST = {"pico": 1088, "stm32f051": 1309, "uno": 2077}  # cycles, as measured


@pytest.mark.parametrize("board", [*OURS, AVR[0]])
def test_a_held_up_thread_goes_on_when_the_mutex_is_unlocked(start, board: str) -> None:
    run = start(board, "held_up.c")
    machine, found = run.machine, []
    names = ("takt_mutex_unlock", "goes_on")
    unlocks, goes_on = (machine.symbol(name) & ~1 for name in names)  # Thumb's bit
    machine.run(int(0.01 * run.board.clock_hz))
    machine.break_at(unlocks)
    machine.break_at(goes_on)
    unlocked = None
    for _ in range(2 * ROUNDS):
        stop = machine.run(machine.now + run.board.clock_hz)
        assert stop.reason == "break"
        if stop.detail == unlocks:
            unlocked = machine.now
        elif unlocked is not None:
            found.append(machine.now - unlocked)
    print(sorted(found))
    assert len(found) >= ROUNDS - 1 and max(found) <= MOST[board]
