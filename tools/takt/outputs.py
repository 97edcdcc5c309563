"""The files of a run's report: all of them, or none."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from takt import html, perfetto, timeline, vcd
from takt.errors import UserError
from takt.paths import shown

if TYPE_CHECKING:
    from takt.run import Result


def verdict(result: Result) -> str:
    """What admission said, as a sentence."""
    admission = result.build.admission
    return admission.explain() if admission else "no loop has a budget: nothing to admit"


def write_files(result: Result, out_dir: Path) -> dict[str, str]:
    """Writes timeline.png, timeline.html, trace.perfetto.json and signals.vcd."""
    scene, row = result.scene, result.as_dict()
    writers: dict[str, tuple[str, Callable[[Path], None]]] = {
        "timeline_png": ("timeline.png", lambda path: timeline.draw(scene, path)),
        "timeline_html": (
            "timeline.html",
            lambda path: html.write(scene, row, verdict(result), path),
        ),
        "perfetto": ("trace.perfetto.json", lambda path: perfetto.write(scene, path)),
        "vcd": ("signals.vcd", lambda path: vcd.write(scene, path)),
    }
    made: list[tuple[Path, Path]] = []
    try:
        out_dir.mkdir(parents=True, exist_ok=True)
        for name, write in writers.values():
            new = out_dir / f".new.{name}"
            made.append((new, out_dir / name))
            write(new)
        for new, final in made:
            os.replace(new, final)
    except OSError as error:
        raise _said(error, out_dir) from error
    finally:
        for new, _ in made:
            new.unlink(missing_ok=True)
    return {key: shown(out_dir / name) for key, (name, _) in writers.items()}


def _said(error: OSError, out_dir: Path) -> UserError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return UserError("the disk is full", shown(out_dir), "free some space and repeat")
    reason = error.strerror or str(error)
    return UserError(
        f"cannot write the report: {reason}", shown(out_dir), "choose a folder with --out"
    )
