"""UART: timing of frames, FIFOs, interrupts, routing."""

from __future__ import annotations

import bare_board as board
import pytest
from bare_board import HZ, NVIC_ENABLE, UART0, UART1
from takt.machine.machine import Machine

RX, TX, TIMEOUT, OVERRUN = 1 << 4, 1 << 5, 1 << 6, 1 << 10


def opened(baud: int = 115200, lcr: int = 0x70, base: int = UART0, pins=(0, 1)) -> Machine:
    m = board.board()
    divider = round(HZ * 4 / baud)
    m.bus_write(base + 0x24, divider >> 6)
    m.bus_write(base + 0x28, divider & 63)
    m.bus_write(base + 0x2C, lcr)
    m.bus_write(base + 0x30, 0x301)
    for pin in pins:
        board.select(m, pin, 2)
    return m


def bit_cycles(baud: int) -> float:
    return round(HZ * 4 / baud) / 4


@pytest.mark.parametrize(
    "baud, lcr, bits", [(115200, 0x70, 10), (9600, 0x70, 10), (115200, 0x7E, 12), (1200, 0x50, 9)]
)
def test_frames_take_their_time(baud: int, lcr: int, bits: int) -> None:
    m = opened(baud, lcr)
    begin = m.now
    for byte in b"Takt":
        m.bus_write(UART0, byte)
    board.wait(m, int(bit_cycles(baud) * bits * 4) + 100)
    sent = m.uart_take(0)
    assert bytes(b for _, b in sent) == b"Takt"
    for number, (cycle, _) in enumerate(sent, 1):
        assert abs(cycle - begin - number * bits * bit_cycles(baud)) <= number


def test_fifo_flags() -> None:
    m = opened()
    flags = [m.bus_read(UART0 + 0x18)]
    for byte in range(33):  # one goes to the shifter at once
        m.bus_write(UART0, byte)
        flags.append(m.bus_read(UART0 + 0x18))
    assert flags[0] == 0x90  # both empty
    assert flags[1] == 0x98 and flags[2] == 0x18  # busy; not empty any more
    assert flags[33] == 0x38  # full
    m.bus_write(UART0, 99)
    assert any("full" in line for line in m.unimplemented())
    board.wait(m, int(34 * 10 * bit_cycles(115200)))
    assert len(m.uart_take(0)) == 33 and m.bus_read(UART0 + 0x18) == 0x90


def test_transmit_interrupt_when_falling_through_the_level() -> None:
    m = opened()
    m.bus_write(UART0 + 0x34, 0)  # at 4 of 32
    m.bus_write(UART0 + 0x38, TX)
    m.bus_write(NVIC_ENABLE, 1 << 20)
    begin = m.now
    for byte in range(4):
        m.bus_write(UART0, byte)
    board.wait(m, 100_000)
    assert m.bus_read(UART0 + 0x3C) & TX == 0 and board.active_interrupt(m) is None
    begin = m.now
    for byte in range(10):  # 1 shifting, 9 waiting: 5 frames until 4 wait
        m.bus_write(UART0, byte)
    handler = board.run_to_handler(m, 100_000)
    assert abs(handler - begin - 50 * bit_cycles(115200)) < 30
    assert board.active_interrupt(m) == 20 and m.bus_read(UART0 + 0x40) == TX
    m.bus_write(UART0 + 0x44, TX)
    assert m.bus_read(UART0 + 0x40) == 0


