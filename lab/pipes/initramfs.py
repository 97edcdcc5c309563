"""The Linux guest's only file system: its program and the kernel's modules, as a cpio archive."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

from takt.errors import UserError
from takt.paths import shown

from . import debian, qemu
from .kernels import Kernel

HERE = Path(__file__).parent
SOURCES = sorted((HERE / "linux").glob("*.c"))
FLAGS = ("-std=gnu11", "-O2", "-static", "-pthread", "-Wall", "-Wextra", "-Wshadow",
         "-Wconversion", "-Werror")  # fmt: skip
FILE, FOLDER, DEVICE = 0o100755, 0o040755, 0o020600
CONSOLE = (5, 1)


def key() -> str:
    """Stands for the program: equal ones give equal runs."""
    headers = sorted((HERE / "linux").glob("*.h"))
    text = qemu.code([*SOURCES, *headers, HERE / "guest.h"])
    return hashlib.sha256(" ".join(FLAGS).encode() + text).hexdigest()


def program() -> Path:
    """The guest's program, compiled where it is not newer than its sources."""
    made = debian.WORK / "guest"
    needs = [*SOURCES, *(HERE / "linux").glob("*.h"), HERE / "guest.h"]
    if made.exists() and made.stat().st_mtime > max(path.stat().st_mtime for path in needs):
        return made
    made.parent.mkdir(parents=True, exist_ok=True)
    command = ["gcc", *FLAGS, "-o", str(made), *map(str, SOURCES)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise UserError("does not compile", shown(HERE / "linux"), "see above", detail=done.stderr)
    return made


def entry(name: str, mode: int, data: bytes = b"", device: tuple[int, int] = (0, 0)) -> bytes:
    """One file in the archive's "newc" form: a head of thirteen numbers, name, data."""
    numbers = [0, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name) + 1, 0]
    head = b"070701" + b"".join(b"%08X" % number for number in numbers)
    named = head + name.encode() + b"\0"
    named += b"\0" * (-len(named) % 4)
    return named + data + b"\0" * (-len(data) % 4)


def make(kernel: Kernel) -> bytes:
    paths = [f"/lib/{path.name}" for path in kernel.modules]
    entries = [
        entry("dev", FOLDER),
        entry("lib", FOLDER),
        entry("dev/console", DEVICE, device=CONSOLE),
        entry("init", FILE, program().read_bytes()),
        entry("modules", FILE, "".join(f"{path}\n" for path in paths).encode()),
    ]
    for module, path in zip(kernel.modules, paths, strict=True):
        entries.append(entry(path[1:], FILE, module.read_bytes()))
    entries.append(entry("TRAILER!!!", 0))
    return b"".join(entries)
