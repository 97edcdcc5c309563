"""takt docs: the documents and the reference of the API as a site."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from takt.cli.options import JsonOption
from takt.paths import BUILD, shown

FolderArgument = Annotated[
    Path | None, typer.Argument(metavar="FOLDER", help="Where to. Default: build/docs.")
]


def docs(folder: FolderArgument = None, json: JsonOption = False) -> None:
    """Make a site of the documents and the headers, and check its links."""
    from takt.cli import console
    from takt.pages import site

    made = site.build(folder or BUILD / "docs")
    if json:
        console.print_json(made.as_dict())
    else:
        print(f"{len(made.pages)} pages, {len(made.headers)} headers, no broken link")
        print(f"site     {shown(made.folder / 'index.html')}")
