"""takt --version, takt --cmake-dir: which Takt this is, and where."""

from __future__ import annotations

import subprocess
from importlib import metadata
from typing import Annotated

import typer

from takt.paths import INSTALLED, ROOT, shown


def version() -> str:
    """The package's, which tags of the repository give; in the repository what git says of it."""
    if INSTALLED:
        return metadata.version("takt")
    ask = ["git", "-C", str(ROOT), "describe", "--tags", "--always", "--dirty"]
    try:
        said = subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown, for git knows nothing of it"
    return said.removeprefix("v")


def _version(asked: bool) -> None:
    if asked:
        print(f"takt {version()} ({shown(ROOT)})")
        raise typer.Exit


def _cmake_folder(asked: bool) -> None:
    if asked:
        print(ROOT / "cmake")
        raise typer.Exit


def takt(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Which Takt this is."),
    ] = False,
    cmake_dir: Annotated[
        bool,
        typer.Option(
            "--cmake-dir",
            callback=_cmake_folder,
            is_eager=True,
            help="Takt_DIR, for CMake's find_package().",
        ),
    ] = False,
) -> None:
    """Real-time loops for small computers: each gets its CPU budget C in every period T."""
