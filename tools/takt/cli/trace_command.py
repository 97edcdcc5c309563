"""takt trace: what happened on a board, event by event."""

from __future__ import annotations

from typing import Annotated

import typer

from takt.cli.options import BoardOption, JsonOption, OutOption, SketchArgument
from takt.errors import UserError


def trace(
    folder: SketchArgument,
    board: BoardOption = None,
    thread: Annotated[str, typer.Option("--thread", "-t", help="Only this thread.")] = "",
    start: Annotated[float, typer.Option("--from", help="Seconds.")] = 0.0,
    end: Annotated[float, typer.Option("--to", help="Seconds.")] = 1e12,
    limit: Annotated[int | None, typer.Option("--limit", "-n", min=1, help="Events.")] = None,
    out: OutOption = None,
    json: JsonOption = False,
) -> None:
    """List what the scheduler did in the last run."""
    from takt.cli import console, running
    from takt.result import listing
    from takt.world import world

    chosen = world.board_for(folder, board)
    if start > end:
        raise UserError(f"from {start:g} s to {end:g} s", "--from", "end after the beginning", 2)
    place = running.last_folder(folder, chosen, out)
    rows = listing.of_folder(place, thread, start, end, limit)
    if json:
        console.print_json({"events": [row.as_dict() for row in rows]})
    else:
        print("\n".join(row.line() for row in rows))
