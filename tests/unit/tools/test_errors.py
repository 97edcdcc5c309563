"""Messages name the command as it is called, and leave names of the user's alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt.build import sketch
from takt.errors import UserError


def test_a_folder_of_the_users_keeps_its_name() -> None:
    fix = "write ./takt-demo/x.ino anew"
    assert UserError("what", "where", fix).fix == fix


def test_the_command_of_an_installed_takt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sketch, "COMMAND", "takt")
    (tmp_path / "notes.txt").touch()
    with pytest.raises(UserError) as refused:
        sketch.find(tmp_path)
    assert refused.value.fix.endswith("make one: takt new my-sketch")
