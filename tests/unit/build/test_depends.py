"""What a build says that it depends on."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt import boards
from takt.build import depends
from takt.paths import ROOT

SHARED = (
    "CMakeLists.txt", "CMakePresets.json", "board/linked.ld", "board/tasks.ld",
    "board/cortex-m/sections.ld", "board/cortex-m/start.c", "cmake/target.cmake",
)  # fmt: skip


@pytest.mark.parametrize(
    ("board", "own", "others"),
    [
        ("galileo", ("galileo/board.toml", "pico/board.cmake"), ("uno/board.toml",)),
        ("uno", ("uno/board.toml",), ("pico/board.toml", "galileo/board.toml")),
    ],
)
def test_files_of_takt(board: str, own: tuple[str, ...], others: tuple[str, ...]) -> None:
    found = set(depends._own(boards.load(board)))
    assert {ROOT / name for name in SHARED} <= found
    assert {ROOT / "board" / name for name in own} <= found
    assert not {ROOT / "board" / name for name in others} & found
    assert Path(depends.__file__) in found
    assert all(path.is_file() for path in found)
