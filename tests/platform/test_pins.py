"""GPIO, edge interrupts, PWM waveforms, ADC."""

from __future__ import annotations

import itertools

import bare_board as board
import pytest
from bare_board import ADC, IO_BANK0, NVIC_ENABLE, PADS, PWM, SIO, US
from takt.machine.machine import Machine

SIO_FUNCTION, PWM_FUNCTION = 5, 4


def test_output_and_levels() -> None:
    m = board.board()
    board.select(m, 25, SIO_FUNCTION)
    m.bus_write(SIO + 0x14, 1 << 25)
    assert m.pin_level(25) == 0 and not m.pin_is_output(25)
    m.bus_write(SIO + 0x24, 1 << 25)
    assert m.pin_level(25) == 1 and m.pin_is_output(25)
    m.bus_write(SIO + 0x1C, 1 << 25)
    assert m.pin_level(25) == 0
    assert m.bus_read(SIO + 0x10) == 0 and m.bus_read(SIO + 0x20) == 1 << 25


def test_pulls_and_outside() -> None:
    m = board.board()
    assert m.pin_level(3) == 0  # pull-down after reset
    m.bus_write(PADS + 4 + 4 * 3, 0x4A)
    assert m.pin_level(3) == 1 and m.bus_read(SIO + 4) >> 3 & 1 == 1
    m.pin_drive(3, 0)
    assert m.bus_read(SIO + 4) >> 3 & 1 == 0
    m.pin_drive(3, None)
    assert m.bus_read(SIO + 4) >> 3 & 1 == 1
    m.bus_write(PADS + 4 + 4 * 3, 0x0A)  # input disabled
    assert m.bus_read(SIO + 4) >> 3 & 1 == 0


def test_a_short_circuit_is_reported() -> None:
    m = board.board()
    board.select(m, 7, SIO_FUNCTION)
    m.bus_write(SIO + 0x24, 1 << 7)
    assert m.unimplemented() == []
    m.pin_drive(7, 1)
    assert m.pin_level(7) == 0 and "driven high" in m.unimplemented()[0]


TOGGLE = """
_start:
    ldr r0, =0x4000c000
    movs r1, #0
    str r1, [r0]
    ldr r0, =0x40014004     // GP0: SIO
    movs r1, #5
    str r1, [r0]
    ldr r0, =0xd0000000
    movs r1, #1
    str r1, [r0, #0x24]
loop:
    str r1, [r0, #0x1c]     // 1
    nop                     // 1
    str r1, [r0, #0x1c]     // 1
    b loop                  // 2
"""


def test_edges_are_logged_to_the_cycle(assemble) -> None:
    firmware = assemble(TOGGLE)
    m = firmware.machine
    m.log_pin(0)
    begin = firmware.run_to("loop")
    m.run(begin + 21)
    edges = [(cycle - begin, level) for cycle, pin, level in m.pin_edges() if pin == 0]
    assert edges[:6] == [(0, 1), (2, 0), (5, 1), (7, 0), (10, 1), (12, 0)]
    assert m.pin_edges() == []


def test_watching_a_pin_stops_at_the_change(assemble) -> None:
    firmware = assemble(TOGGLE)
    m = firmware.machine
    begin = firmware.run_to("loop")
    m.watch_pin(0)
    stops = [m.run(begin + 1000) for _ in range(3)]
    assert [(s.reason, s.cycle - begin, s.detail) for s in stops] == [
        ("pin", 0, (0, 1)), ("pin", 2, (0, 0)), ("pin", 5, (0, 1))]  # fmt: skip


@pytest.mark.parametrize("at", range(1000, 1020))
def test_a_change_is_seen_as_soon_as_its_time_is_over(assemble, at: int) -> None:
    """Whatever instruction is under way then."""
    firmware = assemble(TOGGLE)
    m = firmware.machine
    m.pin_drive(12, 1)
    firmware.run_to("loop")
    m.pin_drive(12, None, at=at)
    m.run(at + 1)
    assert m.pin_level(12) == 0


