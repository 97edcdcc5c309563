"""What commands do that need a built sketch."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def build(
    folder: Path,
    board: str | None,
    trace: bool = True,
    out: Path | None = None,
    libraries: list[Path] | None = None,
    verbose: bool = False,
    admit: bool = True,
    lto: bool = False,
) -> Any:
    """Builds a sketch as the command line says, with a bar that shows how far it is."""
    from takt import build as builder
    from takt import console, world

    chosen = world.board_for(folder, board)
    with console.progress_bar("build") as progress:
        built = builder.build(
            folder, chosen, trace, out, libraries or (), admit=admit, lto=lto, progress=progress
        )
    if verbose and built.compiler_output:
        console.stderr().print(built.compiler_output, markup=False, soft_wrap=True)
    return built
