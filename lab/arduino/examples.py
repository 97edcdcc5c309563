"""arduino.libraries: the examples of libraries, built on Takt beside Arduino's own core.

The libraries are a folder of the user's, as it was fetched, each in a folder of its own; nothing of
them is kept here. Arduino's core is built by Debian's arduino-builder, which also finds the
libraries: neither shares a line with Takt's build. Sketches of ours for libraries are run, too
(runs.py).
"""

from __future__ import annotations

import multiprocessing
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from takt import boards
from takt.build import build, libraries, sketch
from takt.cli.labs.lab import row
from takt.errors import UserError
from takt.paths import shown

from . import core, excepted, runs

COUNTED = {"pico": 3, "uno": 2}  # of the examples of a library, the first by name
GOAL, RUN_GOAL = 93, 20  # % of them; libraries with a sketch that runs on a board
ARDUINO = "arduino"
OUT = core.WORK / "libraries"
BUILDER = core.HARDWARE.parents[4] / "bin" / "arduino-builder"
TEXT = 160  # characters of an error
ERROR = re.compile(r"^.*?(?:error|undefined reference|undefined symbol|Error)\b.*$", re.MULTILINE)
# Parts of a path that say which chips an example is for, by the board that it is not for.
OTHER_CHIPS = re.compile(
    r"esp(8266|32)|stm32|samd|nrf5|teensy|linux|raspi|attiny|megaavr|due\b|mbed|zero\b|renesas"
    r"|arm_?only|wio|m5stack|ameba|portenta|particle|photon|spark(core)?\b|chipkit|energia|"
    r"featherwing.*wifi|yun\b|mega\b|leonardo",
    re.IGNORECASE,
)
HID = ("Keyboard.h", "Mouse.h", "HID.h")  # not of Takt
ONLY = {"pico": re.compile(r"avr|uno\b|nano\b|atmega", re.IGNORECASE),
        "uno": re.compile(r"pico\b|rp2040", re.IGNORECASE)}  # fmt: skip


@dataclass(frozen=True)
class Example:
    library: str
    sketch: Path  # its main tab
    board: str

    @property
    def name(self) -> str:
        return f"{self.library}/{self.sketch.stem}"


@dataclass(frozen=True)
class Found:
    """How an example fared."""

    example: Example
    error: str  # empty: it was built
    arduino: str | None  # with Arduino's core; None: not tried
    excepted: str = ""  # why it is not counted, if it was not built


def examples_of(library: Path, board: boards.Board) -> Iterator[Example]:
    """Those that are counted: what is written for other chips is not."""
    if not libraries.open_library(library).is_for(board):
        return
    tabs = (file for suffix in sketch.TABS for file in library.rglob(f"*{suffix}"))
    mains = (one for one in tabs if one.stem.lower() == one.parent.name.lower())
    inside = [one for one in mains if "examples" in one.relative_to(library).parts]
    inside.sort(key=lambda one: str(one.relative_to(library)).lower())
    fit = [one for one in inside if _may_be_for(one.relative_to(library), one, board.name)]
    for one in fit[: COUNTED[board.name]]:
        yield Example(library.name, one, board.name)


def _may_be_for(below: Path, tab: Path, board: str) -> bool:
    text = tab.read_text(encoding="utf-8", errors="replace")
    place = str(below)
    other = OTHER_CHIPS.search(place) or ONLY[board].search(place)
    return not other and not any(f"#include <{header}>" in text for header in HID)


def _first_error(text: str) -> str:
    found = ERROR.search(text)
    line = found[0] if found else (text.strip().splitlines() or ["?"])[-1]
    return " ".join(line.split())[:TEXT]


def with_takt(example: Example, folder: Path) -> str:
    """The error, if any. Whether its promises can be kept is another question."""
    out = OUT / example.board / example.library / example.sketch.stem
    try:
        build.build(
            example.sketch, boards.load(example.board), trace=False, out=out,
            extra_libs=(folder,), admit=False,
        )  # fmt: skip
    except UserError as error:
        return " ".join(str(error).split())
    return ""


