"""Arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from takt.errors import UserError


def _boards() -> list[str]:
    from takt import boards

    return boards.names()


SketchArgument = Annotated[
    Path, typer.Argument(metavar="SKETCH", help="Folder of the sketch, or its .ino file.")
]
BoardOption = Annotated[
    str | None,
    typer.Option(
        "--board",
        "-b",
        autocompletion=_boards,
        help="See: takt boards; or its folder: ./my-board. Default: as world.toml says, or pico.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]
TraceOption = Annotated[bool, typer.Option("--trace/--no-trace", help="Record what happens.")]
IfItFitsOption = Annotated[
    bool | None,
    typer.Option("--trace/--no-trace", help="Record what happens. Default: if there is room."),
]
IsoOption = Annotated[
    bool,
    typer.Option(
        "--iso",
        help="Also make a disc (NAME.iso) that a PC boots the program from, by BIOS or UEFI; "
        "board pc.",
    ),
]

LtoOption = Annotated[
    bool,
    typer.Option(
        "--lto",
        help="Optimise a C program of threads and semaphores at link time: waiting and signalling "
        "become part of it where they are called in one place. Without the trace, as --no-trace.",
    ),
]

FlashOption = Annotated[
    bool,
    typer.Option(
        "--flash",
        help="Leave code and constants of the sketch and its libraries in flash, but for what "
        "handlers of interrupts need; __not_in_flash_func(name) keeps a function in RAM. Board "
        "pico.",
    ),
]


def _folder(text: str) -> Path:
    """A folder that is named: an empty name would be the current one."""
    if not text:
        raise UserError("an empty name of a folder", "--out or --library", "name a folder", 2)
    return Path(text)


def _macro(text: str) -> str:
    """A macro's name, or NAME=VALUE."""
    if not text.partition("=")[0].isidentifier():
        raise UserError(f"'{text}' is no macro", "--define", "write NAME or NAME=VALUE", 2)
    return text


OutOption = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="PATH", parser=_folder, help="Folder for the outputs."),
]
LibraryOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--library", "-l", metavar="PATH", parser=_folder,
        help="A library, or a folder of libraries.",
    ),
]  # fmt: skip
DepfileOption = Annotated[
    Path | None,
    typer.Option(metavar="PATH", help="What the build depends on, in a file as for make."),
]
DefineOption = Annotated[
    list[str] | None,
    typer.Option("--define", "-D", metavar="NAME[=VALUE]", parser=_macro, help="Define a macro."),
]
VerboseOption = Annotated[bool, typer.Option("--verbose", "-v", help="Show compiler warnings.")]
WarningsOption = Annotated[
    bool, typer.Option("--warnings", help="Show compiler warnings of the sketch's own files.")
]
CompilerOption = Annotated[
    str | None,
    typer.Option("--compiler", metavar="gcc|clang", help="Boards with a Cortex-M: by which."),
]
ChecksOption = Annotated[
    bool,
    typer.Option(
        "--checks",
        help="A kernel that looks at its own data and at where it is called from, for finding "
        "mistakes: larger, slower.",
    ),
]
CpusOption = Annotated[int, typer.Option("--cpus", min=1, help="Of a PC: how many there are.")]
SecondsOption = Annotated[float, typer.Option("--seconds", "-s", help="Virtual time.")]


def example(text: str) -> str:
    """The example of a command's help."""
    return f"Example: [bold]{text}[/bold]"
