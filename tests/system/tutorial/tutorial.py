"""docs/tutorial: what its documents show of programs, commands and pictures.

.venv/bin/python tests/system/tutorial/tutorial.py      writes programs and pictures anew

A document shows a program in full, as ```c FILE; commands and what they say, as ```console, where
"..." stands for anything; the picture of its run, timeline.png; and, in the answers, a change of a
program, as ```diff FILE.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TUTORIAL = ROOT / "docs" / "tutorial"
STEPS = sorted(folder for folder in TUTORIAL.iterdir() if folder.name[0].isdigit())
BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PICTURE = "timeline.png"
LIKE, LIKE_US = 0.01, 0.5  # by which numbers may differ, and such of us: costs of the kernel
ANY = "..."


@dataclass(frozen=True)
class Block:
    kind: str
    file: str
    text: str


@dataclass(frozen=True)
class Session:
    """A command and what it is to say."""

    command: str
    said: list[str]


def blocks(document: Path) -> list[Block]:
    return [Block(*found) for found in BLOCK.findall(document.read_text())]


def sessions(document: Path) -> Iterator[Session]:
    for block in blocks(document):
        if block.kind == "console":
            for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
                command, *said = part.splitlines()
                yield Session(command, said)


def _same(word: str, other: str, like: float) -> bool:
    try:
        a, b = float(word.rstrip(",:")), float(other.rstrip(",:"))
    except ValueError:
        return word == other
    return abs(a - b) <= like * abs(a)


def missing(expected: list[str], text: str) -> str:
    """What a command has not said where it should, of stretches between "..."; or nothing.
    Lines may be broken elsewhere."""
    said, at = text.split(), 0
    for stretch in " ".join(expected).split(ANY):
        words = stretch.split()
        like = [LIKE_US if after == "us" else LIKE for after in [*words[1:], ""]]
        places = range(at, len(said) - len(words) + 1)
        found = (n for n in places if all(map(_same, words, said[n:], like)))
        place = next(found, None)
        if place is None:
            return stretch
        at = place + len(words)
    return ""


def changed(text: str, diff: str) -> str:
    """A program after a change: of its lines, those with - and none stand there in one piece."""
    lines = diff.splitlines()
    before = "\n".join(line[1:] for line in lines if line[:1] in ("", " ", "-"))
    after = "\n".join(line[1:] for line in lines if line[:1] in ("", " ", "+"))
    assert text.count(before) == 1, before
    return text.replace(before, after)


def ask(command: str, root: Path = ROOT) -> str:
    """What a command says, given in a folder."""
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, cwd=root, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def picture(said: str) -> Path:
    """That a run has left."""
    found = re.search(r"^picture +(\S+)", said, re.MULTILINE)
    assert found
    return ROOT / found[1]


def _write(folder: Path) -> None:
    document = folder / "README.md"

    def program(found: re.Match[str]) -> str:
        kind, file, _ = found.groups()
        return f"```c {file}\n{(folder / file).read_text()}```" if kind == "c" else found[0]

    document.write_text(BLOCK.sub(program, document.read_text()))
    for session in sessions(document):
        said = ask(session.command)
        if session.command.startswith("./takt run") and (folder / PICTURE).name in said:
            shutil.copy(picture(said), folder / PICTURE)
            break


if __name__ == "__main__":
    for step in STEPS:
        _write(step)
