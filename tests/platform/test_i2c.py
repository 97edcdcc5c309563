"""I2C: registers, bit timing, FIFOs and interrupts, NACK, abort, stretched clocks."""

from __future__ import annotations

import bare_board as board
import bare_i2c as i2c
import pytest
from bare_i2c import BIT, DATA, HIGH, I2C0, I2C1, LOW, RAW, READ, RESTART, SCL, SDA, STOP
from takt.machine.machine import NEVER, Machine, PlatformError

BYTE = 9 * BIT


def with_device(give: bytes = b"", **options) -> tuple[Machine, i2c.Device]:
    m = i2c.opened(**options)
    device = i2c.Device(m, give)
    m.i2c_device(0, 0x20, device)
    return m, device


def test_registers_after_reset() -> None:
    m = board.board()
    expected = {
        0x00: 0x65, 0x04: 0x55, 0x08: 0x55, 0x14: 0x28, 0x18: 0x2F, 0x1C: 6, 0x20: 0xD, 0x2C: 0,
        0x30: 0x8FF, 0x34: 0, 0x38: 0, 0x3C: 0, 0x6C: 0, 0x70: 6, 0x74: 0, 0x78: 0, 0x7C: 1,
        0x80: 0, 0x88: 0, 0x94: 0x64, 0x98: 1, 0x9C: 0, 0xA0: 7, 0xF4: 0, 0xF8: 0x3230312A,
        0xFC: 0x44570140,
    }  # fmt: skip
    for base in (I2C0, I2C1):
        assert {offset: m.bus_read(base + offset) for offset in expected} == expected
    assert m.unimplemented() == []


def test_settings_need_a_disabled_controller_and_have_least_values() -> None:
    m = i2c.opened()
    m.bus_write(I2C0 + 0x1C, 77)
    assert m.bus_read(I2C0 + 0x1C) == HIGH - 14
    assert any("while enabled" in line for line in m.unimplemented())
    m.bus_write(I2C0 + i2c.ENABLE, 0)
    for offset in (0x14, 0x18, 0x1C, 0x20, 0xA0):
        m.bus_write(I2C0 + offset, 0)
    assert [m.bus_read(I2C0 + o) for o in (0x14, 0x18, 0x1C, 0x20, 0xA0)] == [6, 8, 6, 8, 1]
    m.bus_write(I2C0 + DATA, 1)
    assert any("while disabled" in line for line in m.unimplemented())


@pytest.mark.parametrize("what, value", [(0x00, 0x25), (0x00, 0x75), (0x04, 0xC00)])
def test_what_is_not_modelled_is_reported(what: int, value: int) -> None:
    m = board.board()
    m.bus_write(I2C0 + what, value)
    assert any(line.startswith("I2C") for line in m.unimplemented())


def test_every_bit_of_a_write_is_on_the_wires_at_its_cycle() -> None:
    m, device = with_device()
    for pin in (SDA, SCL):
        m.log_pin(pin, inputs=True)
    begin = i2c.put(m, 0x41 | STOP)
    i2c.run_until(m, i2c.STOPPED)
    edges = [(cycle - begin, pin, level) for cycle, pin, level in m.pin_edges()]
    clock = [(at, level) for at, pin, level in edges if pin == SCL]
    wanted = [(HIGH, 0)]
    for pulse in range(1, 19):
        wanted += [(HIGH + pulse * BIT - HIGH, 1), (HIGH + pulse * BIT, 0)]
    assert clock == [*wanted, (HIGH + 2 * BYTE + LOW, 1)]
    levels = [level for at, pin, level in edges if pin == SDA]
    assert levels[0] == 0 and edges[0][0] == 0
    sampled = []
    for rise in [at for at, level in clock if level == 1][:18]:
        sampled.append([level for at, pin, level in edges if pin == SDA and at <= rise][-1])
    assert sampled == [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0]
    assert edges[-1] == (HIGH + 2 * BYTE + BIT, SDA, 1)
    assert device.seen == ["W", 0x41, "P"]
    first = HIGH + 8 * BIT  # the eighth bit ends, and the device answers
    assert [at - begin for at in device.at] == [first, first + BYTE, HIGH + 2 * BYTE + BIT]


