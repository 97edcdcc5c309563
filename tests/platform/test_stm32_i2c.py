"""STM32F051: I2C1 and 2 as masters: transfers, their times, and faults of the wires."""

from __future__ import annotations

import bare_stm32 as board
import bare_stm32_i2c as i2c
import pytest
from bare_stm32_i2c import (
    ADDRESS,
    ARLO,
    AUTOEND,
    BERR,
    BIT,
    BUSY,
    CR1,
    CR2,
    HIGH,
    I2C1,
    ICR,
    ISR,
    LOW,
    NACKF,
    READ,
    RELOAD,
    RXDR,
    RXNE,
    SETUP,
    START,
    STOP,
    STOPF,
    TC,
    TCR,
    TIMEOUT,
    TIMEOUTR,
    TXDR,
    TXE,
    TXIS,
    Device,
)  # fmt: skip


@pytest.mark.parametrize("bus", [0, 1])
def test_write(bus: int) -> None:
    m = i2c.opened(bus)
    device = Device(m)
    m.i2c_device(bus, ADDRESS, device)
    i2c.write(m, b"\x12\x34", bus=bus)
    assert device.seen == ["W", 0x12, 0x34, "P"] and m.unimplemented() == []
    base = i2c.PINS[bus][0]
    assert m.bus_read(base + ISR) == TXE | STOPF
    m.bus_write(base + ICR, STOPF)
    assert m.bus_read(base + ISR) == TXE and m.bus_read(base + CR2) & (START | STOP) == 0


@pytest.mark.parametrize("bus", [0, 1])
def test_read(bus: int) -> None:
    """The last byte is refused."""
    m = i2c.opened(bus)
    device = Device(m, b"\xa1\xb2\xc3")
    m.i2c_device(bus, ADDRESS, device)
    assert i2c.read(m, 3, bus=bus) == b"\xa1\xb2\xc3"
    assert device.seen == ["R", (0xA1, False), (0xB2, False), (0xC3, True), "P"]


def test_times() -> None:
    """START, 9 bits, and data at once when TXDR is full already."""
    m = i2c.opened()
    device = Device(m)
    m.i2c_device(0, ADDRESS, device)
    m.bus_write(I2C1 + TXDR, 0x55)
    begin = i2c.transfer(m, 1, AUTOEND)
    end = i2c.run_until(m, STOPF)
    heard = begin + HIGH + 8 * BIT  # SCL falls after the eighth bit
    assert device.at[:2] == [heard, heard + 9 * BIT]
    assert 0 <= end - (begin + HIGH + 18 * BIT + LOW + HIGH) <= 4
    assert device.at[2] == begin + HIGH + 18 * BIT + LOW + HIGH


def test_scl_is_low_until_there_is_data() -> None:
    m = i2c.opened()
    device = Device(m)
    m.i2c_device(0, ADDRESS, device)
    i2c.transfer(m, 1, AUTOEND)
    i2c.run_until(m, TXIS)
    board.wait(m, 5000)
    assert m.pin_level(22) == 0 and m.bus_read(I2C1 + ISR) == TXE | TXIS | BUSY
    begin = m.now
    m.bus_write(I2C1 + TXDR, 0x77)
    i2c.run_until(m, STOPF)
    assert device.at[1] == begin + SETUP + HIGH + 7 * BIT


def test_a_byte_waits_for_the_one_before_to_be_read() -> None:
    m = i2c.opened()
    device = Device(m, b"\x01\x02\x03")
    m.i2c_device(0, ADDRESS, device)
    i2c.transfer(m, 2, READ | AUTOEND)
    i2c.run_until(m, RXNE)
    board.wait(m, 50_000)
    assert m.bus_read(I2C1 + ISR) & (RXNE | STOPF) == RXNE and m.pin_level(22) == 0
    assert m.bus_read(I2C1 + RXDR) == 1
    i2c.run_until(m, STOPF)
    assert m.bus_read(I2C1 + RXDR) == 2


def test_repeated_start() -> None:
    m = i2c.opened()
    device = Device(m, b"\x99")
    m.i2c_device(0, ADDRESS, device)
    i2c.write(m, b"\x05", flags=0)
    assert m.bus_read(I2C1 + ISR) & (TC | BUSY) == TC | BUSY
    board.wait(m, 3000)
    assert i2c.read(m, 1) == b"\x99"
    assert device.seen == ["W", 5, "R", (0x99, True), "P"]


