"""takt lab list, takt lab run."""

from __future__ import annotations

from typing import Annotated

import typer

from takt.options import BoardOption, JsonOption, example

app = typer.Typer(help="Measurements, beside what the papers report.", no_args_is_help=True)


@app.command("list", epilog=example("takt lab list"))
def lab_list(json: JsonOption = False) -> None:
    """List the labs."""
    from takt import console, lab

    labs = lab.available().values()
    if json:
        console.print_json({"labs": [{"name": one.name, "about": one.about} for one in labs]})
        return
    for one in labs:
        print(f"{one.name:20} {one.about}")


@app.command("run", epilog=example("takt lab run platform.speed"))
def lab_run(
    name: Annotated[str, typer.Argument(help="A lab's name, or all.")],
    board: BoardOption = "pico",
    json: JsonOption = False,
) -> None:
    """Measure."""
    from takt import console, lab

    outcomes = lab.run(name, board, {})
    if json:
        one = outcomes[0].as_dict()
        console.print_json({"labs": [o.as_dict() for o in outcomes]} if name == "all" else one)
        return
    for outcome in outcomes:
        outcome.show(console.stdout())
