"""A PIO block on a bare chip: instructions by the data sheet's encodings, registers by name."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import bare_board as board
from takt.machine.machine import Machine

PIO0, PIO1 = 0x50200000, 0x50300000
CTRL, FSTAT, FDEBUG, FLEVEL, TXF, RXF = 0x00, 0x04, 0x08, 0x0C, 0x10, 0x20
IRQ, IRQ_FORCE, BYPASS, PADOUT, PADOE, CFGINFO, MEMORY = 0x30, 0x34, 0x38, 0x3C, 0x40, 0x44, 0x48
INTR, INTE, INTF, INTS = 0x128, 0x12C, 0x130, 0x134
CLKDIV, EXECCTRL, SHIFTCTRL, ADDR, INSTR, PINCTRL = 0xC8, 0xCC, 0xD0, 0xD4, 0xD8, 0xDC
STRIDE = 0x18
FUNCTION = {PIO0: 6, PIO1: 7}

ALWAYS, X_ZERO, X_DEC, Y_ZERO, Y_DEC, X_NOT_Y, PIN, NOT_OSRE = range(8)
PINS, X, Y, NULL, PINDIRS, PC, ISR, EXEC = range(8)  # of OUT; of SET the first three and PINDIRS
STATUS, OSR, MOV_EXEC = 5, 7, 4
INVERT, REVERSE = 1, 2
AUTOPUSH, AUTOPULL, IN_RIGHT, OUT_RIGHT, JOIN_TX, JOIN_RX = (
    1 << n for n in (16, 17, 18, 19, 30, 31)
)


def jmp(to: int, condition: int = ALWAYS, delay: int = 0) -> int:
    return condition << 5 | to | delay << 8


def wait(high: int, source: int, index: int, delay: int = 0) -> int:
    """Sources: 0 GPIO, 1 PIN, 2 IRQ."""
    return 1 << 13 | high << 7 | source << 5 | index | delay << 8


def in_(source: int, bits: int, delay: int = 0) -> int:
    return 2 << 13 | source << 5 | bits & 31 | delay << 8


def out(to: int, bits: int, delay: int = 0) -> int:
    return 3 << 13 | to << 5 | bits & 31 | delay << 8


def push(if_full: int = 0, block: int = 1, delay: int = 0) -> int:
    return 4 << 13 | if_full << 6 | block << 5 | delay << 8


def pull(if_empty: int = 0, block: int = 1, delay: int = 0) -> int:
    return 4 << 13 | 1 << 7 | if_empty << 6 | block << 5 | delay << 8


def mov(to: int, source: int, how: int = 0, delay: int = 0) -> int:
    return 5 << 13 | to << 5 | how << 3 | source | delay << 8


def irq(index: int, waits: int = 0, clear: int = 0, delay: int = 0) -> int:
    return 6 << 13 | clear << 6 | waits << 5 | index | delay << 8


def set_(to: int, value: int, delay: int = 0) -> int:
    return 7 << 13 | to << 5 | value | delay << 8


NOP = mov(Y, Y)


def pins(
    out_base: int = 0, out_count: int = 0, set_base: int = 0, set_count: int = 0,
    side_base: int = 0, side_count: int = 0, in_base: int = 0,
) -> int:  # fmt: skip
    return (
        side_count << 29 | set_count << 26 | out_count << 20
        | in_base << 15 | side_base << 10 | set_base << 5 | out_base
    )  # fmt: skip


def shifts(flags: int = OUT_RIGHT | IN_RIGHT, pull_at: int = 0, push_at: int = 0) -> int:
    return flags | (pull_at & 31) << 25 | (push_at & 31) << 20


def execution(
    wrap: tuple[int, int] = (0, 31), jmp_pin: int = 0, side_en: int = 0, side_pindir: int = 0,
    more: int = 0,
) -> int:  # fmt: skip
    return side_en << 30 | side_pindir << 29 | jmp_pin << 24 | wrap[1] << 12 | wrap[0] << 7 | more


def sleeping_board() -> Machine:
    """A CPU that sleeps: run() ends at the very cycle. An edge of GPIO29 could wake it."""
    m = board.board()
    m.write(board.LOOP, struct.pack("<2H", 0xBF30, 0xE7FD))
    m.set_register(15, board.LOOP)
    m.bus_write(board.IO_BANK0 + 0x10C, 1 << 23)
    m.bus_write(board.NVIC_ENABLE, 1 << 13)
    board.wait(m, 10)
    return m


class Block:
    """One of the two."""

    def __init__(self, base: int = PIO0, machine: Machine | None = None) -> None:
        self.m = machine or sleeping_board()
        self.base = base

    def read(self, offset: int) -> int:
        return self.m.bus_read(self.base + offset)

    def write(self, offset: int, value: int) -> None:
        self.m.bus_write(self.base + offset, value & 0xFFFFFFFF)

    def sm(self, number: int, register: int) -> int:
        return register + STRIDE * number

    def load(self, program: Sequence[int], at: int = 0) -> None:
        for n, word in enumerate(program):
            self.write(MEMORY + 4 * (at + n), word)

    def set_up(
        self, number: int = 0, pinctrl: int = 0, execctrl: int | None = None,
        shiftctrl: int | None = None, divider: float = 1,
    ) -> None:  # fmt: skip
        execctrl = execution() if execctrl is None else execctrl
        for register, value in (
            (CLKDIV, int(divider * 256) << 8),
            (EXECCTRL, execctrl),
            (SHIFTCTRL, shifts() if shiftctrl is None else shiftctrl),
            (PINCTRL, pinctrl),
        ):
            self.write(self.sm(number, register), value)

    def select(self, *numbers: int) -> None:
        for pin in numbers:
            board.select(self.m, pin, FUNCTION[self.base])

    def execute(self, instruction: int, number: int = 0) -> None:
        """By SMx_INSTR, and waits until it is done."""
        self.write(self.sm(number, INSTR), instruction)
        self.wait(1)

    def wait(self, cycles: int) -> None:
        self.m.run(self.m.now + cycles)

    def enable(self, *numbers: int) -> int:
        """Starts machines with their dividers; the cycle after which the first instruction ends."""
        mask = sum(1 << n for n in numbers or (0,))
        self.write(CTRL, mask << 8 | mask << 4 | mask)
        return self.m.now

    def pc(self, number: int = 0) -> int:
        return self.read(self.sm(number, ADDR))
