"""The programs in the README do what is said beside them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tutorial import ROOT, ask, blocks

WORLD = """
[parts.knob]
type = "potentiometer"
pin = "A0"
position = "50 %"

[parts.lamp]
type = "led"
pin = 13
"""


@pytest.mark.parametrize("board", ["pico", "uno"])
def test_jobs_and_tasks(board: str, tmp_path: Path) -> None:
    program = next(b.text for b in blocks(ROOT / "README.md") if "periodic(" in b.text)
    folder = tmp_path / "readme"
    folder.mkdir()
    (folder / "readme.ino").write_text(program)
    (folder / "world.toml").write_text(WORLD)
    result = json.loads(ask(f"./takt run {folder} --board {board} --seconds 2 --json"))
    job, task = result["jobs"][0], result["tasks"][0]
    assert job["finished"] >= 199 and job["overruns"] == job["late"] == 0, job
    assert job["response_max_us"] <= job["bound_us"], job
    assert (task["releases"], task["finished"], task["missed"]) == (4, 4, 0)
    assert result["admission"]["verdict"] == "admitted"
    assert result["world"]["lamp"]["toggles"] == 3
