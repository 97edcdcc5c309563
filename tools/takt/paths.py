"""Where things are: the repository, and how a file is named to the user.

Installed (pip install), the repository's folders lie in the package, where nothing is written: what
is built is below XDG_CACHE_HOME, apart for each installation.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

PACKAGED = Path(__file__).resolve().parent / "tree"  # pyproject.toml puts it there
INSTALLED = PACKAGED.is_dir()
COMMAND = "takt" if INSTALLED else "./takt"  # how the user calls it
ROOT = PACKAGED if INSTALLED else Path(__file__).resolve().parents[2]


def _build() -> Path:
    if not INSTALLED:
        return ROOT / "build"
    cache = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(cache) if os.path.isabs(cache) else Path.home() / ".cache"
    which = f"{ROOT} {ROOT.stat().st_mtime_ns}"  # another once it has been installed anew
    return base / "takt" / hashlib.sha256(which.encode()).hexdigest()[:8]


BUILD = _build()
LOCK = ".lock"  # in each folder that outputs are made in


def shown(path: Path | str) -> str:
    """The path as the user would write it: relative to the current directory where shorter."""
    absolute = os.path.abspath(path)
    relative = os.path.relpath(absolute)
    return relative if len(relative) < len(absolute) else absolute


def output_folder(folder: Path, variant: str) -> Path:
    """Where the build of a sketch goes: below the repository for its own sketches, else beside the
    sketch, or below the repository again when that folder cannot be written."""
    folder = folder.resolve()
    if folder.is_relative_to(ROOT):
        return BUILD / "sketch" / folder.relative_to(ROOT) / variant
    if os.access(folder, os.W_OK):
        return folder / "build" / variant
    tag = hashlib.sha256(str(folder).encode()).hexdigest()[:8]
    return BUILD / "sketch" / f"{folder.name}-{tag}" / variant
