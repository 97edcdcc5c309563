"""What the command line prints: results on stdout, everything else on stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from takt.build.ninja import Progress
from takt.errors import UserError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar

_bar: Bar | None = None
PIPE_WIDTH = 120  # columns where the output is no terminal, unless COLUMNS says


def stdout() -> Console:
    from rich.console import Console

    known = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(highlight=False, width=None if known else PIPE_WIDTH)


def stderr() -> Console:
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def print_line(to: Console, text: str, style: str | None = None) -> None:
    """A line of text, as it is; a terminal's is broken between words."""
    to.print(text, markup=False, style=style, soft_wrap=not to.is_terminal)


def print_json(value: dict[str, Any]) -> None:
    """One object on stdout."""
    sys.stdout.write(json.dumps(value, indent=2, allow_nan=False) + "\n")


def print_error(error: UserError, as_json: bool) -> None:
    """What, where and fix; what a tool said comes before them."""
    if as_json:
        print_json({"error": error.as_dict()} | error.facts)
    console = stderr()
    if error.detail:
        console.print(error.detail, markup=False, style="dim", soft_wrap=True)
    where = f"{error.where}: " if error.where else ""
    print_line(console, f"error: {where}{error.what}", "bold red")
    if error.fix:
        print_line(console, f"  fix: {error.fix}")


def note(text: str) -> None:
    """A line on stderr, above a progress bar if there is one."""
    if _bar is not None:
        _bar.console.print(text, markup=False, soft_wrap=True)
    else:
        print(text, file=sys.stderr, flush=True)


def print_warnings(warnings: list[str]) -> None:
    for warning in warnings:
        print_line(stderr(), f"warning: {warning}", "yellow")


@contextmanager
def progress_bar(title: str) -> Iterator[Progress]:
    """A bar on stderr while something is going on; nothing where stderr is no terminal."""
    console = stderr()
    if not console.is_terminal:
        yield lambda _what, _done, _total: None
        return
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    global _bar
    with Bar(*columns, console=console, transient=True) as bar:
        _bar = bar
        task = bar.add_task(title, total=None)

        def report(what: str, done: int, total: int) -> None:
            bar.update(task, description=f"{title}: {what}", completed=done, total=total)

        try:
            yield report
        finally:
            _bar = None
