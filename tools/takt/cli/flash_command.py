"""takt flash: writes a sketch into the flash of a board on the desk."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from takt.cli.options import BoardOption, CompilerOption, DefineOption, JsonOption, LibraryOption

IMAGE = ".hex"
ImageArgument = Annotated[
    Path,
    typer.Argument(
        metavar="SKETCH",
        help="Folder of the sketch, or its .ino file; or a .hex file that was built for the board.",
    ),
]
PortOption = Annotated[
    str | None,
    typer.Option("--port", "-p", help="Serial port of the board. Default: the only one."),
]


def flash(
    folder: ImageArgument,
    board: BoardOption = None,
    port: PortOption = None,
    library: LibraryOption = None,
    define: DefineOption = None,
    compiler: CompilerOption = None,
    json: JsonOption = False,
) -> None:
    """Build without the trace and write it into a board's flash, by avrdude."""
    from takt import boards
    from takt.build import flashing
    from takt.cli import console
    from takt.cli.building import build
    from takt.world import world

    if folder.suffix == IMAGE:
        chosen = boards.load(board or world.USUAL_BOARD)
        way, name = flashing.way(chosen, port), folder.name
        said = way.write(flashing.image(folder))
    else:
        chosen = world.board_for(folder, board)
        way = flashing.way(chosen, port)
        how = {"libraries": library, "defines": define, "compiler": compiler}
        built = build(folder, board, trace=False, **how)
        name = f"{built.name}: {built.flash_bytes} bytes"
        said = way.write(built.files["hex"])
    if json:
        console.print_json({"board": chosen.name, "port": way.port, "log": said})
    else:
        print(f"{name} in the flash of {way.where}")
