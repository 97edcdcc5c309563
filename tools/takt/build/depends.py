"""What a build depends on, for a build that runs it: a dependency file as compilers write it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from takt import boards
from takt.boards import Board
from takt.build.built import Build
from takt.paths import ROOT

# Takt's own: all of them, for which of them a program uses may change with the others. Of board/
# there are only the board's folder, that of its base, and what is no board.
FOLDERS = ("admission", "arduino", "cmake", "drivers", "include", "kernel", "libraries", "port")
FILES = ("CMakeLists.txt", "CMakePresets.json")


def write(file: Path, built: Build) -> None:
    found = dict.fromkeys([*_read(built.out), *_own(built.board)])
    lines = [f"{_escaped(built.elf)}:", *(f"  {_escaped(path)}" for path in found)]
    file.write_text(" \\\n".join(lines) + "\n", encoding="utf-8")


def _read(out: Path) -> Iterator[Path]:
    """The files that the compiler has read."""
    ask = ["ninja", "-C", str(out), "--quiet", "-t", "deps"]
    said = subprocess.run(ask, capture_output=True, text=True, check=True).stdout
    for line in said.splitlines():
        path = out / line.strip()
        if line.startswith("    ") and not path.is_relative_to(out):
            yield path


def _own(board: Board) -> Iterator[Path]:
    yield from (ROOT / name for name in FILES)
    shared = [path for path in boards.FOLDER.iterdir() if not (path / boards.FILE).exists()]
    yield from (path for path in shared if path.is_file())
    folders = [*(ROOT / name for name in FOLDERS), *filter(Path.is_dir, shared), board.folder]
    folders += [boards.FOLDER / board.raw["base"]] if "base" in board.raw else []
    for folder in folders:
        yield from sorted(path for path in folder.rglob("*") if path.is_file())
    modules = [module.__file__ for name, module in sys.modules.items() if name.startswith("takt")]
    yield from (Path(name) for name in modules if name)


def _escaped(path: Path) -> str:
    return str(path).replace("$", "$$").replace(" ", "\\ ").replace("#", "\\#")
