"""elli.flash and elli.ram: bytes of the kernel in three programs (Tables 10 and 11).

What counts: every section of the linker's map that comes from the archives of kernel and port,
code and constants, and their initial data; in RAM also the control blocks of the program's threads
and its semaphore, mutex and VCPUs. What does not: the program's own code and the descriptors of its
threads, the board's vectors and start, its clock driver (told on its own), stacks.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from typing import Any

from takt import boards
from takt.build.build import Build
from takt.code import owners
from takt.code.elf import Program

from . import programs
from .figures import Row, row

# case -> program, its definitions, goals in flash (with preemption) and in RAM
CASES: dict[str, tuple[str, programs.Defines, int | None, int | None]] = {
    "threads": ("switch", {}, None, 24),
    "threads+handler": ("interrupted", {"THREADS": 2}, 620, 24),
    "threads+mutex": ("switch", {"MUTEX": 1}, None, None),
    "threads+time": ("timed", {}, 850, 36),
    "budgets": ("budgeted", {}, None, None),
}
PAPER_FLASH, PAPER_RAM, PAPER_IDLE = 1232, 52, 96
KERNEL = re.compile(r"libtakt_(kernel|port)\.a")
CLOCK = re.compile(r"\.text\.(port_(now|alarm)|isr_timer?\d|\w+_clock_\w+_isr)$")
# the program's, of the kernel
OBJECTS = re.compile(r"\.(bss|data)\.(ping|event|mutex|takt_vcpu_\w+)$")


@dataclass(frozen=True)
class Sizes:
    """Bytes by section of the map, largest first."""

    flash: dict[str, int]
    ram: dict[str, int]
    clock: int
    idle: int


def _within(piece: owners.Piece, memory: boards.Memory) -> bool:
    return memory.origin <= piece.address < memory.origin + memory.size


def _by_section(pieces: list[owners.Piece]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for piece in pieces:
        name = piece.section.removeprefix(".text.").removeprefix(".rodata.")
        sums[name] = sums.get(name, 0) + piece.size
    return dict(sorted(sums.items(), key=lambda item: -item[1]))


def sizes(built: Build) -> Sizes:
    board, found = built.board, list(owners.pieces(built.out / "obj" / "linked.map"))
    kernel = [p for p in found if KERNEL.search(p.file)]
    in_flash = [p for p in kernel if _within(p, board.flash) or p.section.startswith(".data")]
    objects = [p for p in found if OBJECTS.match(p.section)]
    in_ram = [p for p in kernel + objects if _within(p, board.ram)]
    program = Program(built.elf)
    sections = {section.name: section.size for section in program.sections}
    ram = _by_section(in_ram) | {"control blocks of threads": sections[".takt.tcbs"]}
    clock = [p for p in found if CLOCK.match(p.section) and _within(p, board.flash)]
    stacks = sum(thread.stack_size for thread in built.threads)
    return Sizes(
        _by_section(in_flash),
        ram,
        sum(p.size for p in clock),
        sections[".takt.stack"] - stacks,
    )


def _measured(board: boards.Board) -> dict[str, Sizes]:
    return {
        case: sizes(programs.program(name, board, case, defines))
        for case, (name, defines, _, _) in CASES.items()
    }


def _result(
    board: boards.Board, rows: list[Row], counted: str, parts: dict[str, dict[str, int]]
) -> dict[str, Any]:
    config = {
        "programs": "threads: elli.switch's; +handler: one that signals, so preemption too; "
        "+mutex: elli.switch's with one; +time: sleep, timed wait and the tickless alarm; "
        "budgets: elli.switch's with two VCPUs",
        "counted": counted,
        "compiler": programs.COMPILER,
    }
    listing = []
    for case, sums in parts.items():
        text = f"{case}: {', '.join(f'{name} {size}' for name, size in sums.items())}"
        listing += textwrap.wrap(text, 100, subsequent_indent="    ")
    return {"board": board.name, "config": config, "rows": rows, "account": listing}


def flash(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """Bytes of flash of the kernel (Table 10)."""
    found = _measured(board)
    rows = []
    for case, one in found.items():
        goal = CASES[case][2]
        paper = None if case == "budgets" else PAPER_FLASH
        total = sum(one.flash.values())
        rows.append(row(case, "kernel_flash_bytes", total, "B", paper, goal))
    rows.append(row("threads+time", "clock_flash_bytes", found["threads+time"].clock, "B"))
    counted = "sections of kernel and port in the linker's map: code, constants, initial data"
    return _result(board, rows, counted, {case: one.flash for case, one in found.items()})


def ram(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """Bytes of RAM of the kernel without stacks (Table 11), and of an idle thread's stack."""
    found = _measured(board)
    rows = []
    for case, one in found.items():
        goal = CASES[case][3]
        paper = None if case == "budgets" else PAPER_RAM
        rows.append(row(case, "kernel_ram_bytes", sum(one.ram.values()), "B", paper, goal))
    idle = found["threads"].idle
    rows.append(row("threads", "idle_stack_bytes", idle, "B", PAPER_IDLE, 0))
    counted = (
        "sections of kernel and port in the linker's map, control blocks of the threads, the "
        "program's semaphore, mutex and VCPUs; idle stack: what lies among the threads' stacks and "
        "is none of theirs"
    )
    return _result(board, rows, counted, {case: one.ram for case, one in found.items()})
