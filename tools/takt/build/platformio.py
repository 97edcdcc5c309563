"""PlatformIO projects: a folder with platformio.ini, whose program is in src/.

What of it is used here: libraries in lib/, in lib_extra_dirs and among those that PlatformIO has
fetched (.pio/libdeps/ENVIRONMENT), but for those in lib_ignore; headers in include/ and src/. The
environment is the one that PlatformIO builds for, or else each that is for the board.
"""

from __future__ import annotations

import configparser
import json
import os
from configparser import RawConfigParser
from pathlib import Path

FILE = "platformio.ini"
BUILT = "TAKT_PLATFORMIO_ENV"  # variable: the environment that PlatformIO builds for
COMMON, ENVIRONMENT = "env", "env:"  # sections
DEPTH = 3  # at most so far below the project lies what is built: test/suite/test_one
MANIFEST = "library.json"


def libraries(folder: Path, board: str) -> list[Path]:
    """Folders of libraries of the project that the sketch is, or the src/ of; nearest first."""
    found = [project / "lib" for project in _projects(folder)]
    for project in _projects(folder):
        ini = _read(project)
        for section in _sections(ini, board):
            named = _words(_value(ini, section, "lib_extra_dirs"))
            found += [project / Path(word).expanduser() for word in named]
    for parent in (folder, folder.parent):
        found += _fetched(parent, board)
    return found


def ignored(folder: Path, board: str) -> set[str]:
    """Names of libraries that are not to be taken; none where it is not sure for which
    environment."""
    places = (folder, *folder.parents[:DEPTH])
    project = next((place for place in places if (place / FILE).is_file()), None)
    if project is None:
        return set()
    ini = _read(project)
    sections = _sections(ini, board)
    return set(_words(_value(ini, sections[0], "lib_ignore"))) if len(sections) == 1 else set()


def name(library: Path) -> str:
    """As PlatformIO calls it."""
    try:
        return str(json.loads((library / MANIFEST).read_text(encoding="utf-8"))["name"])
    except (OSError, ValueError, KeyError, TypeError):
        return library.name


def linked(libraries: Path) -> list[Path]:
    """What lib_deps names by symlink://, which PlatformIO keeps as a file among libraries."""
    found = []
    for file in sorted(libraries.glob("*.pio-link")):
        try:
            said = json.loads(file.read_text(encoding="utf-8"))
            place = Path(said["cwd"], said["spec"]["uri"].removeprefix("symlink://"))
        except (ValueError, KeyError, TypeError):
            continue  # PlatformIO would not read it either
        found += [place] if place.is_dir() else []
    return found


def includes(folder: Path) -> list[Path]:
    """Folders that the project's own files find headers in."""
    every = (project / name for project in _projects(folder) for name in ("include", "src"))
    return [place for place in every if place.is_dir() and place != folder]


def _projects(folder: Path) -> list[Path]:
    return [place for place in (folder, folder.parent) if (place / FILE).is_file()][:1]


def _fetched(project: Path, board: str) -> list[Path]:
    """A folder for each environment; of environments that nothing is said of, all."""
    deps = project / ".pio" / "libdeps"
    every = sorted(deps.iterdir()) if deps.is_dir() else []
    names = {one.removeprefix(ENVIRONMENT) for one in _sections(_read(project), board)}
    return [place for place in every if place.name in names] if names else every


def _read(project: Path) -> RawConfigParser:
    ini = RawConfigParser(strict=False, inline_comment_prefixes=(";", " #"))
    try:
        ini.read(project / FILE, encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError):
        ini.clear()  # PlatformIO would not read it either
    return ini


def _sections(ini: RawConfigParser, board: str) -> list[str]:
    """Of the environments that count."""
    every = [one for one in ini.sections() if one.startswith(ENVIRONMENT)]
    built = f"{ENVIRONMENT}{os.environ.get(BUILT, '')}"
    if built in every:
        return [built]
    return [one for one in every if _value(ini, one, "board").strip() == board] or every


def _value(ini: RawConfigParser, section: str, option: str) -> str:
    """Of an environment, or of what it extends, or of all environments."""
    waiting, seen = [section], set()
    while waiting:
        one = waiting.pop(0)
        if one in seen or not ini.has_section(one):
            continue
        seen.add(one)
        if ini.has_option(one, option):
            return ini.get(one, option)
        waiting += _words(ini.get(one, "extends", fallback=""))
    return ini.get(COMMON, option, fallback="")


def _words(text: str) -> list[str]:
    """A line each, or with commas between."""
    words = text.replace(",", "\n").splitlines()
    return [word.strip() for word in words if word.strip()]
