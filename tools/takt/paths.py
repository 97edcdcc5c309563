"""Where things are: the repository, and how a file is named to the user."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
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
