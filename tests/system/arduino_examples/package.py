"""Debian's package `arduino`, unpacked below build/: fetched once, never part of the repository."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
from pathlib import Path

from takt.paths import BUILD

CATEGORIES = (
    "01.Basics",
    "02.Digital",
    "03.Analog",
    "04.Communication",
    "05.Control",
    "08.Strings",
)
INSIDE = "usr/share/doc/arduino/examples"


def examples() -> Path:
    """The folder of the examples; fetches the package when it is not there yet."""
    folder = BUILD / "test" / "arduino-package"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w") as lock:  # several test processes may come at once
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "unpacked" / INSIDE).is_dir():
            _fetch(folder)
    return folder / "unpacked" / INSIDE


def _fetch(folder: Path) -> None:
    for old in folder.glob("arduino_*.deb"):
        old.unlink()
    done = subprocess.run(
        ["apt-get", "download", "arduino"], cwd=folder, capture_output=True, text=True
    )
    found = list(folder.glob("arduino_*.deb"))
    assert done.returncode == 0 and found, f"apt-get download arduino: {done.stderr}"
    partial = folder / "partial"
    shutil.rmtree(partial, ignore_errors=True)
    subprocess.run(["dpkg-deb", "-x", found[0], partial], check=True)
    partial.rename(folder / "unpacked")


def names(folder: Path) -> set[str]:
    """category/sketch of everything in the categories."""
    return {
        f"{category}/{sketch.parent.name}"
        for category in CATEGORIES
        for sketch in (folder / category).glob("*/*.ino")
    }
