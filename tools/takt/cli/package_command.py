"""takt package: Takt as a platform of other tools."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from takt.cli.building import note_if_new
from takt.cli.options import BoardOption, JsonOption, example

app = typer.Typer(help="Take Takt into Arduino's IDE or PlatformIO.", no_args_is_help=True)
FolderArgument = Annotated[
    Path | None,
    typer.Argument(metavar="FOLDER", help="Where to. Default: below build/package."),
]


@app.command(epilog=example("takt package arduino ~/takt-arduino"))
def arduino(folder: FolderArgument = None, json: JsonOption = False) -> None:
    """Write a hardware package for Arduino's IDE, arduino-cli and arduino-builder."""
    from takt.cli import console
    from takt.package import arduino as package
    from takt.paths import shown

    place = package.create(folder)
    index, hardware = place / package.INDEX, place / "hardware"
    if json:
        console.print_json({"folder": str(place), "index": str(index), "hardware": str(hardware)})
        return
    print(f"made {shown(place)}")
    print(f"copy {shown(hardware / 'takt')} into hardware/ of the sketchbook")
    print(f"or give the board manager of IDE 1.x the address {index.as_uri()}")


@app.command(epilog=example("takt package platformio ~/takt-platformio"))
def platformio(folder: FolderArgument = None, json: JsonOption = False) -> None:
    """Write a platform for PlatformIO."""
    from takt.cli import console
    from takt.package import platformio as package
    from takt.paths import shown

    place = package.create(folder)
    if json:
        console.print_json({"folder": str(place)})
        return
    print(f"made {shown(place)}")
    print(f"in platformio.ini: platform = symlink://{place}")


@app.command(hidden=True, epilog=example("takt package preprocessor --board uno"))
def preprocessor(board: BoardOption = None) -> None:
    """Print the command by which Arduino's tools look for libraries."""
    from takt import boards
    from takt.package import arduino as package
    from takt.world.world import USUAL_BOARD

    chosen = boards.load(board or USUAL_BOARD)
    note_if_new(chosen)
    print(shlex.join(package.preprocessor(chosen)))


@app.command(hidden=True, epilog=example("takt package images --board uno"))
def images(board: BoardOption = None) -> None:
    """Print the kinds of files that a program becomes; cmake/TaktConfig.cmake asks."""
    from takt import boards
    from takt.build import images as found
    from takt.world.world import USUAL_BOARD

    print(*found.outputs(Path(), "", boards.load(board or USUAL_BOARD)))
