"""An ordinary loop() with a stack of a given size."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from takt import boards
from takt.build.build import Build, build
from takt.errors import UserError

RECURSIVE = """
int depth(int n) { return n <= 0 ? 0 : 1 + depth(n - 1) * (n & 1 ? 1 : 1); }
volatile int from = 5;
void setup() { Serial.begin(115200); }
void loop() { Serial.println(depth(from)); delay(100); }
"""


def built(write: Callable, board: str, text: str) -> Build:
    return build(write("given", text), boards.load(board))


@pytest.mark.parametrize("board", ["uno", "stm32f051", "pico"])
def test_a_given_stack_is_taken(board: str, write: Callable) -> None:
    text = RECURSIVE.replace("depth(n - 1) *", "depth(depth(n - 1)) *")
    (guess,) = built(write, board, text).warnings
    assert "SET_LOOP_TASK_STACK_SIZE(bytes)" in guess
    own = built(write, board, "SET_LOOP_TASK_STACK_SIZE(3 * 200);\n" + text)
    thread = next(one for one in own.threads if one.name == "loop")
    assert 600 <= thread.stack_size - thread.stack_guard < 600 + 8
    assert [one for one in own.warnings if "600 bytes" in one or "is a guess" in one]


def test_too_small_a_stack_is_refused(write: Callable) -> None:
    with pytest.raises(UserError) as raised:
        built(write, "uno", "SET_LOOP_TASK_STACK_SIZE(100);\n" + RECURSIVE)
    assert "below 128 bytes" in str(raised.value)
