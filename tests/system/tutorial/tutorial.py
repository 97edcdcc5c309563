"""docs/tutorial: what its documents show of programs, commands and pictures; README.md's picture.

.venv/bin/python tests/system/tutorial/tutorial.py      writes programs, figures and
                                                         pictures anew

A document shows a program in full, as ```c FILE; commands and what they say, as ```console, where
"..." stands for anything; the picture of its run, timeline.png; and, in the answers, a change of a
program, as ```diff FILE. docs/parts.md and docs/first-hour are made of the same.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parents[3]
TUTORIAL = ROOT / "docs" / "tutorial"
ANSWERS = TUTORIAL / "answers.md"
STEPS = sorted(folder for folder in TUTORIAL.iterdir() if folder.name[0].isdigit())
BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PICTURE = "timeline.png"
LIKE = 0.0005  # as unlike as pictures may be: another figure in a label is more
ROVER, RUN_OF_ROVER = ROOT / "docs" / "rover.png", "./takt run examples/rover"
NUMBER = re.compile(r"\d+(?:\.\d+)?")
ANY = "..."
os.environ.pop("COLUMNS", None)  # what a caller's terminal is like


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


def renewed(stands: list[str], said: str) -> list[str]:
    """What stands there, line by line, with the figures a command says now. Between "..." the
    lines stand in what it says, with other figures and broken elsewhere at most."""
    lines, at = [line.rstrip() for line in said.splitlines()], 0
    result: list[str] = []
    group: list[str] = []
    for line, after in pairwise([*stands, ANY]):
        if line == ANY:
            result.append(line)
            continue
        group.append(line)
        if line.endswith(ANY) or after == ANY:
            found, at = _found(group, lines, at)
            result, group = result + found, []
    return result


def _shape(lines: list[str]) -> list[str]:
    """The words, whatever their figures."""
    return [NUMBER.sub("0", word) for line in lines for word in line.split()]


def _found(group: list[str], lines: list[str], at: int) -> tuple[list[str], int]:
    """The lines that have the shape of a group, and the place behind them."""
    more = group[-1].endswith(ANY)  # of the last line the rest is left out
    shape = _shape([*group[:-1], group[-1].removesuffix(ANY)])
    for first, last in product(range(at, len(lines)), range(len(group) + 2)):
        end = min(first + last + 1, len(lines))
        own = _shape(lines[first:end])
        if (not lines[first] and group[0]) or (not lines[end - 1] and group[-1]):
            continue
        if own == shape:
            return lines[first:end], end
        if more and own[: len(shape)] == shape:
            words = len(shape) - len(_shape(lines[first : end - 1]))
            part = re.match(rf"(?:\s*\S+){{{words}}}", lines[end - 1])
            assert part
            return [*lines[first : end - 1], f"{part[0]} {ANY}"], end
    raise AssertionError("\n".join(["is not said:", *group, "in:", *lines]))


def changed(text: str, diff: str) -> str:
    """A program after a change: of its lines, those with - and none stand there in one piece."""
    lines = diff.splitlines()
    before = "\n".join(line[1:] for line in lines if line[:1] in ("", " ", "-"))
    after = "\n".join(line[1:] for line in lines if line[:1] in ("", " ", "+"))
    assert text.count(before) == 1, before
    return text.replace(before, after)


def ask(command: str) -> str:
    """What a command says."""
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, cwd=ROOT, check=False,
        env=os.environ,  # not the process's, in which readline sets COLUMNS
    )  # fmt: skip
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def given(command: str, folder: Path = ROOT, **environment: str) -> tuple[int, str]:
    """A command's exit code and all that it says, errors too."""
    done = subprocess.run(
        command.replace("./takt", str(ROOT / "takt")), shell=True, text=True, cwd=folder,
        env=os.environ | environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout


def picture(said: str) -> Path:
    """That a run has left."""
    found = re.search(r"^picture +(\S+)", said, re.MULTILINE)
    assert found
    return ROOT / found[1]


def parts(document: Path) -> list[tuple[str, str]]:
    """(title, text)"""
    found = re.split(r"^## (.*)\n", document.read_text(), flags=re.MULTILINE)[1:]
    return list(zip(found[::2], found[1::2], strict=True))


def answers() -> list[tuple[str, str]]:
    """(step and number, text)"""
    return parts(ANSWERS)


def shown(text: str, folder: Path) -> str:
    """A document with its programs as they are in a folder."""

    def program(found: re.Match[str]) -> str:
        kind, file, _ = found.groups()
        known = file and kind != "diff"
        return f"```{kind} {file}\n{(folder / file).read_text()}```" if known else found[0]

    return BLOCK.sub(program, text)


def tried(text: str, folder: Path, home: Path = TUTORIAL, ask: Callable[[str], str] = ask) -> str:
    """A part of a page with what its commands say now: after its first change of a program, of a
    copy of the page's programs."""
    before, change, after = text.partition("```diff ")
    if not change:
        return said_anew(text, ask)
    shutil.copytree(home, folder)
    name = str(home.relative_to(ROOT))

    def there(command: str) -> str:
        said = ask(command.replace(name, str(folder)))
        return said.replace(os.path.relpath(folder, ROOT), name).replace(str(folder), name)

    return said_anew(before, ask) + followed(change + after, folder, there)


def followed(text: str, folder: Path, ask: Callable[[str], str]) -> str:
    """A page with what its commands say now, in its order: its files are made in a folder, and
    changed there."""

    def step(found: re.Match[str]) -> str:
        block = Block(*found.groups())
        file = folder / block.file
        if block.kind == "console":
            return said_anew(found[0], ask)
        if block.kind == "diff":
            file.write_text(changed(file.read_text(), block.text))
        else:
            assert block.file, f"no file is named: {block.text}"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text)
        return found[0]

    return BLOCK.sub(step, text)


