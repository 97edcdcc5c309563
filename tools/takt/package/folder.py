"""The folder that a package is written to: new, empty, or with an earlier package of the kind."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from takt import boards
from takt.boards import Board
from takt.build import images
from takt.errors import UserError
from takt.paths import BUILD, COMMAND, INSTALLED, ROOT, shown


def command() -> Path:
    """What packages call; of an installed Takt as it is called now: an update leaves it there."""
    if not INSTALLED:
        return ROOT / COMMAND
    called = Path(sys.argv[0])
    found = str(called) if called.name == COMMAND and called.is_file() else shutil.which(COMMAND)
    if not found:
        fix = "put the folder of takt into the PATH"
        raise UserError("a package calls takt, which is not in the PATH", "takt package", fix)
    return Path(found).absolute()


def flashed() -> list[Board]:
    """Boards that a package is for: those whose programs are written into a flash."""
    found = map(boards.load, boards.names())
    return [board for board in found if images.kinds(board)]


def prepared(kind: str, named: Path | None, own: list[str]) -> Path:
    """The folder, with nothing of an earlier package in it. own: what packages of the kind consist
    of, the file first by which one is known."""
    folder = (named or BUILD / "package" / kind).resolve()
    if folder.exists() and not folder.is_dir():
        raise UserError("not a folder", shown(folder), "name a new or an empty one", 2)
    if folder.is_dir() and any(folder.iterdir()) and not (folder / own[0]).is_file():
        what = f"already there, and no package of takt package {kind}"
        raise UserError(what, shown(folder), "name a new or an empty folder", 2)
    for path in [found for pattern in own for found in folder.glob(pattern)]:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    return folder


def write(files: dict[Path, str]) -> None:
    """All files, with their folders; scripts may be run."""
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if text.startswith("#!"):
            path.chmod(0o755)
