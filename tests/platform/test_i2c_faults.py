"""I2C lines that do not move: lost arbitration, waiting, recovery by hand."""

from __future__ import annotations

import bare_board as board
import bare_i2c as i2c
import pytest
from bare_board import SIO
from bare_i2c import BIT, DATA, HIGH, I2C0, LOW, RAW, READ, SCL, SDA, STOP
from takt.machine.machine import Machine

BYTE = 9 * BIT
LOST = 1 << 12
GPIO = 5


def with_device(give: bytes = b"", **options) -> tuple[Machine, i2c.Device]:
    m = i2c.opened(**options)
    device = i2c.Device(m, give)
    m.i2c_device(0, 0x20, device)
    return m, device


def reopen(m: Machine) -> None:
    """Off and on again: what the controller knew of the bus is forgotten."""
    m.bus_write(I2C0 + i2c.ENABLE, 0)
    m.bus_write(I2C0 + i2c.ENABLE, 1)


def as_gpio(m: Machine) -> None:
    """Both lines to plain pins that pull low or let go, as open drains."""
    m.bus_write(SIO + 0x18, 1 << SDA | 1 << SCL)
    m.bus_write(SIO + 0x28, 1 << SDA | 1 << SCL)
    board.select(m, SDA, GPIO)
    board.select(m, SCL, GPIO)


def pulse(m: Machine) -> int:
    """A clock by hand; the level of SDA while it is high."""
    m.bus_write(SIO + 0x24, 1 << SCL)
    board.wait(m, 600)
    m.bus_write(SIO + 0x28, 1 << SCL)
    board.wait(m, 600)
    return m.bus_read(SIO + 4) >> SDA & 1


def test_data_held_low_looks_like_another_master() -> None:
    m, device = with_device()
    m.i2c_hold(0, True, None)
    assert m.pin_level(SDA) == 0 and m.pin_level(SCL) == 1
    i2c.put(m, 1 | STOP)
    board.wait(m, 10 * BYTE)  # a START was heard: the controller waits for the STOP
    assert m.bus_read(I2C0 + RAW) & (i2c.STARTED | i2c.ABORTED | i2c.STOPPED) == i2c.STARTED
    m.i2c_hold(0, False, None)
    assert m.bus_read(I2C0 + RAW) & i2c.STOPPED
    board.wait(m, 3 * BYTE)
    assert device.seen == ["W", 1, "P"]


def test_data_held_low_when_the_controller_is_turned_on_loses_arbitration() -> None:
    m, device = with_device()
    m.i2c_hold(0, True, None)
    reopen(m)
    begin = i2c.put(m, 1 | STOP)
    at = i2c.run_until(m, i2c.ABORTED) - begin
    # 0x20 is 0100000: the first 1 is the second bit
    assert 0 <= at - HIGH - 2 * BIT <= 3
    assert m.bus_read(I2C0 + i2c.SOURCE) == 1 << 23 | LOST
    assert device.seen == [] and m.pin_level(SCL) == 1
    assert m.bus_read(I2C0 + i2c.STATUS) & 0x21 == 0


def test_data_held_low_in_the_middle_of_a_byte() -> None:
    m, _ = with_device()
    i2c.put(m, 0xFF, 0xFF | STOP)
    board.wait(m, HIGH + BYTE + 2 * BIT)
    m.i2c_hold(0, True, None)
    i2c.run_until(m, i2c.ABORTED)
    assert m.bus_read(I2C0 + i2c.SOURCE) & LOST


def test_data_held_low_while_reading_shows_at_the_stop() -> None:
    m, device = with_device(b"\xff\xff")
    i2c.put(m, READ | STOP)
    board.wait(m, HIGH + BYTE)
    m.i2c_hold(0, True, None)
    i2c.run_until(m, i2c.ABORTED)
    assert m.bus_read(I2C0 + i2c.SOURCE) & LOST
    assert m.bus_read(I2C0 + RAW) & i2c.STOPPED == 0 and device.seen[-1] == (
        0xFF,
        False,
    )  # it took the 0 for a yes


def test_clock_held_low() -> None:
    m, device = with_device()
    i2c.put(m, 1 | STOP)
    board.wait(m, HIGH + 3 * BIT + 10)
    m.i2c_hold(0, None, True)
    board.wait(m, 100 * BYTE)
    assert m.bus_read(I2C0 + i2c.STATUS) & 0x21 == 0x21 and device.seen == []
    begin = m.now
    m.i2c_hold(0, None, False)
    i2c.run_until(m, i2c.STOPPED)
    assert device.seen == ["W", 1, "P"]
    rest = HIGH + 5 * BIT + BYTE + BIT  # the fourth bit's high time, and all after it
    assert 0 <= device.at[-1] - begin - rest <= 1


