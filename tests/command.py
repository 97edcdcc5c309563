"""The command line as a user runs it, in a process of its own: a fork of one that has read it and
the large libraries, which takes most of the time of a command."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Mapping
from multiprocessing import forkserver
from pathlib import Path
from tempfile import TemporaryDirectory

from takt.paths import ROOT

TIMEOUT_S = 300
W = os.O_WRONLY | os.O_CREAT
LIBRARIES = (
    *("capstone", "cffi.cparser", "elftools.elf.elffile", "elftools.dwarf.dwarfinfo", "numpy"),
    *("matplotlib.figure", "matplotlib.backends.backend_agg", "rich.console", "typer"),
    *(f"PIL.{format}ImagePlugin" for format in ("Bmp", "Gif", "Jpeg", "Png", "Ppm")),
    *(f"takt.{own}" for own in ("boot_disc", "build", "check", "cli", "console", "machine")),
    *(f"takt.{own}" for own in ("machines", "outputs", "report", "run", "stimuli", "world_file")),
)
PYTHON_PATH = "PYTHONPATH"

_servers = multiprocessing.get_context("forkserver")
_servers.set_forkserver_preload(list(LIBRARIES))


def _serve() -> None:
    """The server finds takt by the environment only (CPython issue 117378)."""
    before = os.environ.get(PYTHON_PATH)
    os.environ[PYTHON_PATH] = str(ROOT / "tools")
    forkserver.ensure_running()
    del os.environ[PYTHON_PATH]
    if before is not None:
        os.environ[PYTHON_PATH] = before


def takt(
    *arguments: str | Path, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """takt ARGUMENTS, in the project's folder unless told."""
    words = ["takt", *map(str, arguments)]
    with TemporaryDirectory() as folder:
        said = Path(folder, "out"), Path(folder, "err")
        own = (words, cwd or ROOT, os.environ | environment, *said)
        process = _servers.Process(target=_run, args=own)
        _serve()
        process.start()
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
    from takt.cli import main

    main()
