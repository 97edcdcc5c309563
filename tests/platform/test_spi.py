"""SPI: registers, timing of words, FIFOs and interrupts, chip selects."""

from __future__ import annotations

import bare_board as board
import pytest
from bare_board import NVIC_ENABLE, SIO
from takt.machine.machine import Machine, PlatformError

SPI0, SPI1 = 0x4003C000, 0x40040000
CR0, CR1, DR, SR, CPSR, IMSC, RIS, MIS, ICR = (4 * k for k in range(9))
OVERRUN, TIMEOUT, RX, TX = 1, 2, 4, 8
BUSY = 0x10
PINS = {SPI0: (16, 18, 19), SPI1: (12, 14, 15)}  # RX, SCK, TX
SELECT = 17  # also CSn of SPI0
GPIO, FUNCTION = 5, 1
BIT = 40  # cycles: 2 * 20


class Device:
    """Sends back what it got the time before, inverted."""

    def __init__(self, machine: Machine, first: int = 0x99) -> None:
        self.machine, self.next = machine, first
        self.seen: list = []
        self.at: list[int] = []

    def _see(self, what) -> None:
        self.seen.append(what)
        self.at.append(self.machine.now)

    def select(self) -> None:
        self._see("S")

    def transfer(self, byte: int, bits: int) -> int:
        self._see(byte)
        answer, self.next = self.next, byte ^ 0xFFFF
        return answer

    def deselect(self) -> None:
        self._see("D")


def opened(mode: int = 0, bits: int = 8, base: int = SPI0, control: int = 2) -> Machine:
    m = board.board()
    for pin in PINS[base]:
        board.select(m, pin, FUNCTION)
    m.bus_write(SIO + 0x14, 1 << SELECT)
    m.bus_write(SIO + 0x24, 1 << SELECT)
    board.select(m, SELECT, GPIO)
    m.bus_write(base + CPSR, 2)
    m.bus_write(base + CR0, 19 << 8 | (mode >> 1) << 6 | (mode & 1) << 7 | bits - 1)
    m.bus_write(base + CR1, control)
    return m


def select(m: Machine, low: bool) -> None:
    m.bus_write(SIO + (0x18 if low else 0x14), 1 << SELECT)


def put(m: Machine, *words: int, base: int = SPI0) -> int:
    begin = m.now
    for word in words:
        m.bus_write(base + DR, word)
    return begin


def take(m: Machine, count: int, base: int = SPI0) -> list[int]:
    return [m.bus_read(base + DR) for _ in range(count)]


def test_registers_after_reset() -> None:
    m = board.board()
    identity = [0x22, 0x10, 0x34, 0x00, 0x0D, 0xF0, 0x05, 0xB1]
    for base in (SPI0, SPI1):
        assert [m.bus_read(base + o) for o in (CR0, CR1, SR, CPSR, IMSC, RIS, MIS)] == [
            0, 0, 3, 0, 0, TX, 0]  # fmt: skip
        assert [m.bus_read(base + 0xFE0 + 4 * k) for k in range(8)] == identity
    assert m.unimplemented() == []
    for offset, value in ((CR1, 4), (CR0, 0x17), (CR0, 2), (0x24, 1)):
        before = len(m.unimplemented())
        m.bus_write(SPI0 + offset, value)
        assert len(m.unimplemented()) >= max(before, 1)


