"""takt can: tells what is in a log of CAN frames."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from takt.cli.options import JsonOption

LogArgument = Annotated[
    Path, typer.Argument(help="A log as candump -L writes it, such as the can.log of a run.")
]
DbcOption = Annotated[
    Path | None,
    typer.Option("--dbc", help="A database (.dbc) that names the messages and their signals."),
]
BusOption = Annotated[str | None, typer.Option("--bus", "-b", help="Only this bus: can0.")]


def can(
    log: LogArgument, dbc: DbcOption = None, bus: BusOption = None, json: JsonOption = False
) -> None:
    """Show the frames of a log by bus and identifier, and their signals."""
    from takt.can import log as can_log
    from takt.cli import console

    kinds = can_log.kinds_of(log, dbc, bus)
    if json:
        console.print_json({"messages": [kind.as_dict() for kind in kinds]})
    else:
        console.stdout().print(can_log.table(kinds))