@pytest.mark.parametrize("edge, level, other", [(4, 0, 1), (8, 1, 0)])
def test_edge_interrupt(edge: int, level: int, other: int) -> None:
    m = board.board()
    m.pin_drive(10, other)
    m.bus_write(IO_BANK0 + 0xF4, 0xFFFFFFFF)
    m.bus_write(IO_BANK0 + 0x104, edge << 8)
    m.bus_write(NVIC_ENABLE, 1 << 13)
    at = m.now + 1001
    m.pin_drive(10, level, at=at)
    handler = board.run_to_handler(m, 10_000)
    assert at + 15 <= handler <= at + 16  # a 2-cycle branch may be under way
    assert board.active_interrupt(m) == 13
    assert m.bus_read(IO_BANK0 + 0x124) == edge << 8
    m.bus_write(IO_BANK0 + 0xF4, edge << 8)
    assert m.bus_read(IO_BANK0 + 0x124) == 0


def test_level_interrupt_lasts_as_long_as_the_level() -> None:
    m = board.board()
    m.bus_write(IO_BANK0 + 0x100, 2)
    m.pin_drive(0, 1)
    assert m.bus_read(IO_BANK0 + 0x120) == 2
    m.bus_write(IO_BANK0 + 0xF0, 2)  # levels cannot be cleared
    assert m.bus_read(IO_BANK0 + 0x120) == 2
    m.pin_drive(0, 0)
    assert m.bus_read(IO_BANK0 + 0x120) == 0


def test_overrides() -> None:
    m = board.board()
    board.select(m, 2, SIO_FUNCTION | 3 << 12 | 1 << 8)  # always enabled, inverted
    assert m.pin_level(2) == 1 and m.pin_is_output(2)
    board.select(m, 4, SIO_FUNCTION | 1 << 16)  # input inverted
    assert m.bus_read(SIO + 4) >> 4 & 1 == 1


def start_pwm(m: Machine, pin: int, top: int, cc: int, div: int = 0x10, csr: int = 1) -> None:
    base = PWM + (pin >> 1 & 7) * 0x14
    m.bus_write(base + 4, div)
    m.bus_write(base + 0x10, top)
    m.bus_write(base + 0x0C, cc << 16 if pin & 1 else cc)
    board.select(m, pin, PWM_FUNCTION)
    m.bus_write(base, csr)


@pytest.mark.parametrize(
    "pin, top, cc, div, csr, period, high",
    [
        (6, 99, 25, 0x10, 1, 100, 25),
        (7, 999, 500, 0x28, 1, 2500, 1250),  # divided by 2.5
        (20, 99, 30, 0x10, 3, 200, 60),  # phase-correct
        (21, 99, 30, 0x10, 1 | 8, 100, 70),  # inverted
    ],
)
def test_pwm_waveform(pin, top, cc, div, csr, period, high) -> None:
    m = board.board()
    m.log_pin(pin)
    start_pwm(m, pin, top, cc, div, csr)
    board.wait(m, 20 * period)
    edges = [(cycle, level) for cycle, _, level in m.pin_edges()][4:34]
    rises = [cycle for cycle, level in edges if level == 1]
    falls = [cycle for cycle, level in edges if level == 0 and cycle > rises[0]]
    assert {b - a for a, b in itertools.pairwise(rises)} == {period}
    assert {b - a for a, b in zip(rises, falls, strict=False)} == {high}
    frequency, duty = m.pin_pwm(pin)
    assert frequency == pytest.approx(board.HZ / period) and duty == pytest.approx(high / period)


def test_pwm_values_change_at_the_wrap() -> None:
    m = board.board()
    m.log_pin(0)
    start_pwm(m, 0, 999, 100)
    board.wait(m, 1500)
    m.bus_write(PWM + 0x0C, 700)
    board.wait(m, 3000)
    edges = m.pin_edges()
    rises = [c for c, _, level in edges if level == 1]
    falls = [c for c, _, level in edges if level == 0]
    # the first rise is the enabling itself, within one cycle of the counter's start
    widths = [f - r for r, f in zip(rises, falls, strict=False)]
    assert widths[:4] == [100, 100, 700, 700]


def test_pwm_extremes_and_unobserved_level() -> None:
    m = board.board()
    start_pwm(m, 0, 99, 100)
    start_pwm(m, 2, 99, 0)
    levels = set()
    for _ in range(50):
        board.wait(m, 7)
        levels.add((m.pin_level(0), m.pin_level(2)))
    assert levels == {(1, 0)}
    m.bus_write(PWM, 0)
    assert m.pin_pwm(0) is None


def test_pwm_wrap_interrupt() -> None:
    m = board.board()
    m.bus_write(PWM + 0xA8, 1 << 3)
    m.bus_write(NVIC_ENABLE, 1 << 4)
    begin = m.now
    start_pwm(m, 6, 4999, 1)
    assert begin + 5015 <= board.run_to_handler(m, 10_000) <= begin + 5017
    assert m.bus_read(PWM + 0xB0) == 1 << 3


