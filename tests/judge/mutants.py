"""The kernel with lines changed: a judge that does not notice is none.

What is changed is compiled as the board's libraries are, by their own commands, in a folder of its
own; the project's files and libraries stay as they are.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from takt import cmake
from takt.cmake import Target
from takt.paths import BUILD, ROOT

FOLDERS = ("kernel", "port", "drivers")  # headers of include/ are also part of sketches


@dataclass(frozen=True)
class Change:
    """In a file, what matches exactly once becomes another text."""

    file: str
    pattern: str
    text: str


@dataclass(frozen=True)
class Mutant:
    name: str
    changes: tuple[Change, ...]

    def __str__(self) -> str:
        return self.name


def apply(mutant: Mutant, folder: Path) -> None:
    """Copies what the libraries are made of and changes it there."""
    assert all(change.file.partition("/")[0] in FOLDERS for change in mutant.changes)
    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name)
    for change in mutant.changes:
        path = folder / change.file
        text, count = re.subn(change.pattern, lambda _, to=change: to.text, path.read_text())
        assert count == 1, f"{mutant}: {count} matches of {change.pattern} in {change.file}"
        path.write_text(text)


def _touched(board: str, mutant: Mutant) -> list[str]:
    """Objects of the board's libraries that depend on what is changed, relative to its build."""
    said = subprocess.run(
        ["ninja", "-C", str(BUILD / board), "-t", "deps"],
        capture_output=True,
        text=True,
        check=True,
    )
    files = {str(ROOT / change.file) for change in mutant.changes}
    found = []
    for block in said.stdout.split("\n\n"):
        head, *lines = block.splitlines() or [""]
        if {line.strip() for line in lines} & files:
            found.append(head.partition(":")[0])
    return found


def _commands(board: str, variant: str) -> dict[str, list[str]]:
    """How each object is compiled."""
    said = subprocess.run(
        ["ninja", "-C", str(BUILD / board), "-t", "commands", f"takt_{variant}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = {}
    for line in said.stdout.splitlines():
        words = shlex.split(line)
        if "-c" in words and "-o" in words:
            found[words[words.index("-o") + 1]] = words
    return found


def libraries(board: str, variant: str, mutant: Mutant, folder: Path) -> Target:
    """The board's, with the change."""
    target = cmake.target_libraries(board, variant)
    apply(mutant, folder)
    objects, commands = _touched(board, mutant), _commands(board, variant)
    mine = [one for one in objects if one in commands]
    assert mine, f"{mutant}: no library of {board} is made of {mutant.changes}"
    made = {one: _compile(commands[one], one, folder, board) for one in mine}
    archives = [_archive(target, Path(path), made, folder) for path in target.archives[variant]]
    return replace(target, archives=target.archives | {variant: archives})


def _moved(text: str, folder: Path) -> str:
    """A path below the project's folders, in the copy."""
    for name in FOLDERS:
        text = re.sub(
            rf"^(-I)?{re.escape(str(ROOT))}/{name}(?=/|$)", rf"\g<1>{folder}/{name}", text
        )
    return text


def _compile(command: list[str], name: str, folder: Path, board: str) -> Path:
    out = folder / "objects" / name
    out.parent.mkdir(parents=True, exist_ok=True)
    words = [_moved(word, folder) for word in command]
    for flag, value in (("-o", out), ("-MF", f"{out}.d")):
        if flag in words:
            words[words.index(flag) + 1] = str(value)
    words = [word for word in words if word != "-Werror"]
    done = subprocess.run(words, cwd=BUILD / board, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out


def _archive(target: Target, path: Path, made: dict[str, Path], folder: Path) -> str:
    """A copy with the objects that are its own replaced."""
    mine = [out for name, out in made.items() if f"takt_{path.stem.removeprefix('libtakt_')}_" in
            name]  # fmt: skip
    if not mine:
        return str(path)
    copy = folder / path.name
    shutil.copy(path, copy)
    subprocess.run([target.tool("ar"), "r", str(copy), *map(str, mine)], check=True,
                   capture_output=True)  # fmt: skip
    return str(copy)


Held = Callable[[], AbstractContextManager[None]]


def built_wrong(board: str, mutant: Mutant, folder: Path) -> Held:
    """A context: while it is held what is built for the board has the change."""
    changed = libraries(board, "trace", mutant, folder)
    real = cmake.target_libraries

    def given(name: str, variant: str) -> Target:
        return changed if (name, variant) == (board, "trace") else real(name, variant)

    @contextmanager
    def held() -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cmake, "target_libraries", given)
            yield

    return held
