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
    "kernel/sync": {"core"},
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


# Calls upwards: of a part that a program may be without, behind a constant of core/uses.h, and of
# other CPUs, where there are some. Arguments of admission come from the room that changes.
UPWARDS = {
    ("core", "budget"): {"takt_budgets_due_locked", "takt_goes_on_locked"},
    ("core", "job"): {"takt_releases_due", "takt_tasks_alarm", "takt_tasks_due"},
    ("core", "smp"): {"takt_boot_locked"},
    ("core", "sync"): {"takt_locks_sleep_locked", "takt_locks_wake_locked"},
    ("budget", "job"): {"takt_periodic_look"},
    ("budget", "smp"): {
        "takt_cross_call",
        "takt_cross_call_others",
        "takt_run_cross_calls_locked",
    },
    ("budget", "sync"): {"takt_locks_sleep_locked", "takt_locks_wake_locked"},
    # vcpu_io.c: setting a share is a change
    ("budget", "change"): {
        "takt_admit_share",
        "takt_longest_period",
        "takt_turn_give",
        "takt_turn_take",
    },
    ("budget", "pipe"): {"takt_pipes_follow"},
    ("job", "smp"): {"takt_cross_call_others"},
    ("change", "job"): {"takt_periodic_shift_locked"},
    ("change", "pipe"): {"takt_pipes_follow", "takt_pipes_keep"},
    ("change", "smp"): {"takt_cpu_for_background", "takt_hold_others", "takt_let_others_go"},
    ("pipe", "budget"): {"takt_share_in_turn"},
    ("smp", "budget"): {"takt_begin_cpu_locked", "takt_io_claim"},
}


def test_calls_go_down_but_for_those_that_are_named() -> None:
    """Of functions that include/takt does not offer."""
    public = "".join(header.read_text() for header in (ROOT / "include/takt").glob("*.h"))
    texts = {f: COMMENT.sub("", f.read_text()) for f in (ROOT / "kernel").rglob("*.c")}
    homes: dict[str, set[str]] = {}
    for file, text in texts.items():
        for name in FUNCTION.findall(text):
            homes.setdefault(name, set()).add(file.parent.name)
    found: dict[tuple[str, str], set[str]] = {}
    for file, text in texts.items():
        room = file.parent.name
        for name in set(re.findall(r"\w+(?=\()", text)) & homes.keys():
            below = MAY[f"kernel/{room}"] | {room}
            if not homes[name] & below and not re.search(rf"\b{name}\(", public):
                found.setdefault((room, min(homes[name])), set()).add(name)
    assert found == UPWARDS


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
