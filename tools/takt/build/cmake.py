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
from takt.build import ninja
from takt.build.mistakes.diagnostics import without_ninja
from takt.build.ninja import Progress
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
    kernel_flags: list[str]  # instead of flags, for kernel and port
    sources: dict[str, list[str]]  # of kernel and port (kernel.py)
    link_script: str
    renaming: list[str]  # options that give a folder another name in the program
    trace_events: int
    archives: dict[str, list[str]]
    alone: str  # an archive looked into first for programs of one thread without the trace; or ""

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


def bring_up_to_date(preset: str, *targets: str, progress: Progress | None = None) -> Path:
    """Configures if need be and builds targets of a preset; returns the build folder."""
    need_tool("cmake", "cmake")
    need_tool("ninja", "ninja-build")
    folder = BUILD / preset
    folder.mkdir(parents=True, exist_ok=True)
    what = f"{' '.join(targets)} ({preset})"
    with _locked(preset, fcntl.LOCK_EX):
        if not (folder / "build.ninja").exists():
            configure = ["cmake", "--preset", preset]
            done = subprocess.run(configure, cwd=ROOT, capture_output=True, text=True)
            require(done.returncode == 0, done.stdout + done.stderr, what, folder)
        built, output = ninja.run(folder, targets, progress)
        require(built, output, what, folder)
    return folder


def require(done: bool, output: str, what: str, folder: Path) -> None:
    """Raises unless what lies in a build folder has been built."""
    if done:
        return
    if "No space left on device" in output:
        raise UserError("the disk is full", where=shown(BUILD), fix="free some space and repeat")
    raise UserError(
        f"could not build {what}",
        where=shown(folder),
        fix=f"see the messages below; to start afresh, remove {shown(folder)}",
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
