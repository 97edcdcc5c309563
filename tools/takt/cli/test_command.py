"""takt test."""

from __future__ import annotations

from typing import Annotated

import typer

from takt.cli.options import JsonOption


def test(
    below: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FOLDER]...", help="Everything in these, as system/pipes."),
    ] = None,
    keyword: Annotated[str, typer.Option("-k", help="Everything whose name has this.")] = "",
    everything: Annotated[
        bool, typer.Option("--all", help="All boards and all random cases, not a part of them.")
    ] = False,
    long: Annotated[bool, typer.Option("--long", help="Also tests that take minutes.")] = False,
    jobs: Annotated[int, typer.Option("-j", min=1, help="CPUs to keep busy; 1: one by one.")] = 2,
    json: JsonOption = False,
) -> None:
    """Run tests; unless told, system tests on one board only and a tenth of the random cases."""
    from takt.cli import console, tally
    from takt.cli import test as tests
    from takt.cli.tally import Extent

    named = everything or below or keyword
    extent = Extent.LONG if long else Extent.ALL if named else Extent.ORDINARY
    with console.progress_bar("test") as progress:
        results = tests.run(below or [], keyword, extent, jobs, console.note, progress)
    total = tally.total(results)
    if json:
        stages = {name: vars(count) for name, count in results.items()}
        console.print_json({"stages": stages, **vars(total)})
    else:
        if failed := [name for name, count in results.items() if count.failed]:
            console.note(f"failures in {', '.join(failed)}")
        print(tally.summary(total, extent))
    raise typer.Exit(1 if total.failed or not total.passed else 0)
