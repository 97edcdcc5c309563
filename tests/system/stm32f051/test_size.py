"""takt size: every byte has an owner."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt import boards
from takt.build.build import build
from takt.cli.size import measure
from takt.paths import ROOT


@pytest.mark.parametrize("board", ["stm32f051", "pico"])
@pytest.mark.parametrize("trace", [True, False])
def test_owners_add_up_to_the_whole(board: str, trace: bool, tmp_path: Path) -> None:
    built = build(ROOT / "examples" / "button-channel", boards.load(board), trace, tmp_path)
    size = measure(built).as_dict()
    owners = size["owners"].values()
    assert sum(owner["flash"] for owner in owners) == size["flash_bytes"]
    assert sum(owner["ram"] for owner in owners) == size["ram_bytes"]
    stacks = sum(thread["stack_size"] for thread in size["threads"])
    assert size["owners"]["stacks of threads"]["ram"] == stacks
    assert size["owners"]["budgets"]["ram"] >= 2 * 40
    assert ("trace" in size["owners"]) == trace
    if board == "stm32f051":
        assert size["owners"]["stack of interrupts"]["ram"] == size["interrupt_stack"]["size"]
    picture = Path(size["files"]["memory_png"]).read_bytes()
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
