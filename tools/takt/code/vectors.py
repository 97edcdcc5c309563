"""The vectors of a program: what the core goes to by an exception's number, not by a name."""

from __future__ import annotations

from collections.abc import Iterator

from takt.code.architecture import AVR
from takt.code.elf import Program, Section

TABLE = ".vectors"  # section of a Cortex-M
RESET = 1
FAULTS = range(3, 7)  # HardFault, MemManage, BusFault, UsageFault
SVCALL, PENDSV, FIRST = 11, 14, 16
JMP = 0x940C  # AVR's; every vector is one


def sections(program: Program) -> list[Section]:
    """Where the table is; on AVR it is code."""
    return [s for s in program.sections if s.name == TABLE]


def functions(program: Program) -> dict[int, list[int]]:
    """What handles exceptions, but for reset, and which: interrupts are counted from 16 on."""
    found: dict[int, list[int]] = {}
    for number, to in _avr(program) if program.architecture is AVR else _cortex(program):
        if number > RESET:
            found.setdefault(to, []).append(number)
    return found


def _cortex(program: Program) -> Iterator[tuple[int, int]]:
    starts = {s.address: s for s in program.functions}
    for table in sections(program):
        for at in range(table.address + 4, table.address + table.size - 3, 4):
            if (to := program.code_at(at)) in starts and program.word(at) & 1:
                yield (at - table.address) // 4, to


def _avr(program: Program) -> Iterator[tuple[int, int]]:
    starts = {s.address for s in program.functions}
    for number in range(1 << 8):
        code = program.code(4 * number)
        if len(code) < 4 or int.from_bytes(code[:2], "little") != JMP:
            return
        to = 2 * int.from_bytes(code[2:], "little")
        if to in starts:
            yield number + FIRST - 1 if number else RESET, to
