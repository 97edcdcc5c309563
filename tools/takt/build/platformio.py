"""PlatformIO projects: a folder with platformio.ini, whose program is in src/.

What of it is used here: libraries in lib/, in lib_extra_dirs and among those that PlatformIO has
fetched (.pio/libdeps/ENVIRONMENT); headers in include/ and src/.
"""

from __future__ import annotations

import configparser
import json
from pathlib import Path

FILE = "platformio.ini"
EXTRA = "lib_extra_dirs"


def libraries(folder: Path) -> list[Path]:
    """Folders of libraries of the project that the sketch is, or the src/ of; nearest first."""
    found = [project / "lib" for project in _projects(folder)]
    found += [place for project in _projects(folder) for place in _extra(project)]
    fetched = (parent / ".pio" / "libdeps" for parent in (folder, folder.parent))
    return found + [place for deps in fetched if deps.is_dir() for place in sorted(deps.iterdir())]


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


def _extra(project: Path) -> list[Path]:
    """What any of its environments names, a line or a word each."""
    ini = configparser.RawConfigParser(strict=False, inline_comment_prefixes=(";", " #"))
    try:
        ini.read(project / FILE, encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError):
        return []  # PlatformIO would not read it either
    told = [ini.get(section, EXTRA, fallback="") for section in ini.sections()]
    words = [word for text in told for word in text.replace(",", "\n").splitlines()]
    return [project / Path(word.strip()).expanduser() for word in words if word.strip()]
