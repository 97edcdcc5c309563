"""What commands do that need a built sketch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from takt.errors import UserError

if TYPE_CHECKING:
    from takt.boards import Board


def note_if_new(board: Board) -> None:
    """Of a first build, which takes a while."""
    from takt.build import cmake
    from takt.cli import console

    if cmake.is_new(board):
        console.note(f"building what programs for {board.libraries} link with, once")


def build(
    folder: Path,
    board: str | None,
    trace: bool = True,
    out: Path | None = None,
    libraries: list[Path] | None = None,
    verbose: bool = False,
    admit: bool = True,
    lto: bool = False,
    flash: bool = False,
    iso: bool = False,
    cpus: int = 1,
    compiler: str | None = None,
    checks: bool = False,
    depfile: Path | None = None,
    defines: list[str] | None = None,
    warnings: bool = False,
) -> Any:
    """Builds a sketch as the command line says, with a bar that shows how far it is."""
    from takt import boards
    from takt.build import boot_disc, depends
    from takt.build import build as builder
    from takt.cli import console
    from takt.world import world

    if compiler not in (None, *boards.COMPILERS):
        fix = f"choose {' or '.join(boards.COMPILERS)}"
        raise UserError(f"no compiler '{compiler}' is known here", "--compiler", fix, 2)
    named = world.board_for(folder, board)
    chosen = replace(named, compiler=compiler or named.compiler, checks=checks)
    most = chosen.raw.get("cpus", 1)
    if cpus > most:
        has = "one CPU" if most == 1 else f"at most {most} CPUs"
        fix = "use --board pc" if most == 1 else f"choose 1 to {most}"
        raise UserError(f"{cpus} CPUs, and {chosen.name} has {has}", "--cpus", fix, 2)
    note_if_new(chosen)
    with console.progress_bar("build") as progress:
        built = builder.build(
            folder,
            chosen,
            trace,
            out,
            libraries or (),
            admit=admit,
            lto=lto,
            flash=flash,
            cpus=cpus,
            defines=defines or (),
            progress=progress,
        )
    boot_disc.make(built, iso)
    if depfile:
        depends.write(depfile, built)
    if said := built.compiler_output if verbose else built.own_warnings if warnings else "":
        console.stderr().print(said, markup=False, soft_wrap=True)
    return built
