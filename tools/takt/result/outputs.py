"""The files of a run's report: all of them, or none."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from takt.errors import UserError
from takt.paths import COMMAND, shown
from takt.result.pictures import html, part_pictures, perfetto, vcd

if TYPE_CHECKING:
    from takt.result.pictures.scene import Scene
    from takt.result.result import Result
    from takt.world.parts.base import Held

PICTURE, SERIAL = "timeline.png", "serial.txt"
PUBLIC = {  # key in the JSON object -> file
    "timeline_png": PICTURE,
    "timeline_html": "timeline.html",
    "perfetto": "trace.perfetto.json",
    "vcd": "signals.vcd",
    "serial": SERIAL,
}
SAVED, EVENTS = "report.json", "trace.bin"  # for takt report and takt trace


def write_files(result: Result, out_dir: Path, picture: bool = True) -> None:
    """Writes everything and notes the paths in result.files. picture: False leaves it out, which
    takes longer to draw than all others to write."""
    folder = Path(os.path.abspath(out_dir))
    scene, seen = result.scene, part_pictures.for_files(result.pictures)
    every: dict[str, Callable[[Path], Any]] = {
        "timeline.html": lambda path: html.write(scene, result, path),
        "trace.perfetto.json": lambda path: perfetto.write(scene, path),
        "signals.vcd": lambda path: vcd.write(scene, path),
        SERIAL: lambda path: path.write_text(result.serial.replace("\r\n", "\n"), newline=""),
        SAVED: lambda path: path.write_text(json.dumps(result.saved(), indent=1)),
        EVENTS: lambda path: path.write_bytes(result.raw_trace),
        **{n: lambda path, t=t: _keep(t, path) for n, t in result.texts.items()},
        **{n: lambda path, b=b: path.write_bytes(b) for n, b in seen.items()},
        PICTURE: lambda path: _draw(scene, path),
    }
    left_out = {PICTURE: not picture, SERIAL: not result.serial}
    writers = {name: write for name, write in every.items() if not left_out.get(name)}
    public = {key: name for key, name in PUBLIC.items() if name in writers}
    public |= {name: name for name in (*result.texts, *seen)}
    result.files = {key: str(folder / name) for key, name in public.items()}
    new = {name: folder / f".new.{name}" for name in writers}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, write in writers.items():
            write(new[name])
        for name, path in new.items():
            os.replace(path, folder / name)
        for name in every.keys() - writers.keys():  # that of an earlier run
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise _said(error, folder) from error
    finally:
        for path in new.values():
            path.unlink(missing_ok=True)


def _keep(held: Held, path: Path) -> None:
    if callable(held):
        held(path)
    else:
        path.write_bytes(held if isinstance(held, bytes) else held.encode())


def _draw(scene: Scene, path: Path) -> None:
    from takt.result.pictures import timeline  # matplotlib takes as long to load as all else

    timeline.draw(scene, path)


def _said(error: OSError, folder: Path) -> UserError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return UserError("the disk is full", shown(folder), "free some space and repeat")
    reason = error.strerror or str(error)
    return UserError(
        f"cannot write the report: {reason}", shown(folder), "choose a folder with --out"
    )


def last_of(folders: list[Path]) -> Path:
    """Where the last run has left its files; the first one, if there was none."""
    ran = [folder for folder in folders if (folder / SAVED).is_file()]
    return max(ran, key=lambda folder: (folder / SAVED).stat().st_mtime_ns, default=folders[0])


def load_saved(folder: Path) -> dict[str, Any]:
    """report.json of the last run, or an error that says how to make one."""
    path = folder / SAVED
    try:
        return json.loads(path.read_text())
    except OSError as error:
        raise UserError(
            "no run is recorded here", shown(folder), f"{COMMAND} run SKETCH"
        ) from error


@contextmanager
def reading(folder: Path) -> Iterator[None]:
    """What the last run has left is read here, however it has been damaged since."""
    try:
        yield
    except (AttributeError, LookupError, TypeError, ValueError, ArithmeticError) as error:
        what = f"what the last run has left is damaged ({type(error).__name__}: {error})"
        raise UserError(what, shown(folder), f"run it again: {COMMAND} run SKETCH") from error
