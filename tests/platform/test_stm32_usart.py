"""STM32F051: USART1 and 2."""

from __future__ import annotations

import bare_stm32 as board
import pytest
from bare_stm32 import USART1, USART2

CR1, CR2, CR3, BRR, RQR, ISR, ICR, RDR, TDR = (0, 4, 8, 0xC, 0x18, 0x1C, 0x20, 0x24, 0x28)
UE, RE, TE, RXNEIE, TCIE, TXEIE = 1, 4, 8, 0x20, 0x40, 0x80
ORE, RXNE, TC, TXE = 8, 0x20, 0x40, 0x80
PORTS = {0: (USART1, 9, 10, 1, 27), 1: (USART2, 2, 3, 1, 28)}
BIT = 417  # 115200 baud at 48 MHz


def opened(port: int = 0, flags: int = 0):
    m = board.board()
    base, tx, rx, number, _ = PORTS[port]
    board.function(m, tx, number)
    board.function(m, rx, number, pull=1)
    m.bus_write(base + BRR, BIT)
    m.bus_write(base, UE | RE | TE | flags)
    return m, base


@pytest.mark.parametrize("port", [0, 1])
def test_sends_at_the_baud_rate(port: int) -> None:
    m, base = opened(port)
    assert m.bus_read(base + ISR) == 0x6000C0
    begin = m.now
    m.bus_write(base + TDR, 0x41)
    assert m.bus_read(base + ISR) & (TXE | TC) == TXE
    m.bus_write(base + TDR, 0x42)
    assert m.bus_read(base + ISR) & (TXE | TC) == 0
    board.wait(m, 30 * BIT)
    assert m.uart_take(port) == [(begin + 10 * BIT, 0x41), (begin + 20 * BIT, 0x42)]
    assert m.bus_read(base + ISR) & (TXE | TC) == TXE | TC and m.unimplemented() == []


@pytest.mark.parametrize("port", [0, 1])
def test_receives(port: int) -> None:
    m, base = opened(port)
    begin = m.now
    m.uart_send(port, b"ab")
    board.wait(m, 10 * BIT - 5)
    assert m.bus_read(base + ISR) & RXNE == 0
    m.run(begin + 10 * BIT + 5)
    assert m.bus_read(base + ISR) & RXNE and m.bus_read(base + RDR) == ord("a")
    assert m.bus_read(base + ISR) & RXNE == 0
    m.run(begin + 20 * BIT + 5)
    assert m.bus_read(base + RDR) == ord("b")


@pytest.mark.parametrize("flags, cause", [(RXNEIE, "send"), (TXEIE, ""), (TCIE, "")])
@pytest.mark.parametrize("port", [0, 1])
def test_interrupts(port: int, flags: int, cause: str) -> None:
    m, base = opened(port)
    irq = PORTS[port][4]
    m.bus_write(board.NVIC_ENABLE, 1 << irq)
    board.wait(m, 100)
    assert board.active_interrupt(m) is None
    m.bus_write(base, UE | RE | TE | flags)
    if cause:
        m.uart_send(port, b"x")
    board.run_to_handler(m, 20 * BIT)
    assert board.active_interrupt(m) == irq


def test_overrun() -> None:
    m, base = opened(flags=RXNEIE)
    m.uart_send(0, b"xyz")
    board.wait(m, 40 * BIT)
    assert m.bus_read(base + ISR) & (ORE | RXNE) == ORE | RXNE
    assert m.bus_read(base + RDR) == ord("x")
    assert m.bus_read(0xE000E200) == 1 << 27
    m.bus_write(base + ICR, ORE)
    m.bus_write(0xE000E280, 1 << 27)
    assert m.bus_read(base + ISR) & ORE == 0 and m.bus_read(0xE000E200) == 0


def test_overrun_disabled_keeps_the_latest() -> None:
    m, base = opened()
    m.bus_write(base, 0)
    m.bus_write(base + CR3, 0x1000)
    m.bus_write(base, UE | RE)
    m.uart_send(0, b"xyz")
    board.wait(m, 40 * BIT)
    assert m.bus_read(base + ISR) & ORE == 0 and m.bus_read(base + RDR) == ord("z")


@pytest.mark.parametrize("cr1, cr2, brr, cycles", [
    (0, 0, 1000, 10_000), (0x1000, 0, 1000, 11_000), (0, 0x2000, 1000, 11_000),
    (0x8000, 0, 0x1004, 10 * 0x1008 // 2),
])  # fmt: skip
def test_frame_lengths(cr1: int, cr2: int, brr: int, cycles: int) -> None:
    m, base = opened()
    m.bus_write(base, 0)
    m.bus_write(base + CR2, cr2)
    m.bus_write(base + BRR, brr)
    m.bus_write(base, UE | TE | cr1)
    begin = m.now
    m.bus_write(base + TDR, 1)
    board.wait(m, 2 * cycles)
    assert m.uart_take(0) == [(begin + cycles, 1)]


def test_clock_from_hsi() -> None:
    m, base = opened()
    m.bus_write(board.RCC + 0x30, 3)
    m.bus_write(base + BRR, 100)
    begin = m.now
    m.bus_write(base + TDR, 1)
    board.wait(m, 10_000)
    assert m.uart_take(0) == [(begin + 6000, 1)]


def test_unrouted_pins_and_lost_bytes_are_told() -> None:
    m = board.board()
    m.bus_write(USART1 + BRR, BIT)
    m.bus_write(USART1, UE | RE | TE)
    for byte in range(3):
        m.bus_write(USART1 + TDR, byte)
    m.uart_send(0, b"x")
    board.wait(m, 30 * BIT)
    lines = m.unimplemented()
    assert m.uart_take(0) == [] and len(lines) == 3
    assert "byte before is lost" in lines[0]
    assert {line.split(" at pc")[0] for line in lines[1:]} == {
        "USART1 sends, but no pin has its TX function",
        "USART1 was sent a byte while not receiving",
    }


def test_what_is_not_modelled_is_reported() -> None:
    m, base = opened()
    m.bus_write(base, UE | TE | 0x10)  # idle interrupt
    m.bus_write(base + CR3, 0x40)  # DMA
    m.bus_write(base + 0x14, 5)
    assert [line.split(" ")[0] for line in m.unimplemented()] == [
        "USART1+0x0", "USART1+0x8", "USART1+0x14"]  # fmt: skip


def test_run_stops_at_a_byte() -> None:
    m, base = opened()
    m.watch_uart(0)
    begin = m.now
    m.bus_write(base + TDR, 0x55)
    stop = m.run(m.now + 100_000)
    assert stop.reason == "uart" and stop.detail == (0, 0x55) and stop.cycle == begin + 10 * BIT
