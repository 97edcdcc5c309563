"""takt lab list, takt lab run."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from takt.options import JsonOption, example

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


class Core(StrEnum):
    """Cores of which the cycles are known."""

    m0 = "m0"
    m0p = "m0p"


BoardOption = Annotated[
    str | None, typer.Option("--board", "-b", help="Default: the one the lab is for.")
]
WaitOption = Annotated[
    int | None,
    typer.Option("--wait-states", min=0, max=1, help="Of flash. elli: both unless told."),
]
CoreOption = Annotated[
    Core | None, typer.Option("--core", help="Whose cycles count. Default: the board's.")
]
AccountOption = Annotated[
    bool, typer.Option("--account", help="Say where the figures come from, byte by byte or cycle.")
]
PlotOption = Annotated[bool, typer.Option("--plot", help="Draw each as build/lab/<lab>.png.")]


@app.command("run", epilog=example("takt lab run qduino.fig8 --plot"))
def lab_run(
    name: Annotated[str, typer.Argument(help="A lab's name, <group>.all, or all.")],
    board: BoardOption = None,
    wait_states: WaitOption = None,
    core: CoreOption = None,
    account: AccountOption = False,
    json: JsonOption = False,
    plot: PlotOption = False,
) -> None:
    """Measure."""
    from takt import console, lab
    from takt.paths import shown

    given = {
        "wait_states": wait_states,
        "core": core.value if core else None,
        "account": account or None,
    }
    options = {option: value for option, value in given.items() if value is not None}
    lab.refuse_strange(name, options)
    with console.progress_bar("lab") as progress:
        outcomes = lab.run(name, board, options, progress)
    pictures = [lab.plot(outcome) if plot else None for outcome in outcomes]
    if json:
        objects = [
            one.as_dict() | ({"plot": shown(picture)} if picture else {})
            for one, picture in zip(outcomes, pictures, strict=True)
        ]
        console.print_json({"labs": objects} if lab.is_group(name) else objects[0])
        return
    for outcome, picture in zip(outcomes, pictures, strict=True):
        outcome.show(console.stdout())
        if picture:
            print(f"picture: {shown(picture)}")
