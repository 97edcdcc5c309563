"""What takt build says of a finished build."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from takt.build.build import Build
from takt.cli.console import print_line
from takt.cli.size import bar
from takt.paths import shown

if TYPE_CHECKING:
    from rich.console import Console


def build_dict(built: Build) -> dict[str, Any]:
    """For --json."""
    return {
        "sketch": built.name,
        "board": built.board.name,
        "trace": built.trace,
        "files": {kind: str(path) for kind, path in built.files.items()},
        "flash_bytes": built.flash_bytes,
        "ram_bytes": built.ram_bytes,
        "admission": built.admission.as_dict() if built.admission else None,
        "assumed": built.assumed,
        "told": _told(built),
        "threads": [
            {
                "name": t.name,
                "place": t.place,
                "budget_us": t.budget_us,
                "period_us": t.period_us,
                "stack_size": t.stack_size,
                "stack_need": t.stack_need,
            }
            for t in built.threads
        ],
        "warnings": built.warnings,
    }


def _told(built: Build) -> list[str]:
    """The verdict, and what of it rests on figures of another compilation."""
    return [built.admission.explain(), *built.costs_of] if built.admission else []


def show_build(built: Build, console: Console) -> None:
    board = built.board
    for line in _told(built):
        print_line(console, line)
    console.print(bar("flash", built.flash_bytes, board.flash.size))
    console.print(bar("RAM", built.ram_bytes, board.ram.size))
    for path in built.files.values():
        console.print(shown(path), markup=False, soft_wrap=True)
