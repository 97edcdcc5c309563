"""Where things are: the repository, how a file is named to the user, and which Takt this is.

Installed (pip install), the repository's folders lie in the package, where nothing is written: what
is built is below XDG_CACHE_HOME, apart for each installation.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from importlib import metadata
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
FALLBACK = "0.1.0"  # before the first tag; pyproject.toml has it, too
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


def version() -> str:
    """Dotted numbers, and what git says of a state that no tag names. The package's, which tags of
    the repository give; in the repository what git says of it, unless it lies in another one."""
    if INSTALLED:
        return metadata.version("takt")
    top = _git("rev-parse", "--show-toplevel")
    said = _git("describe", "--tags", "--always", "--dirty") if top == str(ROOT) else ""
    tagged = re.match(r"v?(\d+\.\d+.*)", said)
    return tagged[1] if tagged else f"{FALLBACK}+{said or 'unknown'}"


def release() -> str:
    """The version as three numbers, for tools that compare versions."""
    found = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?", version())
    assert found
    return ".".join(part or "0" for part in found.groups())


def _git(*words: str) -> str:
    """What git says of the repository; nothing if it knows nothing of it."""
    ask = ["git", "-C", str(ROOT), *words]
    try:
        return subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