def test_receiving_level_and_timeout() -> None:
    m = opened()
    m.bus_write(UART0 + 0x34, 0)
    m.bus_write(UART0 + 0x38, RX | TIMEOUT)
    begin = m.now
    m.uart_send(0, b"abcde")
    frame = 10 * bit_cycles(115200)
    board.wait(m, int(3.9 * frame))
    assert m.bus_read(UART0 + 0x3C) == 0
    board.wait(m, int(0.2 * frame))
    assert m.bus_read(UART0 + 0x3C) == RX
    assert [m.bus_read(UART0) for _ in range(2)] == [ord("a"), ord("b")]
    assert m.bus_read(UART0 + 0x3C) == 0
    m.bus_write(0xE000E280, 1 << 20)  # what the first four bytes had made pending
    m.bus_write(NVIC_ENABLE, 1 << 20)
    handler = board.run_to_handler(m, 200_000)
    assert abs(handler - begin - 5 * frame - 32 * bit_cycles(115200)) < 30
    assert m.bus_read(UART0 + 0x40) == TIMEOUT
    assert [m.bus_read(UART0) for _ in range(3)] == [ord(c) for c in "cde"]
    assert m.bus_read(UART0 + 0x3C) == 0 and m.bus_read(UART0 + 0x18) & 0x10


def test_overrun() -> None:
    m = opened()
    m.uart_send(0, bytes(range(40)))
    board.wait(m, int(41 * 10 * bit_cycles(115200)))
    assert m.bus_read(UART0 + 0x3C) & OVERRUN
    values = [m.bus_read(UART0) for _ in range(32)]
    assert [v & 0xFF for v in values] == list(range(32)) and values[-1] & 0x800


def test_a_byte_from_outside_comes_at_its_cycle() -> None:
    m = opened(base=UART1, pins=(4, 5))
    at = m.now + 50_000
    m.uart_send(1, b"x", at=at)
    end = at + round(10 * bit_cycles(115200))
    m.run(end - 10)
    assert m.bus_read(UART1 + 0x18) & 0x10
    m.run(end + 10)
    assert m.bus_read(UART1) == ord("x")


def test_nothing_leaves_without_a_pin() -> None:
    m = opened(pins=())
    m.bus_write(UART0, 65)
    board.wait(m, 100_000)
    assert m.uart_take(0) == []
    assert any("no pin" in line for line in m.unimplemented())


def test_watching_a_uart_stops_the_run() -> None:
    m = opened()
    m.watch_uart(0)
    m.bus_write(UART0, 0x5A)
    stop = m.run(m.now + 1_000_000)
    assert (stop.reason, stop.detail) == ("uart", (0, 0x5A))


def test_without_baud_rate_nothing_is_sent() -> None:
    m = opened()
    m.bus_write(UART0 + 0x30, 0x300)
    m.bus_write(UART0 + 0x24, 0)
    m.bus_write(UART0 + 0x28, 0)
    m.bus_write(UART0 + 0x30, 0x301)
    m.bus_write(UART0, 1)  # the old rate holds until LCR_H is written
    board.wait(m, 100_000)
    assert len(m.uart_take(0)) == 1
    m.bus_write(UART0 + 0x2C, 0x70)
    m.bus_write(UART0, 1)
    board.wait(m, 100_000)
    assert m.uart_take(0) == []


SETTINGS = {0x24: 67, 0x28: 52, 0x2C: 0x70}


@pytest.mark.parametrize("offset", SETTINGS)
def test_settings_are_written_while_it_is_off(offset: int) -> None:
    """As the PL011's manual wants it: off, and the frames of then over."""
    m = opened()
    m.bus_write(UART0 + offset, SETTINGS[offset])
    assert "while it is on" in m.unimplemented()[-1]

    frame = int(10 * bit_cycles(115200))
    for sends in (True, False):
        m = opened()
        if sends:
            m.bus_write(UART0, 0x55)
            m.bus_write(UART0, 0x55)  # stays in the FIFO
        else:
            m.uart_send(0, b"U")
        board.wait(m, frame // 2)
        m.bus_write(UART0 + 0x30, 0x300)
        board.wait(m, frame // 4)
        assert m.unimplemented() == []
        m.bus_write(UART0 + offset, SETTINGS[offset])
        assert "before the last frame is over" in m.unimplemented()[-1]

    m = opened()
    m.bus_write(UART0, 0x55)
    m.bus_write(UART0 + 0x30, 0x300)
    board.wait(m, frame + 100)
    m.bus_write(UART0 + offset, SETTINGS[offset])
    assert m.unimplemented() == []
