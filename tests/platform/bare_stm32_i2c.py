"""An I2C controller of the STM32F051, set up, and what it is told to do."""

from __future__ import annotations

import bare_stm32 as board
from bare_i2c import Device as Device
from bare_stm32 import I2C1, I2C2
from takt.machine.machine import Machine

CR1, CR2, TIMINGR, TIMEOUTR, ISR, ICR, RXDR, TXDR = (0, 4, 0x10, 0x14, 0x18, 0x1C, 0x24, 0x28)
READ, START, STOP, RELOAD, AUTOEND = 0x400, 0x2000, 0x4000, 1 << 24, 1 << 25
TXE, TXIS, RXNE, NACKF, STOPF, TC, TCR = 1, 2, 4, 0x10, 0x20, 0x40, 0x80
BERR, ARLO, TIMEOUT, BUSY = 0x100, 0x200, 0x1000, 0x8000
LOW, HIGH = 6 * (20 + 2), 6 * (10 + 2)  # cycles: HSI is HCLK / 6; 2 clocks of synchronisation
BIT = LOW + HIGH
SETUP = 6 * 4
PINS = {0: (I2C1, 22, 23), 1: (I2C2, 26, 27)}
ADDRESS = 0x20


def opened(bus: int = 0, cr1: int = 0) -> Machine:
    """SCLL 20, SCLH 10, SDADEL 2, SCLDEL 4 clocks of 8 MHz."""
    m = board.board()
    base, scl, sda = PINS[bus]
    for pin in (scl, sda):
        board.function(m, pin, 1, pull=1, open_drain=True)
    prescaler = 5 if bus == 1 else 0  # I2C2 has PCLK
    m.bus_write(base + TIMINGR, prescaler << 28 | 3 << 20 | 2 << 16 | 9 << 8 | 19)
    m.bus_write(base + CR1, 1 | cr1)
    return m


def transfer(m: Machine, count: int, flags: int, address: int = ADDRESS, bus: int = 0) -> int:
    begin = m.now
    m.bus_write(PINS[bus][0] + CR2, START | flags | count << 16 | address << 1)
    return begin


def run_until(m: Machine, bits: int, limit: int = 1_000_000, base: int = I2C1) -> int:
    """The first cycle at which a flag is set."""
    end = m.now + limit
    while not m.bus_read(base + ISR) & bits:
        assert m.now < end, hex(m.bus_read(base + ISR))
        m.step()
    return m.now


def write(m: Machine, data: bytes, flags: int = AUTOEND, **to) -> None:
    """Up to TC, TCR or STOP."""
    base = PINS[to.get("bus", 0)][0]
    transfer(m, len(data), flags, **to)
    for byte in data:
        if run_until(m, TXIS | STOPF, base=base) and m.bus_read(base + ISR) & STOPF:
            return
        m.bus_write(base + TXDR, byte)
    run_until(m, TC | TCR | STOPF, base=base)


def read(m: Machine, count: int, flags: int = AUTOEND, **at) -> bytes:
    base = PINS[at.get("bus", 0)][0]
    transfer(m, count, READ | flags, **at)
    found = []
    for _ in range(count):
        run_until(m, RXNE, base=base)
        found.append(m.bus_read(base + RXDR))
    run_until(m, TC | TCR | STOPF, base=base)
    return bytes(found)
