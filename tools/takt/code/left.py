"""What of a program is left in flash by --flash, on a board whose programs run from RAM: code and
constants of the sketch and of its libraries, as a part of the link script.

In RAM is what must not wait for flash: the kernel, drivers and the Arduino API, all that handlers
of interrupts can call, and constants that any of these refer to, directly or through others. So
the first part leaves all of the sketch's there, and the next, when that can be read, less.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from takt.boards import Board
from takt.code import owners, vectors
from takt.code.callgraph import CallGraph
from takt.code.elf import Program
from takt.code.lengths import PerArgument
from takt.durations import duration_text
from takt.errors import UserError

SCRIPT = "flash.ld"  # what the board's script includes; beside it is an empty one
LEFT = ("__takt_left_start", "__takt_left_end")
SECTIONS = ".text .text.* .rodata .rodata.*"
OURS = "libtakt_"  # archives of which everything is in RAM
ORDINARY = (".text", ".rodata", ".data", ".bss", "COMMON")  # others are for the kernel to read
STUBS = "linker stubs"  # ways from flash to RAM and back, too far for a call

Part = tuple[str, str]  # of a program: a file, and a section of it


def require_possible(board: Board) -> None:
    if "left_in_flash" not in board.raw:
        what = f"programs of {board.name} run from flash as it is"
        raise UserError(what, "--flash", "do without; it is for the pico", 2)


def everything(objects: Iterable[Path]) -> str:
    return "".join(f'"{path}"({SECTIONS})\n' for path in objects)


def addresses(program: Program) -> range:
    """Of what is left there."""
    found = [program.by_name.get(name) for name in LEFT]
    start, end = (symbol.address if symbol else 0 for symbol in found)
    return range(start, end)


def word_cycles(program: Program, board: Board) -> int:
    """What is left there waits for a word; 0: nothing is."""
    return int(board.raw["left_in_flash"]["word_cycles"]) if addresses(program) else 0


def slower(known: Mapping[str, int | PerArgument], waits: int) -> dict[str, int | PerArgument]:
    """What functions of the C library take whose arguments may be there."""
    return {
        name: replace(takes, each=takes.each + waits) if isinstance(takes, PerArgument) else takes
        for name, takes in known.items()
    }


def assumed(program: Program, board: Board) -> list[str]:
    """What the proof takes for granted."""
    waits = word_cycles(program, board)
    if not waits:
        return []
    us = duration_text(waits * 1e6 / board.clock_hz)
    return [
        "code and constants of the sketch are in flash: each word that its cache does not hold "
        f"takes {us}, two at an instruction, and C must cover that"
    ]


def script(program: Program, graph: CallGraph, map_file: Path) -> str:
    """Of a program that is linked with more of it there."""
    linked = _Linked(program, graph, map_file)
    return "".join(f'"{file}"({section})\n' for file, section in linked.stays())


class _Linked:
    """A program as parts that refer to one another."""

    def __init__(self, program: Program, graph: CallGraph, map_file: Path) -> None:
        self.program, self.graph = program, graph
        found = [piece for piece in owners.pieces(map_file) if piece.file]
        self._pieces = sorted(found, key=lambda piece: piece.address)
        self._starts = [piece.address for piece in self._pieces]

    def stays(self) -> list[Part]:
        """Of those in flash what can be there, in order."""
        there, needed = addresses(self.program), self._needed()
        left = dict.fromkeys((p.file, p.section) for p in self._pieces if p.address in there)
        return [part for part in left if part not in needed and part[0] != STUBS]

    def _part(self, address: int) -> Part | None:
        index = bisect_right(self._starts, address) - 1
        if index < 0:
            return None
        piece = self._pieces[index]
        inside = address < piece.address + piece.size
        return (piece.file, piece.section) if inside else None

    def _needed(self) -> set[Part]:
        """By what must not wait: parts that are not code are followed to what they refer to."""
        refers: dict[Part | None, set[Part]] = {}
        for at, to in self.program.references:
            target = self._part(to)
            if target and not target[1].startswith(".text"):
                refers.setdefault(self._part(at), set()).add(target)
        ours = {
            (p.file, p.section)
            for p in self._pieces
            if OURS in p.file or not p.section.startswith(ORDINARY)
        }
        found: set[Part] = set()
        work = [*ours, *self._of_handlers()]
        while work:
            part = work.pop()
            if part not in found:
                found.add(part)
                work += refers.get(part, ())
        return found

    def _of_handlers(self) -> set[Part]:
        """Functions that handlers can come to, and tables of virtual ones if they use any."""
        functions = self.graph.functions
        work = [to for to in vectors.functions(self.program) if to in functions]
        found: set[int] = set()
        while work:
            at = work.pop()
            if at not in found:
                found.add(at)
                work += self.graph.callees(functions[at])
        parts = {self._part(at) for at in found}
        if any(functions[at].slots or functions[at].own for at in found):
            parts |= {self._part(place.start) for place in self.graph.vtables.places}
        return {part for part in parts if part}
