"""STM32F051: GPIO modes, output data, pulls, locks; EXTI."""

from __future__ import annotations

import bare_stm32 as board
import pytest
from bare_stm32 import ANALOG, EXTI, GPIOA, INPUT, OUTPUT, SYSCFG, A, B, C, D, F

IMR, RTSR, FTSR, SWIER, PR = (EXTI + k for k in (0, 8, 12, 16, 20))
PINS = [A + 3, A + 15, B + 3, B + 15, C + 0, C + 13, D + 2, F + 0, F + 7]


@pytest.mark.parametrize("pin", PINS)
def test_output(pin: int) -> None:
    m = board.board()
    base, bit = board.port(pin), 1 << pin % 16
    board.mode(m, pin, OUTPUT)
    m.log_pin(pin)
    times = []
    for register, value in ((0x18, bit), (0x28, bit), (0x14, bit), (0x18, bit << 16)):
        m.bus_write(base + register, value)
        times.append(m.now)
        assert m.bus_read(base + 0x10) & bit == m.bus_read(base + 0x14) & bit
        board.wait(m, 10)
    assert m.pin_edges() == [(t, pin, (k + 1) % 2) for k, t in enumerate(times)]
    assert m.pin_is_output(pin)


def test_setting_wins_over_clearing() -> None:
    m = board.board()
    m.bus_write(GPIOA + 0x18, 0x00FF00F0)
    assert m.bus_read(GPIOA + 0x14) == 0x00F0


def test_narrow_writes_reach_their_bits(assemble) -> None:
    source = """
    _start:
        ldr r0, =0x40021014
        ldr r1, =0x00020014
        str r1, [r0]
        ldr r0, =0x48000000
        movs r1, #0x55
        strb r1, [r0, #1]       // MODER of pins 4-7
        movs r1, #0xa0
        strb r1, [r0, #0x14]    // ODR
        movs r1, #3
        strh r1, [r0, #0x18]    // BSRR: set
        movs r1, #1
        strh r1, [r0, #0x1a]    // BSRR: clear
        bkpt 0
    """
    m = assemble(source, chip="stm32f051").machine
    m.run(1000)
    assert m.bus_read(GPIOA) == 0x28005500 and m.bus_read(GPIOA + 0x14) == 0xA2
    assert [m.pin_level(k) for k in range(8)] == [0, 0, 0, 0, 0, 1, 0, 1]


def test_open_drain() -> None:
    m = board.board()
    board.mode(m, A + 1, OUTPUT, open_drain=True)
    assert m.pin_level(1) == 0 and m.pin_is_output(1)
    m.bus_write(GPIOA + 0x18, 2)
    assert m.pin_level(1) == 0 and not m.pin_is_output(1)
    m.pin_drive(1, 1)
    assert m.pin_level(1) == 1 and m.bus_read(GPIOA + 0x10) & 2
    assert m.unimplemented() == []


def test_pulls_and_analog() -> None:
    m = board.board()
    board.mode(m, B + 1, INPUT, pull=1)
    assert m.bus_read(board.GPIOB + 0x10) == 2
    board.mode(m, B + 1, ANALOG, pull=1)
    assert m.bus_read(board.GPIOB + 0x10) == 0
    board.mode(m, B + 1, INPUT, pull=2)
    m.pin_drive(B + 1, 1)
    assert m.bus_read(board.GPIOB + 0x10) == 2


def test_lock() -> None:
    m = board.board()
    for value in (0x10001, 0x00001, 0x10001):
        m.bus_write(GPIOA + 0x1C, value)
    assert m.bus_read(GPIOA + 0x1C) == 0x10001
    m.bus_write(GPIOA, 0x28000005)
    assert m.bus_read(GPIOA) == 0x28000004
    m.bus_write(GPIOA + 0x14, 3)
    assert m.bus_read(GPIOA + 0x14) == 3


def test_debug_pins_after_reset() -> None:
    m = board.board()
    assert [m.bus_read(GPIOA + k) for k in (0, 8, 12)] == [0x28000000, 0x0C000000, 0x24000000]
    assert m.pin_level(13) == 1 and m.pin_level(14) == 0


def test_pins_that_are_not_there() -> None:
    m = board.board()
    m.pin_drive(D + 3, 1)
    assert m.pin_level(D + 3) == 0 and m.pin_level(64) == 0 and m.pin_level(96) == 0