def with_arduino(example: Example, folder: Path) -> str:
    """The error of Arduino's own core and tools, if any."""
    out = OUT / ARDUINO / example.library / example.sketch.stem
    out.mkdir(parents=True, exist_ok=True)
    settings = {
        "runtime.tools.avr-gcc.path": "/usr",
        "tools.ctags.path": str(BUILDER.parent),
        "compiler.cpp.extra_flags": "-DDECIMAL_DIG=__DECIMAL_DIG__",
    }
    command = [str(BUILDER), "-compile", "-fqbn", "arduino:avr:uno", "-ide-version", "10819"]
    command += ["-warnings", "none", "-build-path", str(out), "-libraries", str(folder)]
    command += ["-hardware", str(core.HARDWARE.parents[1]), "-tools", str(BUILDER.parent)]
    command += ["-hardware", str(BUILDER.parents[1] / "share" / "arduino-builder")]
    command += [f"-prefs={key}={value}" for key, value in settings.items()]
    done = subprocess.run(
        [*command, str(example.sketch)], capture_output=True, text=True, errors="replace",
        check=False,
    )  # fmt: skip
    return _first_error(done.stderr) if done.returncode else ""


def _tried(example: Example, folder: Path) -> Found:
    beside = example.board == "uno" and core.is_here() and BUILDER.is_file()
    theirs = with_arduino(example, folder) if beside else None
    error = with_takt(example, folder)
    why = excepted.reason(error, theirs, folder / example.library, example.board) if error else ""
    return Found(example, error, theirs, why)


def _on_all_boards(found: list[Found]) -> list[Found]:
    """What the compiler does not take with Arduino's core for the uno is not counted elsewhere
    either."""
    theirs = {one.example.name for one in found if one.arduino and "error:" in one.arduino}
    return [
        replace(one, excepted=excepted.NOR_BY_ARDUINO)
        if one.error and one.example.name in theirs
        else one
        for one in found
    ]


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """Examples of the libraries in a folder: how many are built, beside Arduino's own core"""
    folder = Path(options["folder"]).resolve()
    names = sorted((one for one in folder.iterdir() if one.is_dir()), key=lambda one: one.name)
    targets = [boards.load(name) for name in COUNTED]
    tasks = [(one, folder) for name in names for on in targets for one in examples_of(name, on)]
    if not tasks:
        raise UserError("no examples of libraries here", shown(folder), "name another folder", 2)
    jobs = options.get("jobs") or os.cpu_count() or 1
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        found = _on_all_boards(pool.starmap(_tried, tasks, chunksize=1))
        own = list(runs.of(folder))
        failures = pool.starmap(runs.failure, [(one, folder) for one in own], chunksize=1)
    rows = []
    for name in names:
        rows += _rows(name.name, [one for one in found if one.example.library == name.name])
    total = _rows("all", found)
    for board_name in COUNTED:
        there = [one for one in found if one.example.board == board_name]
        if there:
            counted = [one for one in there if not one.excepted]
            share = 100 * sum(not one.error for one in counted) / max(1, len(counted))
            total.append(row("all", f"{board_name} share", round(share, 1), "%", goal=GOAL))
    ran = [one for one, failure in zip(own, failures, strict=True) if not failure]
    rows += _ran_rows(own, ran)
    total.append(row("all", "run", len({one.library for one in ran}), "", goal=RUN_GOAL))
    place = f"{shown(folder)}/"  # left out of what is told
    failed = {
        f"{one.example.name} ({one.example.board})": _told(one).replace(place, "")[:TEXT]
        for one in found
        if one.error
    }
    wrong = {
        f"{one.name} ({one.board})": text.replace(place, "")
        for one, text in zip(own, failures, strict=True)
        if text
    }
    config = {"arduino": f"core {core.version()}" if core.is_here() else "not here"}
    config |= {"not built": failed} if failed else {}
    config |= {"not run": wrong} if wrong else {}
    return {"rows": rows + total, "config": config}


def _told(one: Found) -> str:
    return f"not counted, {one.excepted}: {one.error}" if one.excepted else one.error


def _ran_rows(own: list[runs.Run], ran: list[runs.Run]) -> list[dict[str, Any]]:
    """For each library, how many of its sketches run on a board."""
    found = []
    for library in dict.fromkeys(one.library for one in own):
        for board in runs.BOARDS:
            number = sum(one.library == library and one.board == board for one in ran)
            found.append(row(library, f"{board} run", number, ""))
    return found


def _rows(case: str, found: list[Found]) -> list[dict[str, Any]]:
    rows = []
    for board in COUNTED:
        own = [one for one in found if one.example.board == board]
        if own:
            rows.append(row(case, f"{board} examples", len(own), ""))
            rows.append(row(case, f"{board} built", sum(not one.error for one in own), ""))
            rows.append(row(case, f"{board} excepted", sum(bool(o.excepted) for o in own), ""))
    beside = [one for one in found if one.arduino is not None]
    if beside:
        rows.append(row(case, "arduino built", sum(not one.arduino for one in beside), ""))
    return rows