def test_a_hanging_controller_is_freed_by_its_reset() -> None:
    m, _ = with_device()
    m.i2c_hold(0, None, True)
    i2c.put(m, 1 | STOP)
    board.wait(m, BYTE)
    m.bus_write(I2C0 + i2c.ENABLE, 0)
    board.wait(m, 10 * BYTE)
    assert m.bus_read(I2C0 + i2c.ENABLED) == 1
    m.bus_write(board.RESETS + board.SET, 1 << 3)
    assert m.pin_level(SDA) == 1
    m.bus_write(board.RESETS + board.CLEAR, 1 << 3)
    assert m.bus_read(I2C0 + i2c.ENABLED) == 0 and m.bus_read(I2C0) == 0x65


@pytest.mark.parametrize("clocks", [1, 5, 9])
def test_recovery_by_hand_of_a_held_line(clocks: int) -> None:
    m, device = with_device()
    m.i2c_hold(0, True, None, clocks=clocks)
    as_gpio(m)
    levels = [pulse(m) for _ in range(9)]
    assert levels == [0] * (clocks - 1) + [1] * (10 - clocks)
    board.select(m, SDA, i2c.FUNCTION)
    board.select(m, SCL, i2c.FUNCTION)
    reopen(m)
    i2c.put(m, 1 | STOP)
    i2c.run_until(m, i2c.STOPPED)
    assert device.seen == ["W", 1, "P"]


def test_clocks_of_the_controller_count_as_well() -> None:
    m, _ = with_device()
    m.i2c_hold(0, True, None, clocks=3)
    reopen(m)
    i2c.put(m, 1 | STOP)
    i2c.run_until(m, i2c.ABORTED)  # after two
    assert m.pin_level(SDA) == 0
    m.bus_read(I2C0 + i2c.CLEAR_ABORT)
    i2c.put(m, 1 | STOP)
    board.wait(m, 4 * BYTE)
    assert m.pin_level(SDA) == 1


def test_a_device_left_in_the_middle_of_a_read_is_clocked_out() -> None:
    m, device = with_device(b"\x00\x77")
    i2c.put(m, READ, READ | STOP)
    board.wait(m, HIGH + BYTE + 3 * BIT + 50)
    m.bus_write(board.RESETS + board.SET, 1 << 3)  # as if the program had started again
    assert m.pin_level(SCL) == 1 and m.pin_level(SDA) == 0
    as_gpio(m)
    levels = [pulse(m) for _ in range(9)]
    assert levels == [0, 0, 0, 0, 1, 1, 1, 1, 1]  # the rest of the byte, then nobody wants more
    m.bus_write(SIO + 0x24, 1 << SCL)
    m.bus_write(SIO + 0x24, 1 << SDA)
    m.bus_write(SIO + 0x28, 1 << SCL)
    m.bus_write(SIO + 0x28, 1 << SDA)
    assert device.seen == ["R", (0, False), "P"]


def test_lines_without_pull_ups_are_stuck() -> None:
    m = i2c.opened()
    for pin in (SDA, SCL):
        m.bus_write(board.PADS + 4 + 4 * pin, 0x42)
    assert m.pin_level(SDA) == 0 == m.pin_level(SCL)
    m.i2c_device(0, 0x20, i2c.Device(m))  # comes with pull-ups
    assert m.pin_level(SDA) == 1 == m.pin_level(SCL)


def test_no_pins() -> None:
    m = i2c.opened()
    board.select(m, SCL, GPIO)
    i2c.put(m, 1 | STOP)
    board.wait(m, 10 * BYTE)
    assert m.bus_read(I2C0 + RAW) & (i2c.ABORTED | i2c.STOPPED) == 0
    assert any("no pin has its SDA or SCL" in line for line in m.unimplemented())


def test_a_program_that_bit_bangs_reaches_the_device() -> None:
    m, device = with_device()
    as_gpio(m)
    m.bus_write(SIO + 0x24, 1 << SDA)
    acknowledged = []
    for byte in (0x20 << 1, 0xC3):
        for bit in [byte >> k & 1 for k in range(7, -1, -1)] + [1]:
            m.bus_write(SIO + 0x24, 1 << SCL)
            m.bus_write(SIO + (0x28 if bit else 0x24), 1 << SDA)
            board.wait(m, LOW)
            m.bus_write(SIO + 0x28, 1 << SCL)
            level = m.bus_read(SIO + 4) >> SDA & 1
        acknowledged.append(level)
    m.bus_write(SIO + 0x24, 1 << SCL)
    m.bus_write(SIO + 0x24, 1 << SDA)
    m.bus_write(SIO + 0x28, 1 << SCL)
    m.bus_write(SIO + 0x28, 1 << SDA)
    assert device.seen == ["W", 0xC3, "P"] and acknowledged == [0, 0]
    assert m.bus_read(I2C0 + DATA) == 0
