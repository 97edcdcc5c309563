"""What the trace says of a budget that is used in part."""

from __future__ import annotations

from collections.abc import Callable

from takt import boards
from takt.build.build import build
from takt.cli.run import _Session as Session
from takt.result.trace import Kind
from takt.world import world

SKETCH = """
#include <Takt.h>
void setup() {}
void loop(1, 2_ms, 10_ms) {
  for (volatile int i = 0; i < 1000; i++) {}
  delay(20);
}
"""


def test_a_loop_that_sleeps_has_used_one_piece(write: Callable) -> None:
    board = boards.load("pico")
    built = build(write("pieces", SKETCH), board)
    session = Session(built, world.empty(board))
    session.go(0.5, None)
    trace = session.result(0.5).trace
    used = trace.value[trace.of(Kind.CHUNK, 0)]
    assert len(used) == len(trace.time[trace.of(Kind.BLOCK, 0)]) > 20
    assert used.min() > 10  # us
