"""docs/first-hour is as its sketches are, and as its commands say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from first_hour import HOME, PAGE, followed
from tutorial import LIKE, NUMBER, blocks, parts, sessions, unlike

ANEW = "run tests/system/tutorial/first_hour.py"
PARTS = parts(PAGE)
COMMAND = re.compile(r"\./takt [a-z]+ [^`\n]*docs/first-hour/[^`\n]*")
BLOCK = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
FIGURE = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?) (?:us\b|ms\b|s\b|%|times\b|bytes\b|KB\b)")


@pytest.mark.parametrize(("title", "text"), PARTS, ids=[title for title, _ in PARTS])
def test_a_part(title: str, text: str, tmp_path: Path) -> None:
    anew, pictures = followed(text, tmp_path / "first-hour")
    assert anew == text, ANEW
    for shown, made in pictures.items():
        assert unlike(shown, made) < LIKE, ANEW


@pytest.mark.parametrize(("title", "text"), PARTS, ids=[title for title, _ in PARTS])
def test_a_figure_in_the_text_stands_in_a_block_of_its_part(title: str, text: str) -> None:
    known = {number for block in BLOCK.findall(text) for number in NUMBER.findall(block)}
    assert set(FIGURE.findall(BLOCK.sub("", text))) <= known


def test_every_sketch_is_shown_whole() -> None:
    shown = {block.file for block in blocks(PAGE) if block.kind in ("cpp", "toml")}
    assert shown >= {str(file.relative_to(HOME)) for file in HOME.glob("*/*.ino")}
    pictures = re.findall(r"\]\((\S+\.png)\)", PAGE.read_text())
    assert sorted(pictures) == sorted(file.name for file in HOME.glob("*.png"))


def test_no_command_stands_where_it_is_not_tried() -> None:
    tried = "".join(session.command + "\n" for session in sessions(PAGE))
    for command in COMMAND.findall(PAGE.read_text()):
        assert command.strip() in tried
