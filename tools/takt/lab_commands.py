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


PlotOption = Annotated[bool, typer.Option("--plot", help="Draw each as build/lab/<lab>.png.")]


@app.command("run", epilog=example("takt lab run qduino.fig8 --plot"))
def lab_run(
    name: Annotated[str, typer.Argument(help="A lab's name, <group>.all, or all.")],
    board: BoardOption = "pico",
    json: JsonOption = False,
    plot: PlotOption = False,
) -> None:
    """Measure."""
    from takt import console, lab
    from takt.paths import shown

    with console.progress_bar("lab") as progress:
        outcomes = lab.run(name, board, {}, progress)
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
