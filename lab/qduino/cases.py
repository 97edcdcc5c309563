"""How a case of a lab becomes a program and runs.

A lab's folder lab/qduino/<figure> holds one sketch for all its cases; its case.h says which one it
is. For every case the folder is copied below build/lab/qduino, with a case.h of its own: what the
case defines, and the rest as it is in the folder. Other definitions are another folder, so that a
case measured with other options at the same time is another program.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from takt import boards
from takt.build import cmake
from takt.build.build import Build, build
from takt.build.exclusive import exclusive
from takt.build.ninja import write_if_changed
from takt.build.platform_library import library
from takt.errors import UserError
from takt.machine.machine import Machine
from takt.paths import BUILD, shown
from takt.world import world
from takt.world.bench import Bench

HERE = Path(__file__).parent
WORK = BUILD / "lab" / "qduino"
WORKERS = 2
Defines = dict[str, int | str]
In, Out = TypeVar("In"), TypeVar("Out")


def _case(source: Path, defines: Defines) -> str:
    """The text of case.h."""
    usual = dict(re.findall(r"^#define (\S+) (.+)$", (source / "case.h").read_text(), re.MULTILINE))
    lines = [f"#define {name} {value}\n" for name, value in (usual | defines).items()]
    return "".join(["#pragma once\n", *lines])


def _copy(source: Path, folder: Path, case: str) -> None:
    """The sketch, the headers all sketches of this lab share, and the case."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in source.iterdir():
        if file.is_file() and file.name != "case.h":
            write_if_changed(folder / file.name, file.read_text())
    for header in HERE.glob("*.h"):
        write_if_changed(folder.parent / header.name, header.read_text())
    write_if_changed(folder / "case.h", case)


def built(
    sketch: str | Path,
    case: str,
    board: boards.Board,
    defines: Defines,
    trace: bool = False,
    admit: bool = True,
) -> Build:
    """The program of a case. `sketch`: a folder here, or any other (which has no case.h then).
    admit=False: also if admission refuses it."""
    source = HERE / sketch
    place = WORK / board.name / source.name
    if not (source / "case.h").exists():
        return build(source, board, trace=trace, out=place / case / "out", admit=admit)
    text = _case(source, defines)
    folder = place / f"{case}-{zlib.crc32(text.encode()):08x}"
    with exclusive(folder):
        _copy(source, folder / source.name, text)
    return build(folder / source.name, board, trace=trace, out=folder / "out", admit=admit)


def each(work: Callable[[In], Out], cases: Iterable[In], board: str, trace: bool) -> list[Out]:
    """work(case) for every case, some at a time; results in order. Virtual time knows nothing of
    who runs beside it."""
    cmake.target_libraries(board, "trace" if trace else "plain")  # once, before all need them
    library()
    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(work, cases))


class Session:
    """A machine with a program, in the world beside the sketch if there is one."""

    def __init__(self, program: Build) -> None:
        self.program = program
        self.machine = Machine(program.board.chip, program.board.core)
        self.machine.load_elf(program.elf)
        around = world.load(program.sketch.folder, program.board)
        self.bench = Bench(self.machine, around, program.board.clock_hz)

    @property
    def hz(self) -> int:
        return self.program.board.clock_hz

    def cycles(self, ms: float) -> int:
        return round(ms * self.hz / 1000)

    def run(self, until: int) -> None:
        """Runs to a cycle; raises when the program ends before."""
        stop = self.bench.run(until)
        record = self.machine.symbol("takt_fatal_record")
        code, _, why = struct.unpack("<III", self.machine.read(record, 12))
        code *= self.machine.clock_us() > 0  # the program has begun
        if stop is not None or code:
            said = self.machine.read(why, 120).split(b"\0")[0].decode() if code else ""
            reason = said or self.machine.fault() or "sleeps for ever"
            where = shown(self.program.sketch.folder)
            raise UserError(f"the program stopped at cycle {self.machine.now}: {reason}", where)

    def word(self, name: str) -> int:
        """A 32-bit variable of the program."""
        return self.machine.word(self.machine.symbol(name))

    def log(self, name: str) -> None:
        """Every store to a variable is kept for stores()."""
        self.machine.log_write(self.machine.symbol(name))

    def until(self, condition: Callable[[], bool], million: float, step_ms: float = 10) -> None:
        """Runs until the condition holds, in steps; raises when it does not within so many million
        cycles."""
        end = self.machine.now + round(million * 1e6)
        while not condition():
            if self.machine.now >= end:
                where = shown(self.program.sketch.folder)
                raise UserError(f"not finished after {million:g} million cycles", where)
            self.run(min(end, self.machine.now + self.cycles(step_ms)))
