"""Every program, command and picture of the tutorial is as its documents say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tutorial import (
    LIKE,
    PICTURE,
    STEPS,
    TUTORIAL,
    answers,
    ask,
    blocks,
    picture,
    renewed,
    sessions,
    tried,
    unlike,
)

SCREEN = 66  # lines
ANEW = "run tests/system/tutorial/tutorial.py"
COMMAND = re.compile(r"\./takt [a-z]+ [^`\n]*docs/tutorial/[^`\n]*")


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_a_step(step: Path) -> None:
    """Its commands say what stands there, and the first leaves the picture that is shown."""
    document = step / "README.md"
    given = list(sessions(document))
    said = [ask(session.command) for session in given]
    for session, text in zip(given, said, strict=True):
        assert renewed(session.said, text) == session.said, ANEW
    assert f"]({PICTURE})" in document.read_text()
    assert unlike(step / PICTURE, picture(said[0])) < LIKE, ANEW


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_a_program_is_shown_whole_on_one_screen(step: Path) -> None:
    shown = {block.file: block.text for block in blocks(step / "README.md") if block.kind == "c"}
    assert any(file == f"{step.name.partition('-')[2]}.c" for file in shown)
    for file, text in shown.items():
        assert text == (step / file).read_text(), ANEW
        assert text.count("\n") <= SCREEN


@pytest.mark.wide
@pytest.mark.parametrize(("title", "text"), answers(), ids=[title for title, _ in answers()])
def test_an_answer(title: str, text: str, tmp_path: Path) -> None:
    """Where it changes a program, the program then does what the answer says."""
    assert tried(text, tmp_path / "tutorial") == text, ANEW


def test_no_command_stands_where_it_is_not_tried() -> None:
    for document in TUTORIAL.rglob("*.md"):
        tried = "".join(session.command + "\n" for session in sessions(document))
        for command in COMMAND.findall(document.read_text()):
            assert command.strip() in tried, document


def test_every_exercise_has_an_answer() -> None:
    titles = [title for title, _ in answers()]
    asked = []
    for step in STEPS:
        numbers = re.findall(
            r"^(\d)\. ", (step / "README.md").read_text().partition("## Exercise")[2], re.M
        )
        asked += [f"Step {step.name[0]}, exercise {n}" for n in numbers]
    assert titles == asked and len(asked) >= len(STEPS)
