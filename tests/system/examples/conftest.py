"""Runs sketches with the command line and keeps the results of a session."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from command import takt

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"
ON_PC = {"can-concentrator"}  # tests/system/usb
NAMES = sorted({path.parent.name for path in EXAMPLES.glob("*/*.ino")} - ON_PC)


class Runner:
    """Runs a sketch folder; results are remembered by folder and duration."""

    def __init__(self, out: Path) -> None:
        self.out, self.known = out, {}

    def folder(self, sketch: Path) -> Path:
        """Where the outputs of a sketch go."""
        return self.out / f"{sketch.parent.name}-{sketch.name}"

    def fresh(self, sketch: Path, seconds: float) -> dict[str, Any]:
        """A new run."""
        done = takt("run", sketch, "--seconds", seconds, "--json", "--out", self.folder(sketch))
        assert done.returncode == 0, done.stderr
        said = json.loads(done.stdout)
        assert said["interrupt_stack"]["used"] < said["interrupt_stack"]["size"]
        return said

    def __call__(self, sketch: str | Path, seconds: float = 10) -> dict[str, Any]:
        path = EXAMPLES / sketch
        key = (path, seconds)
        if key not in self.known:
            self.known[key] = self.fresh(path, seconds)
        return self.known[key]


@pytest.fixture(scope="session")
def run(tmp_path_factory) -> Runner:
    return Runner(tmp_path_factory.mktemp("examples"))


@pytest.fixture
def sketch(tmp_path):
    """Makes a sketch folder from source text, and a world if given."""

    def make(source: str, world: str = "", name: str = "probe") -> Path:
        folder = tmp_path / name
        folder.mkdir()
        (folder / f"{name}.ino").write_text(source)
        if world:
            (folder / "world.toml").write_text(world)
        return folder

    return make


def more_us(board: str = "pico") -> int:
    """2 M + S of docs/guarantees.md: what a loop may use beyond its budget."""
    text = (ROOT / "board" / board / "board.cmake").read_text()
    text += (ROOT / "include/takt/config.h").read_text()
    margin, start = (
        re.search(rf"TAKT_{name}_US[ =](\d+)", text) for name in ("BUDGET_MARGIN", "START_COST")
    )
    assert margin and start
    return 2 * int(margin[1]) + int(start[1])
