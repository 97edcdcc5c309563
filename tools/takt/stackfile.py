"""The stacks of a sketch's loops, as an assembler file the build generates.

A loop that names no stack size refers to takt_stack_<loop> and takt_stack_<loop>_end, which are
defined here: first with provisional sizes, then with those the analysis asks for.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import tempfile
from collections.abc import Iterable
from pathlib import Path

from takt.cmake import Target
from takt.nm import Names, names

PROVISIONAL = 64  # until what is linked has been analysed
INTERRUPTS = "takt_stack_isr"  # of main and the handlers, where the link script leaves it to us
WANTED = re.compile(r"(takt_stack_\w+?)(?:_end)?")


def wanted(target: Target, own: Names, archives: Iterable[str]) -> list[str]:
    """The stacks that objects and archives leave to the build."""
    left = (_left_by(target, Path(archive)) for archive in archives)
    return sorted({*_stacks(own), *itertools.chain.from_iterable(left)})


def _stacks(names: Names) -> list[str]:
    return sorted({found[1] for found in map(WANTED.fullmatch, names.referred) if found})


def _left_by(target: Target, archive: Path) -> list[str]:
    """Remembered beside the archive, of which nm reads every object."""
    memory = archive.with_suffix(".stacks")
    try:
        if memory.stat().st_mtime_ns > archive.stat().st_mtime_ns:
            return memory.read_text().split()
    except FileNotFoundError:
        pass
    found = _stacks(names(target, [archive]))
    with tempfile.NamedTemporaryFile("w", dir=memory.parent, delete=False) as new:
        new.write("\n".join(found))
    os.replace(new.name, memory)
    return found


def source(sizes: dict[str, int], unit: int = 8, threads: Iterable[str] = ()) -> str:
    """Each stack in a section of its own, dropped by the linker when nobody refers to it. unit:
    what they are aligned to; threads: to be linked from the libraries."""
    lines = ["/* Stacks in bytes, made by the build. */"]
    lines += [f".global {thread}" for thread in threads]
    for name, size in sizes.items():
        lines += [
            f'.section .takt.stacks.{name}, "aw", %nobits',
            f".balign {unit}",
            f".global {name}, {name}_end",
            f"{name}:",
            f".space {size}",
            f"{name}_end:",
        ]
    return "\n".join(lines) + "\n"


def remembered(path: Path, names: list[str]) -> dict[str, int]:
    """Sizes of the last build where known, else provisional."""
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        known = {}
    return {name: known.get(name, PROVISIONAL) for name in names}
