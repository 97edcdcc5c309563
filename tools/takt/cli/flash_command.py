"""takt flash: writes a sketch into the flash of a board on the desk."""

from __future__ import annotations

from typing import Annotated

import typer

from takt.cli.options import BoardOption, JsonOption, LibraryOption, SketchArgument

PortOption = Annotated[
    str | None,
    typer.Option("--port", "-p", help="Serial port of the board. Default: the only one."),
]


def flash(
    folder: SketchArgument,
    board: BoardOption = None,
    port: PortOption = None,
    library: LibraryOption = None,
    json: JsonOption = False,
) -> None:
    """Build without the trace and write it into a board's flash, by avrdude."""
    from takt.build import flashing
    from takt.cli import console
    from takt.cli.building import build
    from takt.world import world

    way = flashing.way(world.board_for(folder, board), port)
    built = build(folder, board, trace=False, libraries=library)
    said = way.write(built.files["hex"])
    if json:
        console.print_json({"board": built.board.name, "port": way.port, "log": said})
    else:
        print(f"{built.name}: {built.flash_bytes} bytes in the flash of {way.where}")