def test_stop_by_software() -> None:
    m = i2c.opened()
    device = Device(m)
    m.i2c_device(0, ADDRESS, device)
    i2c.write(m, b"\x05", flags=0)
    m.bus_write(I2C1 + CR2, m.bus_read(I2C1 + CR2) | STOP)
    i2c.run_until(m, STOPF)
    assert device.seen == ["W", 5, "P"] and m.bus_read(I2C1 + ISR) & (TC | BUSY) == 0


def test_reload_joins_transfers() -> None:
    m = i2c.opened()
    device = Device(m, bytes(range(4)))
    m.i2c_device(0, ADDRESS, device)
    assert i2c.read(m, 2, flags=RELOAD) == b"\0\1"
    assert m.bus_read(I2C1 + ISR) & TCR
    m.bus_write(I2C1 + CR2, 2 << 16 | READ | AUTOEND | ADDRESS << 1)
    assert not m.bus_read(I2C1 + ISR) & TCR
    found = []
    for _ in range(2):
        i2c.run_until(m, RXNE)
        found.append(m.bus_read(I2C1 + RXDR))
    i2c.run_until(m, STOPF)
    assert found == [2, 3] and device.seen[-2:] == [(3, True), "P"]
    assert [last for _, last in device.seen[1:4]] == [False, False, False]


def test_nobody_there() -> None:
    m = i2c.opened()
    m.i2c_device(0, ADDRESS + 1, Device(m))
    i2c.transfer(m, 1, AUTOEND)
    i2c.run_until(m, STOPF)
    assert m.bus_read(I2C1 + ISR) == TXE | NACKF | STOPF


def test_refused_data() -> None:
    m = i2c.opened()
    device = Device(m)
    device.write = lambda byte: False
    m.i2c_device(0, ADDRESS, device)
    i2c.write(m, b"\1\2\3")
    assert m.bus_read(I2C1 + ISR) == TXE | NACKF | STOPF and device.seen == ["W", "P"]


INTERRUPTS = [(2, TXIS), (4, RXNE), (0x10, NACKF), (0x20, STOPF), (0x40, TC), (0x80, ARLO)]


