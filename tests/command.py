"""The command line as a user runs it, in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from takt.cli import forks
from takt.paths import ROOT

TIMEOUT_S = 300


@dataclass(frozen=True)
class Ran:
    """What a program has left."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.out)


def run(*arguments: str | Path, cwd: Path | None = None, **environment: str) -> Ran:
    """takt ARGUMENTS, the same in fewer words."""
    done = takt(*arguments, cwd=cwd, **environment)
    return Ran(done.returncode, done.stdout, done.stderr)


def takt(
    *arguments: str | Path, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """takt ARGUMENTS, in the project's folder unless told."""
    words = ["takt", *map(str, arguments)]
    with TemporaryDirectory() as folder:
        said = Path(folder, "out"), Path(folder, "err")
        for path in said:
            path.touch()
        process = forks.start(_run, words, cwd or ROOT, os.environ | environment, *said)
        try:
            process.join(TIMEOUT_S)
            if process.exitcode is None:
                raise subprocess.TimeoutExpired(words, TIMEOUT_S)
        finally:
            if process.exitcode is None:
                _kill(process)
        out, err = (path.read_text(encoding="utf-8") for path in said)
        return subprocess.CompletedProcess(words, process.exitcode, out, err)


def _kill(process: ForkServerProcess) -> None:
    """With what it has started."""
    with suppress(ProcessLookupError):  # it leads no group yet
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.join()


def _run(words: list[str], cwd: Path, environment: Mapping[str, str], out: Path, err: Path) -> None:
    """In the process, which leads the group of all that it starts."""
    os.setsid()
    for number, path in ((0, os.devnull), (1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY if number else os.O_RDONLY), number)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = words
    from takt.__main__ import main

    main()
