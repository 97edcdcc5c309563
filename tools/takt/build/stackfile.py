"""The stacks of a sketch's loops, as an assembler file the build generates.

A loop that names no stack size refers to takt_stack_<loop> and takt_stack_<loop>_end, which are
defined here: first with provisional sizes, then with those the analysis asks for.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from takt.build import recursions
from takt.build.cmake import Target
from takt.build.nm import Names, names

PROVISIONAL = 64  # until what is linked has been analysed
INTERRUPTS = "takt_stack_isr"  # of main and the handlers, where the link script leaves it to us
WANTED = re.compile(r"(takt_stack_\w+?)(?:_end)?")


def wanted(target: Target, own: Names, archives: Iterable[str]) -> list[str]:
    """The stacks that objects and archives leave to the build. own: of the objects, which may have
    given some a size."""
    stats = [(archive, os.stat(archive).st_mtime_ns) for archive in archives]
    return sorted((_stacks(own) | _left(target.tool("nm"), tuple(stats))) - own.defined)


def _stacks(of: Names) -> frozenset[str]:
    return frozenset(found[1] for found in map(WANTED.fullmatch, of.referred) if found)


@cache
def _left(tool: str, archives: tuple[tuple[str, int], ...]) -> frozenset[str]:
    """By archives, as old as that: nm reads all their objects."""
    return _stacks(names(tool, [archive for archive, _ in archives]))


def source(
    sizes: dict[str, int], core: str, threads: Iterable[str] = (), looking: bool = False
) -> str:
    """Each stack in a section of its own, dropped by the linker when nothing refers to it.
    threads: to be linked from the libraries; looking: functions look for room in them."""
    unit = 1 if core == "avr" else 8
    lines = ["/* Stacks in bytes, made by the build. */"]
    lines += recursions.table(core) if looking else []
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
