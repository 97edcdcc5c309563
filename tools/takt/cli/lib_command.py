"""takt lib list."""

from __future__ import annotations

import typer

from takt.cli.options import (
    BoardOption,
    DefineOption,
    JsonOption,
    LibraryOption,
    SketchArgument,
    example,
)

app = typer.Typer(help="Libraries that sketches use.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """With a callback, a single command keeps its name."""


@app.command("list", epilog=example("takt lib list examples/rover"))
def lib_list(
    folder: SketchArgument,
    board: BoardOption = None,
    library: LibraryOption = None,
    define: DefineOption = None,
    json: JsonOption = False,
) -> None:
    """List the libraries a sketch uses, where they are, and which file asks for each."""
    from takt.build import build
    from takt.cli import console
    from takt.paths import shown
    from takt.world import world

    chosen = world.board_for(folder, board)
    uses = build.libraries_of(folder, chosen, library or (), define or ())
    if json:
        objects = [
            {
                "name": one.name,
                "version": one.properties.get("version", ""),
                "folder": shown(one.folder),
                "header": one.header,
                "asked": shown(one.asker),
            }
            for one in uses
        ]
        console.print_json({"libraries": objects})
        return
    for one in uses:
        version = one.properties.get("version", "")
        print(f"{one.name} {version}".rstrip())
        print(f"  in {shown(one.folder)}")
        print(f"  for {one.header}, included from {shown(one.asker)}")
    if not uses:
        print("no libraries")
