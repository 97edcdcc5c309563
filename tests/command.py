"""The command line as a user runs it, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from takt import forks
from takt.paths import ROOT

TIMEOUT_S = 300
W = os.O_WRONLY | os.O_CREAT


def takt(
    *arguments: str | Path, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """takt ARGUMENTS, in the project's folder unless told."""
    words = ["takt", *map(str, arguments)]
    with TemporaryDirectory() as folder:
        said = Path(folder, "out"), Path(folder, "err")
        process = forks.start(_run, words, cwd or ROOT, os.environ | environment, *said)
        process.join(TIMEOUT_S)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(words, TIMEOUT_S)
        out, err = (path.read_text(encoding="utf-8") for path in said)
        return subprocess.CompletedProcess(words, process.exitcode, out, err)


def _run(words: list[str], cwd: Path, environment: Mapping[str, str], out: Path, err: Path) -> None:
    """In the process."""
    for number, path, flags in ((0, os.devnull, os.O_RDONLY), (1, out, W), (2, err, W)):
        os.dup2(os.open(path, flags), number)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = words
    import takt.__main__  # noqa: F401