@pytest.mark.parametrize("speed, setup", [(1, LOW), (2, HIGH)])
def test_write_then_read_with_a_repeated_start(speed: int, setup: int) -> None:
    m, device = with_device(b"\x5a\xa5", con=0x161 | speed << 1)
    begin = i2c.put(m, 1, 2, READ | RESTART, READ | STOP)
    end = i2c.run_until(m, i2c.STOPPED)
    wanted = HIGH + 3 * BYTE + LOW + setup + HIGH + 3 * BYTE + BIT
    assert wanted <= end - begin <= wanted + 3  # a 2-cycle branch may be under way
    assert device.seen == ["W", 1, 2, "R", (0x5A, False), (0xA5, True), "P"]
    assert [m.bus_read(I2C0 + DATA) for _ in range(2)] == [0x5A, 0xA5]
    assert m.bus_read(I2C0 + RAW) & i2c.STARTED


def test_a_change_of_direction_restarts_and_without_restart_stops() -> None:
    for con, between in ((0x165, []), (0x145, ["P"])):
        m, device = with_device(b"\x11", con=con)
        i2c.put(m, 7, READ | STOP)
        i2c.run_until(m, i2c.RX_FULL)
        assert device.seen == ["W", 7, *between, "R", (0x11, True)]


def test_bus_is_free_for_a_low_time_between_stop_and_start() -> None:
    m, device = with_device()
    begin = i2c.put(m, 1 | STOP, 2 | STOP)
    i2c.run_until(m, i2c.STOPPED)
    board.wait(m, 3 * BYTE)
    assert device.seen == ["W", 1, "P", "W", 2, "P"]
    one = HIGH + 2 * BYTE + BIT
    assert device.at[5] - begin == one + LOW + one


def test_an_empty_fifo_holds_the_clock() -> None:
    m, device = with_device(b"\x01\x02")
    i2c.put(m, 9)
    board.wait(m, 10 * BYTE)
    assert m.pin_level(SCL) == 0 and m.bus_read(I2C0 + i2c.STATUS) & 0x21 == 0x21
    begin = i2c.put(m, 8 | STOP)
    i2c.run_until(m, i2c.STOPPED)
    assert device.at[-1] - begin == BYTE + BIT
    i2c.put(m, READ)
    board.wait(m, 10 * BYTE)  # the byte is there although nobody knows whether it is the last
    assert m.bus_read(I2C0 + i2c.RXFLR) == 1 and m.pin_level(SCL) == 0
    i2c.put(m, READ | STOP)
    board.wait(m, 2 * BYTE)
    assert device.seen[4:] == ["R", (1, False), (2, True), "P"]


def test_transmit_empty_with_and_without_the_byte_under_way() -> None:
    for con, bytes_sent in ((0x65, 1), (0x165, 2)):
        m, _ = with_device(con=con)
        begin = i2c.put(m, 1 | STOP)
        assert m.bus_read(I2C0 + RAW) & i2c.TX_EMPTY == 0
        at = i2c.run_until(m, i2c.TX_EMPTY) - begin
        assert 0 <= at - HIGH - bytes_sent * BYTE <= 3


def test_interrupts_fifo_levels_and_their_clearing() -> None:
    m, _ = with_device(bytes(range(40)))
    m.bus_write(I2C0 + 0x38, 3)
    m.bus_write(I2C0 + i2c.MASK, i2c.RX_FULL)
    m.bus_write(board.NVIC_ENABLE, 1 << 23)
    begin = i2c.put(m, *[READ] * 15, READ | STOP)
    handler = board.run_to_handler(m, 100 * BYTE)
    fourth = begin + HIGH + 5 * BYTE - BIT  # a byte is there before its acknowledgement
    assert fourth + 15 <= handler <= fourth + 16 and board.active_interrupt(m) == 23
    assert m.bus_read(I2C0 + 0x2C) == i2c.RX_FULL and m.bus_read(I2C0 + i2c.RXFLR) == 4
    m.bus_read(I2C0 + DATA)
    assert m.bus_read(I2C0 + 0x2C) == 0
    i2c.run_until(m, i2c.STOPPED)
    assert m.bus_read(I2C0 + 0x60) == 1 and not m.bus_read(I2C0 + RAW) & i2c.STOPPED
    assert m.bus_read(I2C0 + 0x40) == 1 and m.bus_read(I2C0 + RAW) == i2c.TX_EMPTY | i2c.RX_FULL


