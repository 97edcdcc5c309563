"""Arduino libraries: which folders a sketch needs, found by the headers it includes, through any
chain of includes.

Looked for, in this order: <sketch>/libraries, Takt's own, folders given by --library, those of a
PlatformIO project, the Arduino sketchbook. A library named like the header wins.
Layouts: 1.5 (library.properties or library.json, and src/) and flat with utility/.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from takt.boards import Board
from takt.build import platformio
from takt.build.sketch import SOURCES
from takt.errors import UserError
from takt.paths import ROOT, shown

HEADERS = (".h", ".hpp", ".hh")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"\n]+)[>"]', re.MULTILINE)
PROPERTIES = "library.properties"
DESCRIBED = (PROPERTIES, "library.json")  # Arduino's, PlatformIO's
PUT = (  # the fix where there is none
    "put its library in libraries/ beside the sketch or in the sketchbook (~/Arduino/libraries), "
    "or name the folder with --library"
)
NOT_FOUND = re.compile(r"fatal error: (.+): No such file or directory$", re.MULTILINE)


@dataclass(frozen=True)
class Library:
    name: str
    folder: Path
    includes: tuple[Path, ...]
    sources: tuple[Path, ...]
    header: str = ""  # for which it was looked for
    asker: Path = Path()  # the source that includes that, itself or by other headers

    @property
    def properties(self) -> dict[str, str]:
        """What library.properties says."""
        file = self.folder / PROPERTIES
        text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
        pairs = (line.partition("=") for line in text.splitlines() if not line.startswith("#"))
        return {key.strip(): value.strip() for key, equals, value in pairs if equals}

    @property
    def architectures(self) -> list[str]:
        """What it says it is for; "*": any."""
        said = self.properties.get("architectures") or "*"
        return [name.strip() for name in said.split(",")]

    def is_for(self, board: Board) -> bool:
        return not {"*", "takt", board.architecture}.isdisjoint(self.architectures)


def sketchbook() -> Path | None:
    """The folder that Arduino's own tools keep sketches and libraries in."""
    told = os.environ.get("ARDUINO_DIRECTORIES_USER")
    if told:
        return Path(told)
    try:
        home = Path.home()
    except RuntimeError:  # whoever runs this has none
        return None
    places = (home / "Arduino", home / "Documents" / "Arduino")
    return next((place for place in places if place.is_dir()), None)


def roots(folder: Path, extra: tuple[Path, ...], board: str) -> list[Path]:
    """Library folders that may be used, most specific first."""
    found: list[Path] = []
    book = sketchbook()
    others = [*platformio.libraries(folder, board), *([book / "libraries"] if book else [])]
    for path in [folder / "libraries", ROOT / "libraries", *extra, *others]:
        if path in extra and not path.is_dir():
            raise UserError("no such library folder", shown(path), "check --library", 2)
        if path.is_dir():
            found += [path] if _is_library(path) else _in(path)
    if ignored := platformio.ignored(folder, board):
        found = [one for one in found if ignored.isdisjoint({one.name, platformio.name(one)})]
    return found


def _in(path: Path) -> list[Path]:
    """The libraries of a folder."""
    return sorted(p for p in path.iterdir() if p.is_dir()) + platformio.linked(path)


def _is_described(path: Path) -> bool:
    return any((path / name).is_file() for name in DESCRIBED)


def _is_library(path: Path) -> bool:
    return _is_described(path) or any(f.suffix in HEADERS for f in path.iterdir() if f.is_file())


def open_library(path: Path) -> Library:
    path = path.resolve()
    if (path / "src").is_dir() and _is_described(path):
        sources = [f for f in (path / "src").rglob("*") if f.suffix in SOURCES]
        return Library(path.name, path, (path / "src",), tuple(sorted(sources)))
    utility = path / "utility"
    folders = (path, utility) if utility.is_dir() else (path,)
    sources = [f for folder in folders for f in folder.iterdir() if f.suffix in SOURCES]
    return Library(path.name, path, folders, tuple(sorted(sources)))


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
    command = [*compile_command, *(f"-I{path}" for path in includes)]
    done = _run([*command, "-M", "-MG", str(source)])
    if done.returncode != 0:  # one that is not found would have defined what is missed below it
        done = _run([*command, "-E", "-o", os.devnull, str(source)])
        return NOT_FOUND.findall(done.stderr)[:1]  # or the compiler itself will say what is wrong
    text = done.stdout.replace("\\\n", " ").replace("\\ ", "\0").partition(":")[2]
    names = [name.replace("\0", " ") for name in text.split()]
    return [name for name in names if not Path(name).is_absolute() and not Path(name).exists()]


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)


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
        while command is not None:
            folders = [path for library in found for path in library.includes]
            if not _may_ask(source, folders, includes, where):
                break
            missing = missing_headers(source, command, includes + folders)
            wanted = ((header, providing(header, where)) for header in missing)
            known = {library.folder for library in found}
            new = next((one for one in wanted if one[1] and one[1].folder not in known), None)
            if new is None:
                break
            header, library = new
            found.append(replace(library, header=header, asker=source))
            queue += library.sources
    return found


def unresolved(
    sources: list[Path], commands: dict[str, list[str]], includes: list[Path]
) -> tuple[str, Path] | None:
    """The first header that nothing has, and the source that needs it. includes: libraries' too."""
    for source in sources:
        command = commands.get(source.suffix)
        missing = missing_headers(source, command, includes) if command else []
        if missing:
            return missing[0], source
    return None


def holder(file: Path) -> str:
    """The library that a file is of, by its folder's name; empty: of none."""
    folder = next((path for path in file.parents if _is_described(path)), None)
    return folder.name if folder else ""


def _may_ask(source: Path, libraries: list[Path], includes: list[Path], where: list[Path]) -> bool:
    """Quick look: is a header of another library named, in the file or in what it includes? Those
    below `includes` need none."""
    seen, queue = {source}, [source]
    while queue:
        at = queue.pop()
        for name in _included(at, at.stat().st_mtime_ns):
            near = (folder / name for folder in (at.parent, *libraries))
            header = next((path for path in near if path.is_file()), None)
            if header is None:
                if not _is_in(name, includes) and providing(name, where):
                    return True
            elif header not in seen:
                seen.add(header)
                queue.append(header)
    return False


def _is_in(name: str, folders: list[Path]) -> bool:
    return any((folder / name).is_file() for folder in folders)


@cache
def _included(file: Path, changed_ns: int) -> list[str]:
    """What the file includes if all conditions hold."""
    return INCLUDE.findall(file.read_text(encoding="utf-8", errors="replace"))


def warnings(libraries: list[Library], board: Board) -> Iterator[str]:
    """Of those that say they are for other chips."""
    for library in libraries:
        if not library.is_for(board):
            yield (
                f"library {library.name}: made for {', '.join(library.architectures)} "
                f"(library.properties), not for {board.name}"
            )
