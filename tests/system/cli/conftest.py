"""The command line as a user runs it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import command
import pytest


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.out)


def run_takt(*arguments: str | Path, cwd: Path | None = None, **environment: str) -> Ran:
    done = command.takt(*arguments, cwd=cwd, **environment)
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def takt() -> Callable[..., Ran]:
    return run_takt


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
