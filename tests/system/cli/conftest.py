"""The command line as a user runs it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import command
import pytest
from command import Ran


@pytest.fixture
def takt() -> Callable[..., Ran]:
    return command.run


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """write(name, text, **other files) makes a sketch folder."""

    def make(name: str, text: str, **files: str) -> Path:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.ino").write_text(text)
        for path, content in files.items():
            file = folder / path.replace("__", "/").replace("_DOT_", ".")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        return folder

    return make
