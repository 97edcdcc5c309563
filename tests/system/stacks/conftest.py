"""Sketches of a test's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """write(name, text, files) makes a sketch folder."""

    def make(name: str, text: str, files: Mapping[str, str] | None = None) -> Path:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        for path, content in {f"{name}.ino": text, **(files or {})}.items():
            (folder / path).write_text(content)
        return folder

    return make
