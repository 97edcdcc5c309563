"""How long interrupts are off while threads that wait for flags or a condition are all woken, by
the machine, against board.toml; and that the proof counts it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from programs import Run, longest_masked_ns
from takt import boards
from takt.admit.blocking import waking_ns
from takt.build.build import Build, build

SIZES = {"pico": (28, 256), "stm32f051": (10, 200), "uno": (7, 96)}  # threads, their stacks
BEGIN, END = 30, 120  # ms
SKETCH = """#include <Takt.h>
#include <takt/flags.h>
struct takt_flags flags = TAKT_FLAGS_INIT(0);
void setup() {}
void loop(1, 1, 10) { takt_flags_wait(&flags, 1, TAKT_FLAGS_ANY, NULL); }
void loop(2, 1, 20) { takt_flags_wait(&flags, 1, TAKT_FLAGS_ANY, NULL); }
void loop(3, 1, 30) { takt_flags_wait(&flags, 1, TAKT_FLAGS_ANY, NULL); }
void loop(4, 1, 40) { takt_flags_wait(&flags, 1, TAKT_FLAGS_ANY, NULL); }
void loop(5, 1, 50) { takt_flags_wait(&flags, 1, TAKT_FLAGS_ANY, NULL); }
void loop(6, 1, 60) { takt_flags_wait(&flags, 1, TAKT_FLAGS_ANY, NULL); }
void loop(7, 1, 70) { takt_flags_wait(&flags, 1, TAKT_FLAGS_ANY, NULL); }
void loop(8, 1, 80) { takt_flags_set(&flags, 1); delay(100); }
"""


@pytest.mark.parametrize("condition", [0, 1], ids=["flags", "condition"])
@pytest.mark.parametrize("board", SIZES)
def test_as_long_as_the_board_says(start: Callable[..., Run], board: str, condition: int) -> None:
    most, stack = SIZES[board]
    costs = boards.load(board).costs
    for waiting in {most, max(most // 2, 5)}:
        source = ("woken.c", f"-DTHREADS={most}", f"-DSTACK={stack}")
        run = start(board, *source, waiting=waiting, condition=condition)
        off = longest_masked_ns(run.machine, run.board, range(BEGIN, END))
        assert run.value("rounds") > 10
        told = waking_ns(costs["waiter"], waiting)
        print(board, waiting, off, told)
        assert off <= max(costs["critical"], told)
        assert condition or off >= 0.7 * told


def blocking_us(built: Build) -> int:
    assert built.admission and built.admission.case
    return min(loop.blocking_us for loop in built.admission.case.loops)


def test_the_proof_counts_it(write: Callable[[str, str], Path], tmp_path: Path) -> None:
    board = boards.load("pico")
    with_flags = build(write("flags", SKETCH), board, out=tmp_path / "flags")
    without = SKETCH.replace("takt_flags_set(&flags, 1);", "")
    alone = build(write("alone", without), board, out=tmp_path / "alone")
    told_us = -(-waking_ns(board.costs["waiter"], 7) // 1000)
    assert blocking_us(with_flags) - blocking_us(alone) == told_us - 5