def test_adc_conversion_takes_2_us() -> None:
    m = board.board()
    m.adc_set(2, 1.65)
    m.bus_write(ADC, 1)
    m.bus_write(ADC, 1 | 2 << 12 | 4)
    begin = m.now
    while not m.bus_read(ADC) >> 8 & 1:
        m.step()
    assert 2 * US <= m.now - begin <= 2 * US + 2
    assert m.bus_read(ADC + 4) == 2048


@pytest.mark.parametrize("volts, value", [(0.0, 0), (3.3, 4095), (5.0, 4095), (1.0, 1241)])
def test_adc_values(volts: float, value: int) -> None:
    m = board.board()
    m.adc_set(0, volts)
    m.bus_write(ADC, 1 | 4)
    board.wait(m, 3 * US)
    assert m.bus_read(ADC + 4) == value


def test_adc_temperature_and_fifo() -> None:
    m = board.board()
    m.bus_write(ADC + 8, 1 | 2 << 24)
    m.bus_write(ADC + 0x18, 1)
    m.bus_write(ADC, 1 | 2 | 4 << 12 | 8)  # free running, as fast as it can
    m.bus_write(NVIC_ENABLE, 1 << 22)
    begin = m.now
    assert 4 * US <= board.run_to_handler(m, 10_000) - begin - 15 <= 4 * US + 3
    value = m.bus_read(ADC + 0xC)
    assert value == int(0.706 / 3.3 * 4096)
    board.wait(m, 20 * US)
    assert m.bus_read(ADC + 8) >> 11 & 1  # overflow


def out(m, pin: int, level: int | None) -> None:
    """The chip drives a pin, or lets it go."""
    m.bus_write(SIO + (0x18 if level is None or not level else 0x14), 1 << pin)
    m.bus_write(SIO + (0x28 if level is None else 0x24), 1 << pin)


def wired(*pins: int):
    m = board.board()
    for pin in pins:
        board.select(m, pin, SIO_FUNCTION)
        m.bus_write(PADS + 4 + 4 * pin, 0x4A)  # pull-up
    return m


def test_a_resistor_outside_gives_way_to_everything() -> None:
    m = board.board()
    board.select(m, 3, SIO_FUNCTION)
    m.pin_pull_up(3)
    assert m.pin_level(3) == 1
    out(m, 3, 0)
    assert m.pin_level(3) == 0 and m.unimplemented() == []
    out(m, 3, None)
    m.pin_drive(3, 0)
    assert m.pin_level(3) == 0
    m.pin_drive(3, None)
    assert m.pin_level(3) == 1
    m.pin_pull_up(3, False)
    assert m.pin_level(3) == 0


def test_a_closed_switch_makes_one_wire_of_two_pins() -> None:
    m = wired(2, 5)
    out(m, 2, 0)
    assert (m.pin_level(2), m.pin_level(5)) == (0, 1)
    m.log_pin(5)
    m.pin_switch(2, 5, True)
    assert (m.pin_level(2), m.pin_level(5)) == (0, 0) and m.bus_read(SIO + 4) >> 5 & 1 == 0
    out(m, 2, 1)
    out(m, 2, 0)
    assert [level for _, _, level in m.pin_edges()] == [1, 0]  # by the chip, through the switch
    out(m, 2, None)
    assert (m.pin_level(2), m.pin_level(5)) == (1, 1)
    out(m, 2, 0)
    m.pin_switch(2, 5, False)
    assert (m.pin_level(2), m.pin_level(5)) == (0, 1)


def test_three_keys_of_a_rectangle_look_like_four() -> None:
    rows, columns = (2, 3), (6, 7)
    m = wired(*rows, *columns)
    for row, column in ((2, 6), (2, 7), (3, 6)):
        m.pin_switch(row, column, True)
    out(m, 7, 0)
    assert [m.pin_level(row) for row in rows] == [0, 0]  # row 3 by way of 6 and 2
    m.pin_switch(2, 6, False)
    assert [m.pin_level(row) for row in rows] == [0, 1]


def test_a_switch_between_high_and_low_is_told() -> None:
    m = wired(2, 5)
    out(m, 2, 0)
    out(m, 5, 1)
    assert m.unimplemented() == []
    m.pin_switch(2, 5, True)
    assert m.pin_level(5) == 0 and "a switch joins" in m.unimplemented()[0]
