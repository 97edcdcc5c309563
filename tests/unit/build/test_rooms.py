"""Which room includes whose headers: arrows go down only (docs/architecture.md)."""

from __future__ import annotations

import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from takt.paths import ROOT

# By room, whose private headers its files may include beside their own.
MAY = {
    "admission": set(),
    "kernel/core": set(),
    "kernel/budget": {"core"},
    "kernel/job": {"core", "budget"},
    "kernel/change": {"core", "budget"},
    "kernel/pipe": {"core", "change"},
    "kernel/smp": {"core", "change"},
    "port": {"core", "job"},
    "drivers": set(),
    "arduino": set(),
    "board": {"core"},
}
YET = {("kernel/budget/vcpu_io.c", "change/admission.h")}  # setting a share is a change
INCLUDE = re.compile(r'^#include "(?:\.\./)*(?:kernel/)?([a-z]+/[\w.]+)"', re.MULTILINE)
ROOMS = {path.name for path in (ROOT / "kernel").iterdir()}


def included(file: Path) -> set[str]:
    """Of other rooms of the kernel."""
    found = INCLUDE.findall(file.read_text(errors="replace"))
    return {one for one in found if one.split("/")[0] in ROOMS}


@pytest.mark.parametrize("room", MAY)
def test_arrows_go_down(room: str) -> None:
    files = [f for f in (ROOT / room).rglob("*") if f.suffix in (".c", ".h", ".S", ".cpp")]
    assert files
    wrong = {
        (str(file.relative_to(ROOT)), header)
        for file in files
        for header in included(file)
        if header.split("/")[0] not in MAY[room]
    }
    assert wrong <= YET


def test_every_room_is_named() -> None:
    assert {f"kernel/{name}" for name in ROOMS} <= set(MAY)


def test_what_is_excused_is_there() -> None:
    assert all(header in included(ROOT / file) for file, header in YET)


FUNCTION = re.compile(r"^(?!static)\w[\w *]*\b(\w+)\([^;{}]*\)\n\{", re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def test_files_of_the_can_driver_make_no_circle() -> None:
    """They are listed in adapter.h: each calls those below it."""
    files = {f.name: COMMENT.sub("", f.read_text()) for f in (ROOT / "drivers/can").glob("*.c")}
    defined = {name: file for file, text in files.items() for name in FUNCTION.findall(text)}
    assert {"can_ask", "can_received", "takt_can_open"} <= set(defined)
    calls = {
        file: {defined[name] for name in re.findall(r"\w+", text) if name in defined} - {file}
        for file, text in files.items()
    }
    TopologicalSorter(calls).prepare()  # raises CycleError