def said_anew(text: str, ask: Callable[[str], str]) -> str:
    """A document with what its commands say now."""

    def session(found: re.Match[str]) -> str:
        if found[1] != "console":
            return found[0]
        lines = []
        for part in re.split(r"^\$ ", found[3], flags=re.MULTILINE)[1:]:
            command, *stands = part.splitlines()
            lines += [f"$ {command}", *renewed(stands, ask(command))]
        return "\n".join(["```console", *lines, "```"])

    return BLOCK.sub(session, text)


def unlike(shown: Path, made: Path) -> float:
    """How much of a picture differs from the one that is shown, which has fewer colours: 0 to 1."""
    pictures = []
    for path in (shown, made):
        with Image.open(path) as image:
            pictures.append(np.asarray(image.convert("RGB"), float) / 255)
    assert pictures[0].shape == pictures[1].shape
    return float((np.abs(pictures[0] - pictures[1]).max(axis=2) > 0.25).mean())


def keep(made: Path, shown: Path) -> None:
    with Image.open(made) as drawn:
        small = drawn.convert("RGB").quantize(128, dither=Image.Dither.NONE)
    small.save(shown, optimize=True)


def _write(folder: Path) -> None:
    document = folder / "README.md"
    said: dict[str, str] = {}

    def remember(command: str) -> str:
        said[command] = ask(command)
        return said[command]

    document.write_text(said_anew(shown(document.read_text(), folder), remember))
    first = next(text for command, text in said.items() if command.startswith("./takt run"))
    keep(picture(first), folder / PICTURE)


def _write_answers() -> None:
    text = ANSWERS.read_text()
    for _, answer in answers():
        with tempfile.TemporaryDirectory() as folder:
            text = text.replace(answer, tried(answer, Path(folder) / "tutorial"))
    ANSWERS.write_text(text)


if __name__ == "__main__":
    for step in STEPS:
        _write(step)
    _write_answers()
    keep(picture(ask(RUN_OF_ROVER)), ROVER)
