"""takt --version, takt --cmake-dir: which Takt this is, and where."""

from __future__ import annotations

from typing import Annotated

import typer

from takt import paths
from takt.paths import ROOT, shown


def _version(asked: bool) -> None:
    if asked:
        print(f"takt {paths.version()} ({shown(ROOT)})")
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
