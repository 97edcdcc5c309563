"""TIMER: counting, alarms to the cycle, interrupts."""

from __future__ import annotations

import bare_board as board
import pytest
from bare_board import NVIC_ENABLE, TIMER, US, WATCHDOG

ENTRY = 15
SYSTICK = 0xE000E010


def test_counts_microseconds() -> None:
    m = board.board()
    first, begin = m.bus_read(TIMER + 0x28), m.now
    board.wait(m, 1000 * US)
    passed = m.now - begin
    assert m.bus_read(TIMER + 0x28) - first in (passed // US, passed // US + 1)


def test_does_not_count_without_tick() -> None:
    m = board.board()
    m.bus_write(WATCHDOG + 0x2C, 0)
    first = m.bus_read(TIMER + 0x28)
    board.wait(m, 100_000)
    assert m.bus_read(TIMER + 0x28) == first


def test_alarm_to_the_cycle() -> None:
    """The handler starts an entry after the counter shows the alarm's value."""
    m = board.board()
    m.bus_write(NVIC_ENABLE, 1 << 2)
    m.bus_write(TIMER + 0x38, 1 << 2)
    at = m.bus_read(TIMER + 0x28) + 1234
    m.bus_write(TIMER + 0x18, at)
    assert m.bus_read(TIMER + 0x20) == 1 << 2
    handler = board.run_to_handler(m, 2000 * US)
    assert board.active_interrupt(m) == 2
    assert m.bus_read(TIMER + 0x28) == at
    assert m.bus_read(TIMER + 0x20) == 0 and m.bus_read(TIMER + 0x34) == 1 << 2
    m.bus_write(TIMER + 0x34, 1 << 2)
    assert m.bus_read(TIMER + 0x40) == 0
    # the tick began at most one loop instruction (2 cycles) before the entry did
    probe = board.board()
    while probe.bus_read(TIMER + 0x28) < at:
        probe.step()
    assert 0 <= handler - ENTRY - probe.now + 2 <= 3


def test_alarm_in_the_past_waits_for_the_wrap() -> None:
    m = board.board()
    m.bus_write(TIMER + 4, 0xFFFFFF00)  # TIMELW, TIMEHW
    m.bus_write(TIMER + 0, 0)
    m.bus_write(TIMER + 0x10, 0x10)
    m.bus_write(TIMER + 0x38, 1)
    m.bus_write(NVIC_ENABLE, 1)
    board.run_to_handler(m, 400 * US)
    assert m.bus_read(TIMER + 0x0C) == 0x10 and m.bus_read(TIMER + 8) == 1  # latched high word
    m.bus_write(TIMER + 0x14, m.bus_read(TIMER + 0x28))
    board.wait(m, 10_000 * US)
    assert m.bus_read(TIMER + 0x34) & 2 == 0


def test_forced_and_disarmed() -> None:
    m = board.board()
    m.bus_write(TIMER + 0x38, 3)
    m.bus_write(TIMER + 0x14, m.bus_read(TIMER + 0x28) + 50)
    m.bus_write(TIMER + 0x20, 2)  # disarm
    board.wait(m, 100 * US)
    assert m.bus_read(TIMER + 0x34) == 0
    m.bus_write(TIMER + 0x3C, 1)
    assert m.bus_read(TIMER + 0x40) == 1
    m.bus_write(NVIC_ENABLE, 1)
    board.run_to_handler(m, 100)
    assert board.active_interrupt(m) == 0


def test_counts_on_through_a_clock_change() -> None:
    m = board.board()
    board.wait(m, 500 * US)
    before = m.bus_read(TIMER + 0x28)
    m.bus_write(board.CLOCKS + 0x3C, 0)  # clk_sys = clk_ref = 12 MHz
    assert m.hz == 12_000_000
    board.wait(m, 12 * 300)
    assert 299 <= m.bus_read(TIMER + 0x28) - before <= 301


def test_clock_with_fraction() -> None:
    m = board.board()
    begin, cycle = m.clock_us(), m.now
    assert int(begin) == m.bus_read(TIMER + 0x28)
    board.wait(m, 12_345)
    assert m.clock_us() - begin == pytest.approx((m.now - cycle) / US)


def test_systick_from_the_reference_tick() -> None:
    m = board.board()
    m.bus_write(SYSTICK + 4, 99)
    m.bus_write(SYSTICK + 8, 0)
    m.bus_write(SYSTICK, 3)
    board.wait(m, 50 * US)
    assert m.bus_read(SYSTICK + 8) in (49, 50)
    begin = m.now
    assert board.run_to_handler(m, 1000 * US) - begin < 51 * US
    assert m.register(16) & 0x3F == 15
    assert m.bus_read(SYSTICK) == 3 | 1 << 16 and m.bus_read(SYSTICK) == 3


def test_watchdog_ends_the_run_unless_fed() -> None:
    m = board.board()
    m.bus_write(WATCHDOG + 4, 2000)  # 1 ms: it counts by two
    m.bus_write(WATCHDOG, 1 << 30)
    begin = m.now
    board.wait(m, 900 * US)
    assert m.bus_read(WATCHDOG) & 0xFFFFFF in (198, 200) and m.watchdog_fed == begin
    m.bus_write(WATCHDOG + 4, 2000)
    stop = m.run(begin + 10_000 * US)
    fed = (begin + 900 * US) / 125e6
    assert stop.reason == "fault"
    assert stop.detail == f"the watchdog reset the chip: not fed since {fed:.6f} s"
    assert 1900 * US <= stop.cycle - begin <= 1901 * US


def test_the_reset_of_the_watchdog_is_known_by_its_registers() -> None:
    m = board.board()
    assert m.bus_read(WATCHDOG + 8) == 0
    m.bus_write(WATCHDOG + 0x1C, 4711)
    m.bus_write(WATCHDOG + 4, 2000)
    m.bus_write(WATCHDOG, 1 << 30)
    assert m.run(m.now + 2000 * US).reason == "fault"
    m.reset()
    assert (m.bus_read(WATCHDOG + 8), m.bus_read(WATCHDOG + 0x1C)) == (1, 4711)
    assert m.bus_read(WATCHDOG) >> 30 == 0
    m.reset()  # power-on
    assert (m.bus_read(WATCHDOG + 8), m.bus_read(WATCHDOG + 0x1C)) == (0, 0)
    m.bus_write(WATCHDOG, 1 << 31)
    stop = m.run(m.now + 10)
    assert (stop.reason, stop.detail) == ("fault", "the program had the watchdog reset the chip")
    m.reset()
    assert m.bus_read(WATCHDOG + 8) == 2
