"""The libraries of this repository, brought up to date by CMake before they are used."""

from __future__ import annotations

import fcntl
import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from takt import boards
from takt.diagnostics import without_ninja
from takt.errors import UserError
from takt.paths import BUILD, ROOT, shown

ARM = ("arm-none-eabi-g++", "gcc-arm-none-eabi libstdc++-arm-none-eabi-newlib")
COMPILERS = {
    "avr": ("avr-g++", "gcc-avr avr-libc"),
    "x86_64": ("x86_64-linux-gnu-g++", "g++-x86-64-linux-gnu musl-dev"),
}  # by core: what to look for, and its packages


@dataclass(frozen=True)
class Target:
    """How sketches for a board are compiled and linked; from <build>/sketch.json."""

    cc: str
    cxx: str
    flags: list[str]
    c_flags: list[str]
    cxx_flags: list[str]
    includes: list[str]
    link_flags: list[str]
    libraries: list[str]  # the compiler's, up to the end of the group
    lto_flags: list[str]  # beside the others, for optimisation at link time
    link_script: str
    trace_events: int
    archives: dict[str, list[str]]

    def tool(self, name: str) -> str:
        """A binutil beside the compiler: nm, objcopy."""
        return self.cc.removesuffix("gcc") + name if self.cc.endswith("gcc") else name


def need_tool(name: str, package: str) -> None:
    """Raises unless the program is there."""
    if shutil.which(name) is None:
        raise UserError(
            f"{name} is not installed",
            fix=f"apt-get install {package} (or: ./takt doctor)",
        )


@contextmanager
def _locked(preset: str, kind: int) -> Iterator[None]:
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / f".{preset}.lock", "w") as lock:
        fcntl.flock(lock, kind)
        yield


def in_use(preset: str) -> AbstractContextManager[None]:
    """While this is held nobody rebuilds the preset's libraries under a link that reads them."""
    return _locked(preset, fcntl.LOCK_SH)


def bring_up_to_date(preset: str, target: str) -> Path:
    """Configures if need be and builds one target of a preset; returns the build folder."""
    need_tool("cmake", "cmake")
    need_tool("ninja", "ninja-build")
    folder = BUILD / preset
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(preset, fcntl.LOCK_EX):
        if not (folder / "build.ninja").exists():
            _run(["cmake", "--preset", preset], preset, target)
        _run(["ninja", "-C", str(folder), target], preset, target)
    return folder


def _run(command: list[str], preset: str, target: str) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode == 0:
        return
    output = done.stdout + done.stderr
    if "No space left on device" in output:
        raise UserError("the disk is full", where=shown(BUILD), fix="free some space and repeat")
    raise UserError(
        f"could not build {target} ({preset})",
        where=shown(BUILD / preset),
        fix=f"see the messages below; to start afresh, remove {shown(BUILD / preset)}",
        detail="\n".join((without_ninja(output) or output).splitlines()[-40:]),
    )


def host_library(name: str) -> Path:
    """The shared library lib<name>.so of the host build, up to date."""
    return bring_up_to_date("host", name) / f"lib{name}.so"


def target_libraries(board: str, variant: str) -> Target:
    """What sketches for the board link with, up to date. Variants: trace, plain (without it), lto
    (plain, for programs that are optimised at link time)."""
    need_tool(*COMPILERS.get(boards.load(board).core, ARM))
    folder = bring_up_to_date(board, f"takt_{variant}")
    return Target(**json.loads((folder / "sketch.json").read_text()))