def test_overflow_underflow() -> None:
    m, _ = with_device(bytes(40))
    assert m.bus_read(I2C0 + DATA) == 0 and m.bus_read(I2C0 + RAW) & 1
    i2c.put(m, *[READ] * 17)  # one is taken only after the address
    assert m.bus_read(I2C0 + RAW) & 8 and m.bus_read(I2C0 + i2c.TXFLR) == 16
    board.wait(m, 17 * BYTE)
    i2c.put(m, READ | STOP)
    i2c.run_until(m, i2c.STOPPED)
    assert m.bus_read(I2C0 + RAW) & 2 and m.bus_read(I2C0 + i2c.RXFLR) == 16
    assert m.bus_read(I2C0 + 0x44) == m.bus_read(I2C0 + 0x48) == m.bus_read(I2C0 + 0x4C) == 1
    assert m.bus_read(I2C0 + RAW) & 0xF == i2c.RX_FULL


def test_a_full_receive_fifo_may_hold_the_bus() -> None:
    m, device = with_device(bytes(range(17)), con=0x365)
    i2c.put(m, *[READ] * 16)
    board.wait(m, 17 * BYTE)
    i2c.put(m, READ | STOP)
    board.wait(m, 10 * BYTE)
    assert device.seen[-1] == (16, True) and m.pin_level(SCL) == 0
    values = [m.bus_read(I2C0 + DATA) for _ in range(16)]
    board.wait(m, BYTE)
    assert [*values, m.bus_read(I2C0 + DATA)] == list(range(17)) and device.seen[-1] == "P"


def test_no_answer() -> None:
    m, device = with_device(address=0x21)
    m.bus_write(I2C0 + i2c.MASK, i2c.ABORTED)
    begin = i2c.put(m, 1, 2, 3 | STOP)
    at = i2c.run_until(m, i2c.ABORTED) - begin
    assert 0 <= at - HIGH - BYTE <= 2 and device.seen == []
    assert m.bus_read(I2C0 + i2c.SOURCE) == 3 << 23 | 1 and m.bus_read(I2C0 + i2c.TXFLR) == 0
    at = i2c.run_until(m, i2c.STOPPED) - begin
    assert 0 <= at - HIGH - BYTE - BIT <= 3
    i2c.put(m, 4 | STOP)  # flushed until the abort is cleared
    assert m.bus_read(I2C0 + i2c.TXFLR) == 0
    assert m.bus_read(I2C0 + i2c.CLEAR_ABORT) == 1 and m.bus_read(I2C0 + i2c.SOURCE) == 0
    i2c.put(m, 4 | STOP)
    assert m.bus_read(I2C0 + i2c.TXFLR) == 1


def test_a_byte_refused() -> None:
    m, device = with_device()
    device.write = lambda byte: False
    m.i2c_device(0, 0x22, device)  # callbacks are bound when it is attached
    m.bus_write(I2C0 + i2c.ENABLE, 0)
    m.bus_write(I2C0 + i2c.TAR, 0x22)
    m.bus_write(I2C0 + i2c.ENABLE, 1)
    begin = i2c.put(m, 1, 2 | STOP)
    at = i2c.run_until(m, i2c.ABORTED) - begin
    assert 0 <= at - HIGH - 2 * BYTE <= 3
    assert m.bus_read(I2C0 + i2c.SOURCE) == 1 << 23 | 8
    i2c.run_until(m, i2c.STOPPED)
    assert device.seen == ["W", "P"]


def test_master_mode_off() -> None:
    m = i2c.opened(con=0x164)
    i2c.put(m, 1 | STOP)
    assert m.bus_read(I2C0 + i2c.SOURCE) & 0x1FFFFF == 1 << 11


