"""An I2C controller set up on the bare board, and devices that remember what they were told."""

from __future__ import annotations

import bare_board as board
from takt.machine.machine import Machine

I2C0, I2C1 = 0x40044000, 0x40048000
CON, TAR, DATA, MASK, RAW, CLEAR_ABORT = 0x00, 0x04, 0x10, 0x30, 0x34, 0x54
ENABLE, STATUS, TXFLR, RXFLR, HOLD, SOURCE, ENABLED = 0x6C, 0x70, 0x74, 0x78, 0x7C, 0x80, 0x9C
READ, STOP, RESTART = 0x100, 0x200, 0x400
RX_FULL, TX_EMPTY, ABORTED, STOPPED, STARTED = 4, 0x10, 0x40, 0x200, 0x400
SDA, SCL = 4, 5
FUNCTION = 3
HIGH, LOW = 100, 200  # cycles
BIT = HIGH + LOW
SPIKE = 7


class Device:
    """Acknowledges and remembers; gives what it is told to give."""

    def __init__(self, machine: Machine, give: bytes = b"", ack: bool = True) -> None:
        self.machine, self.give, self.ack = machine, list(give), ack
        self.seen: list = []
        self.at: list[int] = []

    def _see(self, what) -> None:
        self.seen.append(what)
        self.at.append(self.machine.now)

    def start(self, read: bool) -> bool:
        self._see("R" if read else "W")
        return self.ack

    def write(self, byte: int) -> bool:
        self._see(byte)
        return True

    def read(self, last: bool) -> int:
        byte = self.give.pop(0)
        self._see((byte, last))
        return byte

    def stop(self) -> None:
        self._see("P")


def opened(address: int = 0x20, con: int = 0x165, hold: int = 20, pins=(SDA, SCL)) -> Machine:
    """Fast mode with HIGH and LOW cycles, interrupts masked, enabled."""
    m = board.board()
    base = I2C0 if pins[0] & 2 == 0 else I2C1
    for pin in pins:
        m.bus_write(board.PADS + 4 + 4 * pin, 0x4A)  # pull-up
        board.select(m, pin, FUNCTION)
    m.bus_write(base + CON, con)
    m.bus_write(base + TAR, address)
    for counts in (0x14, 0x1C):
        m.bus_write(base + counts, HIGH - SPIKE - 7)
        m.bus_write(base + counts + 4, LOW - 1)
    m.bus_write(base + HOLD, hold)
    m.bus_write(base + MASK, 0)
    m.bus_write(base + ENABLE, 1)
    return m


def put(m: Machine, *commands: int, base: int = I2C0) -> int:
    """Writes commands; the cycle of the first one."""
    begin = m.now
    for command in commands:
        m.bus_write(base + DATA, command)
    return begin


def run_until(m: Machine, bits: int, limit: int = 1_000_000, base: int = I2C0) -> int:
    """The first cycle at which a raw interrupt bit is set."""
    end = m.now + limit
    while not m.bus_read(base + RAW) & bits:
        assert m.now < end, hex(m.bus_read(base + RAW))
        m.step()
    return m.now
