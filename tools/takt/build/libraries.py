"""Arduino libraries: which folders a sketch needs, found by the headers it includes.

Looked for, in this order: <sketch>/libraries, folders given by --library, libraries/ of this
repository. Both layouts are known: 1.5 (library.properties and src/) and flat with utility/.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from takt.build.sketch import SOURCES
from takt.errors import UserError
from takt.paths import ROOT, shown

HEADERS = (".h", ".hpp", ".hh")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"\n]+)[>"]', re.MULTILINE)


@dataclass(frozen=True)
class Library:
    name: str
    includes: tuple[Path, ...]
    sources: tuple[Path, ...]


def roots(folder: Path, extra: tuple[Path, ...]) -> list[Path]:
    """Library folders that may be used, most specific first."""
    found: list[Path] = []
    for path in [folder / "libraries", *extra, ROOT / "libraries"]:
        if path in extra and not path.is_dir():
            raise UserError("no such library folder", shown(path), "check --library", 2)
        if path.is_dir():
            found += (
                [path] if _is_library(path) else sorted(p for p in path.iterdir() if p.is_dir())
            )
    return found


def _is_library(path: Path) -> bool:
    return (path / "library.properties").is_file() or any(
        f.suffix in HEADERS for f in path.iterdir() if f.is_file()
    )


def open_library(path: Path) -> Library:
    path = path.resolve()
    if (path / "src").is_dir() and (path / "library.properties").is_file():
        sources = [f for f in (path / "src").rglob("*") if f.suffix in SOURCES]
        return Library(path.name, (path / "src",), tuple(sorted(sources)))
    utility = path / "utility"
    folders = (path, utility) if utility.is_dir() else (path,)
    sources = [f for folder in folders for f in folder.iterdir() if f.suffix in SOURCES]
    return Library(path.name, folders, tuple(sorted(sources)))


def providing(header: str, candidates: list[Path]) -> Library | None:
    """The library with this header; one named like the header wins."""
    stem = Path(header).stem.lower()
    holders = [
        path
        for path in candidates
        if (path / header).is_file() or (path / "src" / header).is_file()
    ]
    holders.sort(key=lambda path: path.name.lower() != stem)  # stable
    return open_library(holders[0]) if holders else None


def missing_headers(source: Path, compile_command: list[str], includes: list[Path]) -> list[str]:
    """Headers the preprocessor asks for and does not find."""
    command = [*compile_command, *(f"-I{path}" for path in includes), "-M", "-MG", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        return []  # the compiler itself will say what is wrong
    text = done.stdout.replace("\\\n", " ").replace("\\ ", "\0").partition(":")[2]
    names = [name.replace("\0", " ") for name in text.split()]
    return [name for name in names if not Path(name).is_absolute() and not Path(name).exists()]


def resolve(
    sources: list[Path], commands: dict[str, list[str]], includes: list[Path], where: list[Path]
) -> list[Library]:
    """The libraries that sources need, and those need in turn. commands: how to compile a file, by
    suffix."""
    found: list[Library] = []
    queue = list(sources)
    while queue:
        source = queue.pop(0)
        command = commands.get(source.suffix)
        if command is None or not _asks_for_more(source, includes):
            continue
        while True:
            paths = includes + [path for library in found for path in library.includes]
            wanted = (providing(h, where) for h in missing_headers(source, command, paths))
            new = next((lib for lib in wanted if lib and lib not in found), None)
            if new is None:
                break
            found.append(new)
            queue += new.sources
    return found


def _asks_for_more(source: Path, includes: list[Path]) -> bool:
    """Quick look: does the file include anything but what is known to be there?"""
    known = [source.parent, *includes]
    names = INCLUDE.findall(source.read_text(errors="replace"))
    return any(not any((folder / name).is_file() for folder in known) for name in names)
