"""Processes that are forks of one that has imported what takes most of the time of a command."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable
from functools import cache
from multiprocessing import forkserver
from multiprocessing.connection import wait
from multiprocessing.context import ForkServerProcess

from takt.paths import ROOT

LIBRARIES = (
    *("capstone", "cffi.cparser", "elftools.elf.elffile", "elftools.dwarf.dwarfinfo", "numpy"),
    *("matplotlib.figure", "matplotlib.backends.backend_agg", "rich.console", "typer"),
    *(f"PIL.{format}ImagePlugin" for format in ("Bmp", "Gif", "Jpeg", "Png", "Ppm")),
    *(f"takt.{own}" for own in ("boot_disc", "build", "check", "cli", "console", "machine")),
    *(f"takt.{own}" for own in ("machines", "outputs", "report", "run", "stimuli", "world_file")),
)
PYTHON_PATH = "PYTHONPATH"

_servers = multiprocessing.get_context("forkserver")
_one_at_a_time = threading.Lock()


def start(
    target: Callable[..., None], *arguments: object, modules: tuple[str, ...] = ()
) -> ForkServerProcess:
    """Calls target, with picklable arguments, in a process that has imported LIBRARIES and these
    modules; those of the first call are imported for all."""
    process = _servers.Process(target=target, args=arguments)
    with _one_at_a_time:
        _servers.set_forkserver_preload([*LIBRARIES, *modules])
        _start_server()
        process.start()
    return process


def exit_code(process: ForkServerProcess) -> int:
    """Waits for its end."""
    wait([process.sentinel])
    with _one_at_a_time:  # start() looks at other processes' codes, and each can be read once only
        process.join()
    assert process.exitcode is not None
    return process.exitcode


@cache
def _start_server() -> None:
    """It finds takt by the environment only (CPython issue 117378)."""
    before = os.environ.get(PYTHON_PATH)
    os.environ[PYTHON_PATH] = str(ROOT / "tools")
    forkserver.ensure_running()
    if before is None:
        del os.environ[PYTHON_PATH]
    else:
        os.environ[PYTHON_PATH] = before
