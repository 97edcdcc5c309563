"""Arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

SketchArgument = Annotated[
    Path, typer.Argument(metavar="SKETCH", help="Folder of the sketch, or its .ino file.")
]
BoardOption = Annotated[
    str | None,
    typer.Option("--board", "-b", help="See: takt boards. Default: as world.toml says, or pico."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]
TraceOption = Annotated[bool, typer.Option("--trace/--no-trace", help="Record what happens.")]
OutOption = Annotated[Path | None, typer.Option("--out", "-o", help="Folder for the outputs.")]
LibraryOption = Annotated[
    list[Path] | None, typer.Option("--library", "-l", help="A library, or a folder of libraries.")
]
VerboseOption = Annotated[bool, typer.Option("--verbose", "-v", help="Show compiler warnings.")]
SecondsOption = Annotated[float, typer.Option("--seconds", "-s", help="Virtual time.")]


def example(text: str) -> str:
    """The example of a command's help."""
    return f"Example: [bold]{text}[/bold]"
