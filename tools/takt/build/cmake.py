"""The libraries of this repository, brought up to date by CMake before they are used."""

from __future__ import annotations

import fcntl
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from takt import boards, packages
from takt.boards import Board
from takt.build import ninja
from takt.build.mistakes.diagnostics import without_ninja
from takt.build.ninja import Progress
from takt.errors import UserError
from takt.paths import BUILD, COMMAND, ROOT, shown

LEAST_CLANG = 14  # major version
CLANGS = ("clang", *(f"clang-{n}" for n in range(22, LEAST_CLANG - 1, -1)))
ARM = ("arm-none-eabi-g++", "gcc-arm-none-eabi libstdc++-arm-none-eabi-newlib")
COMPILERS = {
    "avr": ("avr-g++", "gcc-avr avr-libc"),
    "x86_64": ("x86_64-linux-gnu-g++", "g++-x86-64-linux-gnu musl-dev"),
}  # by core: what to look for, and its packages
TOOLCHAINS = {"avr": "avr", "x86_64": "x86_64", "host": ""}  # by core; of others arm-none-eabi


@dataclass(frozen=True)
class Target:
    """How sketches for a board are compiled and linked; from <build>/sketch.json."""

    folder: Path  # <build>
    cc: str
    cxx: str
    version: str  # of the compiler
    gcc: str  # that links, and whose binutils are used: cc unless another one compiles
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

    @property
    def linker(self) -> str:
        """The driver that links C++."""
        return self.cxx if self.cc == self.gcc else self.tool("g++")

    def tool(self, name: str) -> str:
        """A binutil beside the compiler: nm, objcopy."""
        return self.gcc.removesuffix("gcc") + name if self.gcc.endswith("gcc") else name


def need_tool(name: str, package: str) -> None:
    """Raises unless the program is there."""
    if shutil.which(name) is None:
        raise UserError(
            f"{name} is not installed",
            fix=f"{packages.command(package)} (or: {COMMAND} doctor)",
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


def bring_up_to_date(
    preset: str,
    *targets: str,
    progress: Progress | None = None,
    how: tuple[str, ...] = (),
) -> Path:
    """Configures if need be and builds targets of a preset; returns the build folder. how: instead
    of that preset, arguments for CMake, for a folder of that name."""
    need_tool("cmake", "cmake")
    need_tool("ninja", "ninja-build")
    folder = BUILD / preset
    folder.mkdir(parents=True, exist_ok=True)
    what = f"{' '.join(targets)} ({preset})"
    with _locked(preset, fcntl.LOCK_EX):
        if not (folder / "build.ninja").exists():
            configure = ["cmake", "-B", str(folder), *(how or ("--preset", preset))]
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


def is_new(board: Board) -> bool:
    """Whether nothing has been built for the board yet, which takes a while."""
    return not (BUILD / board.libraries / "build.ninja").exists()


def target_libraries(board: Board | str, variant: str) -> Target:
    """What sketches for the board link with, up to date. Variants: trace, plain (without it), lto
    (plain, for programs that are optimised at link time)."""
    board = boards.load(board) if isinstance(board, str) else board
    need_tool(*COMPILERS.get(board.core, ARM))
    folder = bring_up_to_date(board.libraries, f"takt_{variant}", how=_how(board))
    return Target(folder, **json.loads((folder / "sketch.json").read_text()))


def _how(board: Board) -> tuple[str, ...]:
    """What CMake is told of a board that no preset tells it; nothing if that of its name does."""
    if board.libraries == board.name:
        return ()
    found = ["-G", "Ninja", "-S", str(ROOT), f"-DTAKT_BOARD={board.name}"]
    if toolchain := TOOLCHAINS.get(board.core, "arm-none-eabi"):
        found += ["--toolchain", str(ROOT / "cmake" / f"{toolchain}.cmake")]
    if board.folder.parent != boards.FOLDER:
        found.append(f"-DTAKT_BOARD_DIR={board.folder}")
    if board.compiler == boards.CLANG:
        found.append(f"-DTAKT_CLANG={_clang(board)}")
    return (*found, f"-DTAKT_CHECKS={int(board.checks)}")


def _clang(board: Board) -> str:
    """The compiler's name; raises where it is of no use."""
    if board.core in TOOLCHAINS:
        what = f"clang does not compile for {board.name}: it is for boards with a Cortex-M"
        raise UserError(what, "--compiler", "do without: the compiler is GCC", 2)
    there = [name for name in CLANGS if shutil.which(name)]
    need_tool(there[0] if there else CLANGS[0], "clang")
    versions = {name: _clang_version(name) for name in there}
    found = next((name for name, version in versions.items() if version >= LEAST_CLANG), "")
    if not found:
        what = f"clang {max(versions.values())} is too old: {LEAST_CLANG} or later is needed"
        fix = packages.command(f"clang-{LEAST_CLANG}")
        raise UserError(what, "--compiler", f"{fix}, or do without: the compiler is GCC")
    return found


def _clang_version(name: str) -> int:
    """The first number of it; 0 if the program does not say."""
    said = subprocess.run([name, "--version"], capture_output=True, text=True, check=False).stdout
    number = re.search(r"clang version (\d+)", said)
    return int(number[1]) if number else 0
