"""STM32F051: SPI1 and 2 as masters."""

from __future__ import annotations

import struct

import bare_stm32 as board
import pytest
from bare_stm32 import OUTPUT, SPI1, SPI2

CR1, CR2, SR, DR = 0, 4, 8, 12
MASTER, ENABLE, SOFTWARE = 4, 0x40, 0x300
RXNE, TXE, MODF, OVR, BSY = 1, 2, 0x20, 0x40, 0x80
BUSES = {0: (SPI1, (5, 6, 7), 25), 1: (SPI2, (29, 30, 31), 26)}
SELECT = 20  # PB4
BIT = 8  # BR = 2


class Echo:
    """Answers with the complement; remembers."""

    def __init__(self, m) -> None:
        self.m, self.seen = m, []

    def select(self) -> None:
        self.seen.append("select")

    def transfer(self, word: int, bits: int) -> int:
        self.seen.append((self.m.now, word, bits))
        return ~word & 0xFFFF

    def deselect(self) -> None:
        self.seen.append("deselect")


def opened(bus: int = 0, cr1: int = 0, bits: int = 8, threshold: bool = True):
    m = board.board()
    base, pins, _ = BUSES[bus]
    for pin in pins:
        board.function(m, pin, 0)
    board.mode(m, SELECT, OUTPUT)
    device = Echo(m)
    m.spi_device(bus, SELECT, device)
    m.bus_write(base + CR2, (bits - 1) << 8 | threshold << 12)
    m.bus_write(base + CR1, 2 << 3 | MASTER | SOFTWARE | ENABLE | cr1)
    device.seen.clear()
    return m, base, device


def write8(m, address: int, value: int) -> None:
    """A byte store by the CPU."""
    _access(m, 0x7008, address, value)  # strb r0, [r1]


def read8(m, address: int) -> int:
    _access(m, 0x7808, address, 0)  # ldrb r0, [r1]
    return m.register(0)


def read16(m, address: int) -> int:
    _access(m, 0x8808, address, 0)
    return m.register(0)


def _access(m, code: int, address: int, value: int) -> None:
    m.write(0x20001000, struct.pack("<HH", code, 0xE7FE))
    m.set_register(0, value)
    m.set_register(1, address)
    m.set_register(15, 0x20001000)
    m.step()
    m.set_register(15, board.LOOP)


@pytest.mark.parametrize("bus", [0, 1])
def test_bytes(bus: int) -> None:
    m, base, device = opened(bus)
    begin = m.now
    write8(m, base + DR, 0x5A)
    assert m.bus_read(base + SR) & BSY
    board.wait(m, 10 * BIT)
    assert [word for _, *word in device.seen] == [[0x5A, 8]]
    assert begin <= device.seen[0][0] - 8 * BIT <= begin + 3
    assert m.bus_read(base + SR) == TXE | RXNE | 1 << 9
    assert read8(m, base + DR) == 0xA5 and m.bus_read(base + SR) == TXE


def test_packing() -> None:
    """A halfword is two bytes, the low one first, both ways."""
    m, base, device = opened(threshold=False)
    m.bus_write(base + DR, 0x2211)
    board.wait(m, 8 * BIT + 4)
    assert not m.bus_read(base + SR) & RXNE
    board.wait(m, 8 * BIT + 4)
    assert m.bus_read(base + SR) & RXNE and read16(m, base + DR) == 0xDDEE
    assert [word for _, word, _ in device.seen] == [0x11, 0x22]
    assert device.seen[1][0] - device.seen[0][0] == 8 * BIT


@pytest.mark.parametrize("bits", [4, 7, 9, 12, 16])
def test_word_lengths(bits: int) -> None:
    m, base, device = opened(bits=bits, threshold=bits <= 8)
    value = 0xA5C3 & ((1 << bits) - 1)
    (write8 if bits <= 8 else m.__class__.bus_write)(m, base + DR, value)
    board.wait(m, 20 * BIT)
    read = read8 if bits <= 8 else read16
    assert device.seen[0][1:] == (value, bits)
    assert read(m, base + DR) == ~value & ((1 << bits) - 1)


def test_fifo_levels_and_overrun() -> None:
    m, base, _ = opened()
    for k in range(4):
        write8(m, base + DR, k)
    assert m.bus_read(base + SR) >> 11 & 3 == 3 and not m.bus_read(base + SR) & TXE
    board.wait(m, 6 * 8 * BIT)
    write8(m, base + DR, 4)
    board.wait(m, 10 * BIT)
    assert m.bus_read(base + SR) & OVR and m.bus_read(base + SR) >> 9 & 3 == 3
    assert [read8(m, base + DR) for _ in range(4)] == [0xFF, 0xFE, 0xFD, 0xFC]
    assert m.bus_read(base + SR) == TXE


@pytest.mark.parametrize("flags, start", [(0x80, False), (0x40, True)])
@pytest.mark.parametrize("bus", [0, 1])
def test_interrupts(bus: int, flags: int, start: bool) -> None:
    m, base, _ = opened(bus)
    irq = BUSES[bus][2]
    m.bus_write(board.NVIC_ENABLE, 1 << irq)
    m.bus_write(base + CR2, 0x1700 | flags)
    if start:
        board.wait(m, 100)
        assert board.active_interrupt(m) is None
        m.bus_write(base + DR, 1)
    board.run_to_handler(m, 1000)
    assert board.active_interrupt(m) == irq


def test_select_by_a_pin() -> None:
    m, base, device = opened()
    m.bus_write(board.GPIOB + 0x18, 1 << 4)
    m.bus_write(base + DR, 0x0101)
    board.wait(m, 20 * BIT)
    assert device.seen == ["deselect"] and read8(m, base + DR) == 0
    m.bus_write(board.GPIOB + 0x28, 1 << 4)
    assert device.seen == ["deselect", "select"]


def test_select_by_the_controller() -> None:
    m = board.board()
    for pin in (4, 5, 6, 7):
        board.function(m, pin, 0)
    device = Echo(m)
    m.spi_device(0, 4, device)
    m.bus_write(SPI1 + CR2, 0x1704)
    m.bus_write(SPI1 + CR1, MASTER | ENABLE)
    m.bus_write(SPI1 + CR1, MASTER)
    assert device.seen == ["select", "deselect"]


@pytest.mark.parametrize("cr1, mode", [(0, 0), (1, 1), (2, 2), (3, 3)])
def test_settings(cr1: int, mode: int) -> None:
    m, _, _ = opened(cr1=cr1 | 3 << 3, bits=12)
    assert m.spi_settings(0) == (48_000_000 // 16, mode, 12)


def test_least_significant_bit_first() -> None:
    m, base, device = opened(cr1=0x80)
    write8(m, base + DR, 0x01)
    board.wait(m, 10 * BIT)
    assert device.seen[0][1] == 0x80 and read8(m, base + DR) == 0xFE


def test_mode_fault() -> None:
    m, base, _ = opened()
    m.bus_write(base + CR1, MASTER | ENABLE | 0x200)
    assert m.bus_read(base + SR) & MODF and m.bus_read(base + CR1) & (MASTER | ENABLE) == 0


def test_what_is_not_modelled_is_reported() -> None:
    m, base, _ = opened()
    m.bus_write(base + CR1, ENABLE | 0x2000)
    m.bus_write(base + CR2, 0x1703)
    m.bus_write(base + 0x1C, 0x800)
    names = [line.split("+")[1].split(" ")[0] for line in m.unimplemented()]
    assert names == ["0x0", "0x4", "0x1c"]
