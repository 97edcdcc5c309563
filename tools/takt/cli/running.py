"""What `takt run` builds and runs: the program with the trace or, where that does not fit and
--trace does not insist, the one that is flashed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from takt.cli import building, console
from takt.errors import UserError

if TYPE_CHECKING:
    from takt.boards import Board
    from takt.result.result import Result


@dataclass(frozen=True)
class Asked:
    """What the command line says of the build."""

    folder: Path
    board: str | None
    trace: bool | None  # None: if it fits
    out: Path | None
    libraries: list[Path] | None
    how: dict[str, Any]  # other arguments of building.build()

    def build(self, trace: bool, verbose: bool = False) -> Any:
        places = (self.out, self.libraries, verbose)
        return building.build(self.folder, self.board, trace, *places, **self.how)


def run(asked: Asked, seconds: float, verbose: bool, picture: bool) -> Result:
    """Builds, runs, and writes the files of the report."""
    from takt.build import sketch
    from takt.cli import run as runner
    from takt.result import outputs
    from takt.world import world

    board = world.board_for(asked.folder, asked.board)
    around = world.load(sketch.find(asked.folder).folder, board)
    built, told = _built(asked, verbose)
    with console.progress_bar("run") as progress:
        result = runner.run(built, around, seconds, progress, asked.how["cpus"])
        result.warnings[:0] = told
        result.warnings += _without_trace(asked, result)
        outputs.write_files(result, built.out, picture)
    return result


def _built(asked: Asked, verbose: bool) -> tuple[Any, list[str]]:
    """And what is to be said of it."""
    from takt.build.linker import OVERFLOW

    try:
        return asked.build(asked.trace is not False, verbose), []
    except UserError as error:
        if asked.trace is not None or asked.how["lto"] or OVERFLOW not in error.what:
            raise
        try:
            built = asked.build(False, verbose)
        except UserError:
            raise error from None  # the larger one tells more: what takes the room, and the trace
        excess = error.what.removeprefix("the sketch ")
        return built, [f"ran without the trace, as takt flash writes it: with it, it {excess}"]


def _without_trace(asked: Asked, result: Result) -> list[str]:
    """After a malloc() that failed: how much more there is in the program that is flashed."""
    if not result.out_of_memory or not result.build.trace:
        return []
    try:
        more = result.build.ram_bytes - asked.build(False).ram_bytes
    except UserError:
        return []
    what = f"the program that takt flash writes has {more} bytes more for malloc(), having no trace"
    return [f"{what}: takt run --no-trace runs that"] if more > 0 else []


def last_folder(folder: Path, board: Board, out: Path | None) -> Path:
    """Where the last run of a sketch has left its files, however it was compiled."""
    from takt import boards
    from takt.build import build, sketch, variants
    from takt.result import outputs

    found = sketch.find(folder)
    every = product(variants.SUFFIX, boards.COMPILERS, (False, True))
    kinds = ((one, replace(board, compiler=how, checks=checks)) for one, how, checks in every)
    return outputs.last_of([build.folder_of(found, kind, one, out) for one, kind in kinds])