def test_settings_seen_from_outside() -> None:
    m = opened(mode=2, bits=12)
    assert m.spi_settings(0) == (125_000_000 // 40, 2, 12)
    assert m.spi_settings(1)[0] == 0


def test_a_conversation() -> None:
    m = opened()
    device = Device(m)
    m.spi_device(0, SELECT, device)
    select(m, True)
    put(m, 0x12, 0x34, 0x56)
    board.wait(m, 30 * BIT)
    select(m, False)
    put(m, 0x78)
    board.wait(m, 30 * BIT)
    assert device.seen == ["S", 0x12, 0x34, 0x56, "D"]
    assert take(m, 4) == [0x99, 0xED, 0xCB, 0]  # nobody drives the line: pulled down
    assert m.bus_read(SPI0 + SR) == 3


# The gap between words with SPH = 0, and where in the word its last bit is captured.
@pytest.mark.parametrize("mode, bits", [(0, 8), (1, 8), (2, 16), (3, 16), (0, 4), (1, 13)])
def test_words_take_their_time(mode: int, bits: int) -> None:
    m = opened(mode, bits)
    device = Device(m)
    m.spi_device(0, SELECT, device)
    select(m, True)
    begin = put(m, 1, 2, 3)
    captured, word = (bits, bits) if mode & 1 else (bits - 0.5, bits + 1.5)
    board.wait(m, int(3 * word * BIT) + 4)
    assert device.seen == ["S", 1, 2, 3]
    wanted = [begin, *(begin + int((captured + k * word) * BIT) for k in range(3))]
    assert all(0 <= at - goal <= 1 for at, goal in zip(device.at, wanted, strict=True))


@pytest.mark.parametrize("mode, ends", [(0, 8.5), (1, 9)])
def test_busy_until_the_word_has_ended(mode: int, ends: float) -> None:
    m = opened(mode)
    begin = put(m, 0xAA)
    while m.bus_read(SPI0 + SR) & BUSY:
        m.step()
    assert 0 <= m.now - begin - ends * BIT <= 3
    assert m.bus_read(SPI0 + SR) == 7


@pytest.mark.parametrize("mode, pulses", [(0, 3), (1, 1)])
def test_hardware_chip_select(mode: int, pulses: int) -> None:
    m = opened(mode)
    device = Device(m)
    m.spi_device(0, SELECT, device)
    board.select(m, SELECT, FUNCTION)
    put(m, 1, 2, 3)
    board.wait(m, 40 * BIT)
    assert device.seen.count("S") == device.seen.count("D") == pulses
    assert [s for s in device.seen if isinstance(s, int)] == [1, 2, 3]


def test_loopback_and_word_width() -> None:
    m = opened(bits=9, control=3)
    put(m, 0xFFF, 0x155)
    board.wait(m, 30 * BIT)
    assert take(m, 2) == [0x1FF, 0x155]


def test_waits_while_disabled() -> None:
    m = opened(control=1)
    put(m, 5)
    board.wait(m, 30 * BIT)
    assert m.bus_read(SPI0 + SR) == 2 | BUSY
    m.bus_write(SPI0 + CR1, 3)
    board.wait(m, 10 * BIT)
    assert take(m, 1) == [5]


def test_fifo_levels_interrupts_and_timeout() -> None:
    m = opened(control=3)
    m.bus_write(SPI0 + IMSC, RX | TIMEOUT)
    m.bus_write(NVIC_ENABLE, 1 << 18)
    begin = put(m, *range(5))
    handler = board.run_to_handler(m, 100 * BIT)
    assert 15 <= handler - begin - (3 * 9.5 + 7.5) * BIT <= 16  # the fourth word
    assert board.active_interrupt(m) == 18 and m.bus_read(SPI0 + MIS) == RX
    board.wait(m, 11 * BIT)
    assert take(m, 2) == [0, 1] and m.bus_read(SPI0 + MIS) == 0
    last = begin + int((4 * 9.5 + 7.5) * BIT)
    while not m.bus_read(SPI0 + MIS) & TIMEOUT:
        m.step()
    assert 0 <= m.now - last - 32 * BIT <= 3
    m.bus_write(SPI0 + ICR, TIMEOUT)
    assert m.bus_read(SPI0 + RIS) == TX and take(m, 3) == [2, 3, 4]


def test_transmit_interrupt_and_a_full_fifo() -> None:
    m = opened(control=1)
    levels = []
    for word in range(9):
        put(m, word)
        levels.append((m.bus_read(SPI0 + RIS) & TX != 0, m.bus_read(SPI0 + SR) & 2 != 0))
    assert levels == [(k < 4, k < 7) for k in range(9)]
    assert any("full SPI FIFO" in line for line in m.unimplemented())


def test_overrun() -> None:
    m = opened(control=3)
    for word in range(9):
        put(m, word)
        board.wait(m, 10 * BIT)
    assert m.bus_read(SPI0 + RIS) & OVERRUN and m.bus_read(SPI0 + SR) & 8
    m.bus_write(SPI0 + ICR, OVERRUN)
    assert not m.bus_read(SPI0 + RIS) & OVERRUN and take(m, 8) == list(range(8))


def test_the_second_bus_and_its_interrupt() -> None:
    m = opened(base=SPI1)
    device = Device(m)
    m.spi_device(1, SELECT, device)
    select(m, True)
    m.bus_write(SPI1 + IMSC, TX)
    m.bus_write(NVIC_ENABLE, 1 << 19)
    board.run_to_handler(m, 100)
    assert board.active_interrupt(m) == 19
    put(m, 0x42, base=SPI1)
    board.wait(m, 10 * BIT)
    assert device.seen == ["S", 0x42] and take(m, 1, SPI1) == [0x99]


def test_two_selected_at_once_and_missing_pins() -> None:
    m = opened()
    for first in (0xF0, 0x3C):
        m.spi_device(0, SELECT, Device(m, first))
    select(m, True)
    put(m, 0)
    board.wait(m, 10 * BIT)
    assert take(m, 1) == [0x30] and any("two SPI" in line for line in m.unimplemented())
    board.select(m, 18, GPIO)
    put(m, 0)
    board.wait(m, 10 * BIT)
    assert take(m, 1) == [0] and any("no pin has its SCK" in line for line in m.unimplemented())
    with pytest.raises(PlatformError):
        m.spi_device(2, SELECT, Device(m))


def test_what_a_device_raises_comes_out_at_once() -> None:
    m = opened()
    device = Device(m)
    device.select = lambda: 1 // 0
    m.spi_device(0, SELECT, device)
    with pytest.raises(ZeroDivisionError):
        select(m, True)


def test_a_device_may_not_run_the_machine() -> None:
    m = opened()
    device = Device(m)
    device.transfer = lambda byte, bits: m.run(m.now + 1)
    m.spi_device(0, SELECT, device)
    select(m, True)
    put(m, 1)
    with pytest.raises(PlatformError):
        board.wait(m, 100 * BIT)
