"""The Python of this repository keeps its own rules."""

from __future__ import annotations

import subprocess
import sys

import pytest
from takt.paths import ROOT


@pytest.mark.parametrize("check", [["check"], ["format", "--check"]], ids=["lint", "format"])
def test_ruff(check: list[str]) -> None:
    command = [sys.executable, "-m", "ruff", *check, "--no-cache", "."]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_modules_are_short() -> None:
    long = {
        path.name: lines
        for path in (ROOT / "tools" / "takt").rglob("*.py")
        if (lines := len(path.read_text().splitlines())) > 300
    }
    assert not long
