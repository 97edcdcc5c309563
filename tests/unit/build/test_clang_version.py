"""Which clang is taken: one of the first that is new enough."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt import boards
from takt.build import cmake
from takt.errors import UserError


def has(folder: Path, name: str, version: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\necho Debian clang version {version}\n")
    (folder / name).chmod(0o755)


def test_the_version_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    board = boards.load("pico")
    has(tmp_path, "clang", "13.0.1-11")
    with pytest.raises(UserError) as refused:
        cmake._clang(board)
    assert "clang 13 is too old: 14 or later" in refused.value.what
    assert "clang-14" in refused.value.fix
    has(tmp_path, "clang-15", "15.0.6")
    assert cmake._clang(board) == "clang-15"
    has(tmp_path, "clang", "14.0.6")
    assert cmake._clang(board) == "clang"
