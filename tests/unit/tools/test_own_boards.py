"""Boards in folders of the user's."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from takt import boards
from takt.build import build, sketch
from takt.world import world


@pytest.fixture
def sketch_folder(tmp_path: Path) -> Path:
    """With a board of its own, pico, beside the world that names it."""
    folder = tmp_path / "sketch"
    shutil.copytree(boards.FOLDER / "pico", folder / "boards" / "pico")
    (folder / "sketch.ino").write_text("void setup() {}\nvoid loop() {}\n")
    (folder / "world.toml").write_text('[world]\nboard = "./boards/pico"\n')
    return folder


def test_a_world_names_a_board_beside_it(
    sketch_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = world.board_for(sketch_folder, None)
    assert found.folder == (sketch_folder / "boards" / "pico").resolve()


def test_boards_of_one_name_are_built_apart(sketch_folder: Path) -> None:
    found, own = sketch.find(sketch_folder), world.board_for(sketch_folder, None)
    ours = boards.load("pico")
    assert build.folder_of(found, own) != build.folder_of(found, ours)
    assert build.folder_of(found, ours).name == "pico"
