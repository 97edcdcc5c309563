"""The second link of a build, with stacks as large as they must be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from takt import boards
from takt.build import build as building
from takt.build import linker
from takt.code.stacks_host import stacks_of

SKETCH = """#include <Takt.h>
String text;
void setup() { Serial.begin(115200); }
void loop(1, 5, 100) { text += millis(); delay(10); }
void loop(2, 5, 100) { Serial.println(text); text = ""; delay(50); }
"""


@pytest.mark.parametrize("board", ["pico", "stm32f051", "uno", "mps2-an386"])
def test_what_was_read_before_is_as_if_read_again(
    board: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graphs = []

    def both(program: Any, board: Any, before: Any = None) -> Any:
        found, anew = stacks_of(program, board, before), stacks_of(program, board)
        assert found.graph.functions == anew.graph.functions
        assert found.interrupts() == anew.interrupts()
        old = before.graph.functions.values() if before else ()
        graphs.append(sum(one in map(id, found.graph.functions.values()) for one in map(id, old)))
        return found

    monkeypatch.setattr(linker, "stacks_of", both)
    folder = tmp_path / "sketch"
    folder.mkdir()
    (folder / "sketch.ino").write_text(SKETCH)
    found = building.build(folder, boards.load(board))
    first, *later = graphs
    assert first == 0 and later and later[-1] > 100, "functions are taken over"
    assert all(thread.stack_size >= thread.stack_need for thread in found.threads)
