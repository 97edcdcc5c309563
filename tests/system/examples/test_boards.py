"""Examples that need no more than pins and a serial port, on every board."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import EXAMPLES
from everywhere import BOARDS
from takt import boards
from takt.build.build import build
from takt.cli import run
from takt.world import world

SECONDS = 1.0


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("name", ["blink", "button-channel", "two-blinks"])
def test_example(name: str, board: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    folder.mkdir()
    text = (EXAMPLES / name / f"{name}.ino").read_text()
    (folder / f"{name}.ino").write_text(text.replace("fast = 15", "fast = 5"))  # some have 12 pins
    data = boards.load(board)
    built = build(folder, data, out=tmp_path / "build")
    result = run.run(built, world.load(folder, data), SECONDS).as_dict()
    assert result["warnings"] == []
    for thread in result["threads"]:
        assert thread["misses"] == thread["starved"] == 0
        assert 0 < thread["stack_used"] <= thread["stack_size"]
        if thread["budget_us"]:  # a plain loop() alone has none
            assert thread["response_max_us"] <= thread["bound_us"]
