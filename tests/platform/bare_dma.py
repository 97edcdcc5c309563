"""The DMA of a bare chip: registers by the data sheet's names, channels set up and started."""

from __future__ import annotations

import random
import struct

import bare_board as board
import bare_pio as pio
from bare_pio import sleeping_board
from takt.machine.machine import Machine

DMA = 0x50000000
READ, WRITE, COUNT, CTRL = range(4)
# The place of each register in the four sets, of which the last one triggers (table 124).
SETS = ((READ, WRITE, COUNT, CTRL), (CTRL, READ, WRITE, COUNT),
        (CTRL, COUNT, READ, WRITE), (CTRL, WRITE, COUNT, READ))  # fmt: skip
INTR, INTE0, INTF0, INTS0, INTE1, INTF1, INTS1 = (0x400 + n for n in (0, 4, 8, 12, 20, 24, 28))
TIMER0, MULTI, SNIFF_CTRL, LEVELS, ABORT, N_CHANNELS = 0x420, 0x430, 0x434, 0x440, 0x444, 0x448
TCR = 0x804
EN, HIGH, INCR_READ, INCR_WRITE, RING_WRITE = 1, 2, 1 << 4, 1 << 5, 1 << 10
QUIET, BSWAP, SNIFF, BUSY = 1 << 21, 1 << 22, 1 << 23, 1 << 24
WRITE_ERROR, READ_ERROR, AHB_ERROR = 1 << 29, 1 << 30, 1 << 31
PIO_TX, PIO_RX, SPI_TX, SPI_RX, UART_TX, UART_RX = 0, 4, 16, 17, 20, 21
PWM_WRAP, I2C_TX, I2C_RX, ADC, TIMERS, ALWAYS = 24, 32, 33, 36, 0x3B, 0x3F
SIZES = (1, 2, 4)
START = 4  # cycles, assumed: from a trigger or a request to the data in place (platform/README.md)
FROM, TO = 0x20010000, 0x20020000
DATA = random.Random(2).randbytes(256)
WORDS = struct.unpack("<64I", DATA)


def control(
    n: int, size: int = 4, flags: int = INCR_READ | INCR_WRITE, treq: int = ALWAYS,
    chain: int | None = None, ring: int = 0, on: int = EN,
) -> int:  # fmt: skip
    """A channel's CTRL; unless chained it is chained to itself, which is to none."""
    chained = n if chain is None else chain
    return flags | treq << 15 | chained << 11 | ring << 6 | SIZES.index(size) << 2 | on


class Dma:
    def __init__(self, machine: Machine | None = None) -> None:
        self.m = machine or sleeping_board()

    def read(self, offset: int) -> int:
        return self.m.bus_read(DMA + offset)

    def write(self, offset: int, value: int) -> None:
        self.m.bus_write(DMA + offset, value & 0xFFFFFFFF)

    def get(self, n: int, field: int) -> int:
        return self.read(0x40 * n + 4 * field)

    def put(self, n: int, field: int, value: int) -> None:
        """Without a trigger."""
        self.write(0x40 * n + 0x10 + 4 * SETS[1].index(field) if field != COUNT else 0x40 * n + 8,
                   value)  # fmt: skip

    def set_up(self, n: int, source: int, to: int, count: int, ctrl: int) -> None:
        for field, value in ((READ, source), (WRITE, to), (COUNT, count), (CTRL, ctrl)):
            self.put(n, field, value)

    def start(self, n: int, source: int, to: int, count: int, ctrl: int | None = None) -> int:
        """By CTRL_TRIG; the cycle of that."""
        self.set_up(n, source, to, count, 0)
        self.write(0x40 * n + 0x0C, control(n) if ctrl is None else ctrl)
        return self.m.now

    def busy(self, n: int) -> bool:
        return bool(self.get(n, CTRL) & BUSY)

    def wait(self, cycles: int) -> None:
        board.wait(self.m, cycles)

    def words(self, address: int, count: int) -> list[int]:
        return list(struct.unpack(f"<{count}I", self.m.read(address, 4 * count)))

    def fill(self, address: int, data: bytes) -> None:
        self.m.write(address, data)

    def stored(self, *addresses: int) -> None:
        """Stores to these words are logged from now on."""
        for address in addresses:
            self.m.log_write(address)

    def times(self, start: int = 0) -> list[int]:
        return [cycle - start for cycle, _, _ in self.m.stores()]


def loaded(machine: Machine | None = None) -> Dma:
    """DATA at FROM, nothing at TO."""
    d = Dma(machine)
    d.fill(FROM, DATA)
    d.fill(TO, bytes(1024))
    return d


def strip(d: Dma, number: int = 1, base: int = pio.PIO0) -> pio.Block:
    """A machine that shifts words out, a bit in two cycles of 5; its pin is logged."""
    block = pio.Block(base, d.m)
    block.load([pio.out(pio.PINS, 1), pio.jmp(0)])
    block.select(9)
    block.set_up(number, pio.pins(out_base=9, out_count=1, set_base=9, set_count=1),
                 shiftctrl=pio.shifts(pio.AUTOPULL | pio.OUT_RIGHT), divider=5)  # fmt: skip
    block.execute(pio.set_(pio.PINDIRS, 1), number)
    block.m.log_pin(9)
    return block
