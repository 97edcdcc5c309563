"""takt lab list, takt lab run."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from takt.cli.options import JsonOption, example

app = typer.Typer(help="Measurements, beside what the papers report.", no_args_is_help=True)


@app.command("list", epilog=example("takt lab list"))
def lab_list(json: JsonOption = False) -> None:
    """List the labs."""
    from takt.cli import console
    from takt.cli.labs import lab

    labs = lab.available().values()
    if json:
        console.print_json({"labs": [{"name": one.name, "about": one.about} for one in labs]})
        return
    for one in labs:
        print(f"{one.name:20} {one.about}")


@app.command("setup", epilog=example("takt lab setup pipes"))
def lab_setup(
    group: Annotated[str, typer.Argument(help="Labs that need more than ./takt installs.")],
    json: JsonOption = False,
) -> None:
    """Fetch and build what a group of labs needs."""
    from takt.cli import console
    from takt.cli.labs import lab

    with console.progress_bar("setup") as progress:
        lab.set_up(group, progress)
    if json:
        console.print_json({"ready": group})
    else:
        print(f"ready; next: takt lab run {group}.all")


class Core(StrEnum):
    """Cores of which the cycles are known."""

    m0 = "m0"
    m0p = "m0p"


BoardOption = Annotated[
    str | None, typer.Option("--board", "-b", help="Default: the one the lab is for.")
]
FolderArgument = Annotated[
    Path | None,
    typer.Argument(help="arduino.libraries: of libraries.", exists=True, file_okay=False),
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
SeedsOption = Annotated[
    int | None, typer.Option("--seeds", min=1, max=1000, help="Runs of each case. pipes: 10.")
]
JobsOption = Annotated[
    int | None, typer.Option("--jobs", min=1, max=64, help="Runs at a time. pipes: 1.")
]
KeptOption = Annotated[
    bool, typer.Option("--kept", help="pipes: what was run before, here or in its record.")
]
RecordOption = Annotated[
    bool,
    typer.Option(
        "--record", help="Keep it in lab/*/results; documents that show it are written anew."
    ),
]
PlotOption = Annotated[bool, typer.Option("--plot", help="Draw each as build/lab/<lab>.png.")]


@app.command("run", epilog=example("takt lab run qduino.fig8 --plot"))
def lab_run(
    name: Annotated[str, typer.Argument(help="A lab's name, <group>.all, or all.")],
    folder: FolderArgument = None,
    board: BoardOption = None,
    wait_states: WaitOption = None,
    core: CoreOption = None,
    account: AccountOption = False,
    seeds: SeedsOption = None,
    jobs: JobsOption = None,
    kept: KeptOption = False,
    json: JsonOption = False,
    plot: PlotOption = False,
    record: RecordOption = False,
) -> None:
    """Measure."""
    from takt.cli import console
    from takt.cli.labs import lab
    from takt.cli.labs import pages as lab_pages
    from takt.cli.labs import records as lab_records
    from takt.paths import shown

    given = {
        "wait_states": wait_states,
        "core": core.value if core else None,
        "account": account or None,
        "seeds": seeds,
        "jobs": jobs,
        "kept": kept or None,
        "folder": folder,
    }
    options = {option: value for option, value in given.items() if value is not None}
    lab.refuse_strange(name, options)
    if record:
        lab_records.require_whole(board, options)
        options |= lab_records.AS_RECORDED
    with console.progress_bar("lab") as progress:
        outcomes = lab.run(name, board, options, progress)
    if record:
        for outcome in outcomes:
            if lab_records.has_page(outcome.lab):
                lab_records.save(outcome)
        lab_pages.write_all()
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


@app.command("pages", epilog=example("takt lab pages"))
def lab_pages(json: JsonOption = False) -> None:
    """Draw and write anew what documents show of recorded labs."""
    from takt.cli import console
    from takt.cli.labs import lab
    from takt.cli.labs import pages as lab_pages
    from takt.cli.labs import records as lab_records
    from takt.paths import shown

    for name in lab.available():
        if lab_records.path(name, ".json").exists():
            lab_records.save_picture(name)
    changed = [shown(path) for path in lab_pages.write_all()]
    if json:
        console.print_json({"changed": changed})
    else:
        print("\n".join(changed) or "all are as they should be")
