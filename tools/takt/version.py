"""Which Takt this is: the package's version, which tags of the repository give, or in the repository
what git says of it."""

from __future__ import annotations

import subprocess
from importlib import metadata

from takt.paths import INSTALLED, ROOT, shown


def version() -> str:
    if INSTALLED:
        return metadata.version("takt")
    ask = ["git", "-C", str(ROOT), "describe", "--tags", "--always", "--dirty"]
    try:
        said = subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        said = "unknown: no repository"
    return said.removeprefix("v")


def told() -> str:
    return f"takt {version()} ({shown(ROOT)})"