def test_logged_writes() -> None:
    m = board.board()
    for pin in (A + 5, B + 5):
        board.mode(m, pin, OUTPUT)
        m.log_pin_writes(pin)
    begin = m.now
    m.bus_write(GPIOA + 0x18, 1 << 5)
    m.bus_write(GPIOA + 0x28, 1 << 6)
    m.bus_write(GPIOA + 0x18, 1 << 21)
    m.bus_write(board.GPIOB + 0x14, 0)
    assert m.pin_writes() == [(begin, pin, True) for pin in (A + 5, A + 5, B + 5)]


def listen(m, pin: int, rise: bool = True, fall: bool = False) -> None:
    line = pin % 16
    board._field(m, SYSCFG + 8 + line // 4 * 4, line % 4, 4, pin // 16)
    for register, on in ((RTSR, rise), (FTSR, fall), (IMR, True)):
        m.bus_write(register, m.bus_read(register) | on << line)


@pytest.mark.parametrize("pin, irq", [(A + 0, 5), (B + 1, 5), (C + 3, 6), (F + 4, 7), (D + 2, 6)])
def test_interrupt_on_an_edge(pin: int, irq: int) -> None:
    m = board.board()
    listen(m, pin)
    m.bus_write(board.NVIC_ENABLE, 1 << irq)
    begin = m.now + 1000 - m.now % 3
    m.pin_drive(pin, 1, at=begin)
    at = board.run_to_handler(m, 2000)
    assert board.active_interrupt(m) == irq and 16 <= at - begin <= 16 + 3 + 4
    assert m.bus_read(PR) == 1 << pin % 16
    m.bus_write(PR, 1 << pin % 16)
    assert m.bus_read(PR) == 0 and m.bus_read(0xE000E200) == 0


def test_only_the_chosen_edge_of_the_chosen_port() -> None:
    m = board.board()
    listen(m, B + 2, rise=False, fall=True)
    for pin in (A + 2, B + 2):
        m.pin_drive(pin, 1)
    assert m.bus_read(PR) == 0
    m.pin_drive(A + 2, 0)
    assert m.bus_read(PR) == 0
    m.pin_drive(B + 2, 0)
    assert m.bus_read(PR) == 4


def test_an_edge_is_latched_while_masked() -> None:
    m = board.board()
    listen(m, A + 4)
    m.bus_write(board.NVIC_ENABLE, 1 << 7)
    m.bus_write(IMR, 0)
    m.pin_drive(4, 1)
    board.wait(m, 100)
    assert m.bus_read(PR) == 0x10 and board.active_interrupt(m) is None
    m.bus_write(IMR, 0x10)
    board.wait(m, 100)
    assert board.active_interrupt(m) == 7


def test_software_interrupt() -> None:
    m = board.board()
    m.bus_write(SWIER, 16)
    assert m.bus_read(PR) == 0  # not enabled
    m.bus_write(IMR, 8)
    m.bus_write(SWIER, 8)
    assert m.bus_read(PR) == 8 and m.bus_read(0xE000E200) == 1 << 6
    m.bus_write(PR, 8)
    assert m.bus_read(SWIER) == 16


def test_a_wave_interrupts_and_is_counted() -> None:
    """Each rise of a 100 kHz wave; the program clears the bit."""
    m = board.board()
    listen(m, A + 6)
    m.bus_write(board.NVIC_ENABLE, 1 << 7)
    m.pin_wave(6, 240, m.now + 1000)
    seen = 0
    for _ in range(50):
        board.wait(m, 480)
        if m.bus_read(PR) & 0x40:
            seen += 1
            m.bus_write(PR, 0x40)
    assert seen == 48 and m.pin_wave_edges(6) == 96


def test_a_masked_wave_costs_nothing() -> None:
    m = board.board()
    listen(m, A + 6, fall=True)
    m.bus_write(IMR, 0)
    m.pin_wave(6, 2.5, m.now + 10)
    m.run(m.now + 480_000_000)
    assert m.bus_read(PR) == 0x40
    assert m.pin_wave_edges(6) == pytest.approx(192_000_000, abs=10)


def test_lines_above_15_are_reported() -> None:
    m = board.board()
    m.bus_write(RTSR, 1 << 17)
    assert m.unimplemented()[0].startswith("EXTI (lines above 15)+0x8 write")