def test_abort_by_the_program_ends_after_the_byte() -> None:
    m, device = with_device()
    begin = i2c.put(m, 1, 2, 3, 4)
    board.wait(m, HIGH + BYTE + 3 * BIT)
    m.bus_write(I2C0 + i2c.ENABLE, 3)
    assert m.bus_read(I2C0 + i2c.ENABLE) == 3
    i2c.run_until(m, i2c.STOPPED)
    assert device.seen == ["W", 1, "P"] and device.at[-1] - begin == HIGH + 2 * BYTE + BIT
    assert m.bus_read(I2C0 + i2c.ENABLE) == 1
    assert m.bus_read(I2C0 + i2c.SOURCE) == 3 << 23 | 1 << 16
    m.bus_write(I2C0 + i2c.ENABLE, 3)  # nothing to abort
    assert m.bus_read(I2C0 + i2c.ENABLE) == 1


def test_disabling_ends_after_the_byte_and_shows_when() -> None:
    m, device = with_device()
    i2c.put(m, 1, 2, 3)
    board.wait(m, HIGH + BYTE + 3 * BIT)
    m.bus_write(I2C0 + i2c.ENABLE, 0)
    assert m.bus_read(I2C0 + i2c.ENABLED) == 1 and m.bus_read(I2C0 + i2c.TXFLR) == 0
    board.wait(m, 2 * BYTE)
    assert m.bus_read(I2C0 + i2c.ENABLED) == 0 and device.seen == ["W", 1, "P"]
    assert not m.bus_read(I2C0 + RAW) & i2c.ABORTED


class Slow(i2c.Device):
    cycles = 0

    def stretch(self) -> int:
        return self.cycles


@pytest.mark.parametrize("cycles, added", [(0, 0), (LOW, 0), (LOW + 1, 1), (5000, 5000 - LOW)])
def test_a_device_stretches_the_clock(cycles: int, added: int) -> None:
    m = i2c.opened()
    device = Slow(m)
    device.cycles = cycles
    m.i2c_device(0, 0x20, device)
    begin = i2c.put(m, 1 | STOP)
    i2c.run_until(m, i2c.STOPPED)
    assert 0 <= device.at[1] - begin - (HIGH + BYTE + added + 8 * BIT) <= 1
    # it also wants its time before a byte that does not come: STOP waits as well
    assert 0 <= device.at[2] - begin - (HIGH + 2 * BYTE + BIT + 2 * added) <= 1


def test_a_device_that_never_lets_go() -> None:
    m = i2c.opened()
    device = Slow(m)
    device.cycles = NEVER
    m.i2c_device(0, 0x20, device)
    i2c.put(m, 1 | STOP)
    board.wait(m, 100 * BYTE)
    assert device.seen == ["W"] and m.pin_level(SCL) == 0
    m.i2c_hold(0, None, False)  # it comes to its senses
    device.cycles = 0
    board.wait(m, 2 * BYTE)
    assert device.seen == ["W", 1, "P"]


def test_two_devices_on_a_bus_and_two_buses() -> None:
    m = i2c.opened()
    devices = [i2c.Device(m, bytes([k])) for k in range(3)]
    m.i2c_device(0, 0x20, devices[0])
    m.i2c_device(0, 0x21, devices[1])
    m.i2c_device(1, 0x20, devices[2])
    i2c.put(m, READ | STOP)
    i2c.run_until(m, i2c.STOPPED)
    assert [device.seen for device in devices] == [["R", (0, True), "P"], [], []]
    with pytest.raises(PlatformError):
        m.i2c_device(0, 0x20, devices[1])
    with pytest.raises(PlatformError):
        m.i2c_device(2, 0x20, devices[1])


def test_what_a_device_raises_comes_out_of_the_run() -> None:
    m, _device = with_device()
    m.i2c_device(0, 0x23, BrokenDevice())
    m.bus_write(I2C0 + i2c.ENABLE, 0)
    m.bus_write(I2C0 + i2c.TAR, 0x23)
    m.bus_write(I2C0 + i2c.ENABLE, 1)
    i2c.put(m, 1 | STOP)
    with pytest.raises(ZeroDivisionError):
        m.run(m.now + BYTE)
    board.wait(m, BYTE)
    assert m.bus_read(I2C0 + i2c.SOURCE) & 1


class BrokenDevice:
    def start(self, read: bool) -> bool:
        raise ZeroDivisionError

    def write(self, byte: int) -> bool:
        return True

    def read(self, last: bool) -> int:
        return 0

    def stop(self) -> None:
        pass