@pytest.mark.parametrize("bus, irq", [(0, 23), (1, 24)])
@pytest.mark.parametrize("enable, flag", INTERRUPTS)
def test_interrupts(bus: int, irq: int, enable: int, flag: int) -> None:
    m = i2c.opened(bus, enable)
    base, _, sda = i2c.PINS[bus]
    m.i2c_device(bus, ADDRESS, Device(m, b"\1\2\3"))
    m.bus_write(board.NVIC_ENABLE, 1 << irq)
    board.wait(m, 10)
    assert board.active_interrupt(m) is None
    flags = {RXNE: READ | AUTOEND, TC: 0}.get(flag, AUTOEND)
    address = ADDRESS + (flag in (NACKF, STOPF))
    i2c.transfer(m, 0 if flag == TC else 1, flags, address, bus)
    if flag == ARLO:
        board.wait(m, HIGH + BIT + LOW // 2)  # before the second bit, a 1 (0x40)
        m.pin_drive(sda, 0)
        m.bus_write(base + CR2, m.bus_read(base + CR2))
    board.run_to_handler(m, 100_000)
    assert board.active_interrupt(m) == irq and m.bus_read(base + ISR) & flag


def test_lost_arbitration_releases_the_bus() -> None:
    m = i2c.opened()
    m.i2c_device(0, 0x7F, Device(m))
    i2c.transfer(m, 1, AUTOEND, address=0x7F)
    board.wait(m, HIGH + 10)
    m.i2c_hold(0, True, None)
    i2c.run_until(m, ARLO)
    assert m.pin_level(22) == 1 and m.bus_read(I2C1 + CR2) & START == 0


def test_start_waits_until_the_bus_is_free() -> None:
    m = i2c.opened()
    device = Device(m)
    m.i2c_device(0, ADDRESS, device)
    m.i2c_hold(0, True, None)
    m.bus_write(I2C1 + TXDR, 1)
    i2c.transfer(m, 1, AUTOEND)
    board.wait(m, 20_000)
    assert device.seen == [] and m.bus_read(I2C1 + ISR) & BUSY
    m.i2c_hold(0, False, None)
    i2c.run_until(m, STOPF)
    assert device.seen == ["W", 1, "P"]


def test_misplaced_condition_is_a_bus_error() -> None:
    m = i2c.opened()
    m.i2c_device(0, ADDRESS, Device(m))
    i2c.transfer(m, 1, AUTOEND, address=0x7F)
    board.wait(m, HIGH + 3 * BIT + LOW + HIGH // 2)
    assert m.pin_level(22) == 1 and m.pin_level(23) == 1
    m.i2c_hold(0, True, None)
    assert m.bus_read(I2C1 + ISR) & BERR


def test_stretched_clock() -> None:
    m = i2c.opened()
    device = Device(m)
    device.stretch = lambda: 10_000
    m.i2c_device(0, ADDRESS, device)
    m.bus_write(I2C1 + TXDR, 1)
    begin = i2c.transfer(m, 1, AUTOEND)
    end = i2c.run_until(m, STOPF)
    # before the byte, and before what might have followed it
    assert end - begin == pytest.approx(2 * (10_000 + HIGH) + 17 * BIT + HIGH, abs=2 * LOW)


def test_timeout_of_a_low_clock() -> None:
    m = i2c.opened(cr1=0x80)
    m.i2c_device(0, ADDRESS, Device(m))
    m.bus_write(I2C1 + TIMEOUTR, 0x8000 | 1)  # 2 * 2048 clocks
    i2c.transfer(m, 1, AUTOEND)
    board.wait(m, HIGH + BIT)
    m.i2c_hold(0, None, True)
    begin = m.now
    end = i2c.run_until(m, TIMEOUT)
    assert end - begin == pytest.approx(4096 * 6, abs=BIT)
    m.i2c_hold(0, None, False)
    i2c.run_until(m, STOPF)
    assert m.bus_read(I2C1 + ISR) & BUSY == 0


def test_disabling_lets_the_bus_go() -> None:
    m = i2c.opened()
    m.i2c_device(0, ADDRESS, Device(m))
    i2c.transfer(m, 1, AUTOEND)
    i2c.run_until(m, TXIS)
    m.bus_write(I2C1 + CR1, 0)
    assert m.pin_level(22) == m.pin_level(23) == 1
    assert m.bus_read(I2C1 + ISR) == TXE and m.bus_read(I2C1 + CR2) & START == 0


def test_bus_recovery_with_plain_pins() -> None:
    """A device holds SDA until it has seen nine clocks."""
    m = i2c.opened()
    m.i2c_device(0, ADDRESS, Device(m))
    m.i2c_hold(0, True, None, clocks=9)
    m.bus_write(board.GPIOB + 0x18, 1 << 6)
    board.mode(m, 22, board.OUTPUT, open_drain=True)
    for k in range(9):
        assert m.pin_level(23) == 0, k
        m.bus_write(board.GPIOB + 0x28, 1 << 6)
        board.wait(m, 100)
        m.bus_write(board.GPIOB + 0x18, 1 << 6)
        board.wait(m, 100)
    assert m.pin_level(23) == 1


def test_other_pins_of_a_bus() -> None:
    m = i2c.opened()
    device = Device(m)
    m.i2c_device(0, ADDRESS, device)
    for pin in (22, 23):
        board.mode(m, pin, board.INPUT)
    for pin in (24, 25):
        board.function(m, pin, 1, pull=1, open_drain=True)
    i2c.write(m, b"\1")
    assert device.seen == ["W", 1, "P"]


def test_what_is_not_modelled_is_reported() -> None:
    m = i2c.opened()
    m.bus_write(I2C1 + 0x08, 0x8020)
    m.bus_write(I2C1 + CR1, 0x4001)
    m.bus_write(I2C1 + CR2, 0x0800)
    assert [line.split(" ")[0] for line in m.unimplemented()] == [
        "I2C1+0x8",
        "I2C1+0x0",
        "I2C1+0x4",
    ]
