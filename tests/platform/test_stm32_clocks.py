"""STM32F051: RCC, clock gates and resets, SysTick, and the small blocks."""

from __future__ import annotations

import bare_stm32 as board
import pytest
from takt.machine.machine import Machine

RCC_CSR = board.RCC + 0x24

PLLS = [(3, 12_000_000), (12, 48_000_000), (16, 64_000_000)]


@pytest.mark.parametrize("factor, hz", PLLS)
def test_pll(factor: int, hz: int) -> None:
    m = board.idle_machine()
    m.bus_write(board.FLASH, 0x11)
    m.bus_write(board.CFGR, factor - 2 << 18)
    m.bus_write(board.RCC, 0x01000083)
    assert not m.bus_read(board.RCC) >> 25 & 1
    board.wait(m, 200 * 8)
    assert m.bus_read(board.RCC) >> 25 & 1 and m.hz == 8_000_000
    m.bus_write(board.CFGR, factor - 2 << 18 | 2)
    assert m.hz == hz and m.bus_read(board.CFGR) >> 2 & 3 == 2


def test_switch_waits_for_the_pll() -> None:
    m = board.idle_machine()
    m.bus_write(board.FLASH, 0x11)
    m.bus_write(board.RCC, 0x01000083)
    m.bus_write(board.CFGR, 10 << 18 | 2)  # too late for the factor
    assert m.bus_read(board.CFGR) & 0xF == 2 and m.hz == 8_000_000
    board.wait(m, 1700)
    assert m.bus_read(board.CFGR) & 0xF == 0xA and m.hz == 8_000_000
    assert any("PLL is changed while on" in line for line in m.unimplemented())


def test_prescalers() -> None:
    m = board.board()
    m.bus_write(board.CFGR, 10 << 18 | 2 | 0x9 << 4)  # HCLK = SYSCLK / 4
    assert m.hz == 12_000_000
    m.bus_write(board.CFGR, 10 << 18 | 2 | 5 << 8)  # PCLK = HCLK / 4: timers at / 2
    assert m.hz == 48_000_000
    m.bus_write(board.TIM3, 1)
    board.wait(m, 1000)
    assert m.bus_read(board.TIM3 + 0x24) == 500


def test_no_crystal() -> None:
    m = board.idle_machine()
    m.bus_write(board.RCC, 0x00010083)
    board.wait(m, 100_000)
    assert not m.bus_read(board.RCC) >> 17 & 1
    m.bus_write(board.CFGR, 1)
    assert m.bus_read(board.CFGR) & 0xC == 0 and len(m.unimplemented()) == 2


def test_a_device_without_clock_reads_0_and_is_reported() -> None:
    m = board.idle_machine()
    m.bus_write(board.GPIOA, 0x55555555)
    assert m.bus_read(board.GPIOA) == 0
    lines = m.unimplemented()
    assert lines[0].startswith("no clock: GPIOA+0x0 write 0x55555555 at pc=0x")
    assert lines[1].startswith("no clock: GPIOA+0x0 read at pc=0x")
    m.bus_write(board.AHBENR, 0x14 | 1 << 17)
    assert m.bus_read(board.GPIOA) == 0x28000000


def test_reset_bit() -> None:
    m = board.board()
    m.bus_write(board.TIM2 + 0x28, 7)
    m.bus_write(board.RCC + 0x10, 1)
    assert m.bus_read(board.TIM2 + 0x28) == 0 and "in reset: TIM2" in m.unimplemented()[0]
    m.bus_write(board.RCC + 0x10, 0)
    m.bus_write(board.TIM2 + 0x28, 9)
    assert m.bus_read(board.TIM2 + 0x28) == 9


def test_unmodelled_blocks_are_reported_by_name() -> None:
    m = board.board()
    for address, name in ((0x40020000, "DMA"), (0x40002800, "RTC"), (0x40023000, "CRC")):
        m.bus_write(board.AHBENR, 0x005E0055)
        m.bus_write(address, 1)
        assert any(line.startswith(f"{name}+0x0 write 0x1") for line in m.unimplemented())
    m.bus_write(0x40009000, 1)
    assert any(line.startswith("reserved") for line in m.unimplemented())


def test_systick_reference_is_an_eighth() -> None:
    m = board.board()
    assert m.bus_read(0xE000E01C) == 0x40001770
    m.bus_write(0xE000E014, 99_999)
    m.bus_write(0xE000E018, 0)
    m.bus_write(0xE000E010, 1)
    board.wait(m, 800)
    assert m.bus_read(0xE000E018) in (99_899, 99_900)


def test_watchdog_ends_the_run() -> None:
    """Fed with 100 counts of LSI / 8."""
    m = board.board()
    m.bus_write(RCC_CSR, 1)
    _set_watchdog(m, 1, 99)
    board.wait(m, (85 + 125) * board.HZ // 1_000_000 + 10)
    assert m.bus_read(board.IWDG + 0xC) == 0
    m.bus_write(board.IWDG, 0xCCCC)
    period = 100 * 8 * board.HZ // 40_000
    for _ in range(3):
        board.wait(m, period - 10)
        m.bus_write(board.IWDG, 0xAAAA)
    begin = m.now
    stop = m.run(m.now + 2 * period)
    assert stop.reason == "fault"
    assert stop.detail == f"the watchdog reset the chip: not fed since {begin / board.HZ:.6f} s"
    assert stop.cycle - begin == pytest.approx(period, abs=3)
    m.reset()
    assert m.bus_read(RCC_CSR) >> 24 == 0b101100  # by IWDG, the pin, and power before that
    m.bus_write(RCC_CSR, 1 << 24)
    assert m.bus_read(RCC_CSR) >> 24 == 0
    m.reset()
    assert m.bus_read(RCC_CSR) >> 24 == 0b1100


def _set_watchdog(m: Machine, prescaler: int, reload: int) -> None:
    m.bus_write(board.IWDG, 0x5555)
    m.bus_write(board.IWDG + 4, prescaler)
    m.bus_write(board.IWDG + 8, reload)


def test_the_watchdog_takes_no_new_values_before_lsi_has_run() -> None:
    """4095 + 1 counts of LSI / 4 until it is fed five cycles of LSI later."""
    m = board.board()
    _set_watchdog(m, 0, 99)
    board.wait(m, 1000)
    assert m.bus_read(board.IWDG + 0xC) == 3
    m.bus_write(board.IWDG, 0xCCCC)
    begin = m.now
    assert m.run(begin + board.HZ // 4).reason == "time"
    m.bus_write(board.IWDG, 0xAAAA)
    stop = m.run(m.now + board.HZ // 4)
    assert stop.cycle == pytest.approx(begin + board.HZ // 4 + 400 * board.HZ // 40_000, abs=10)


def test_watchdog_registers_are_locked() -> None:
    m = board.board()
    m.bus_write(board.IWDG + 8, 5)
    assert m.bus_read(board.IWDG + 8) == 0xFFF
    assert m.unimplemented()[0].startswith("IWDG while locked")


def test_identity() -> None:
    m = board.board()
    assert m.bus_read(board.DBGMCU) & 0xFFF == 0x440
    assert m.bus_read(0x1FFFF7CC) & 0xFFFF == 64
    unique = [m.bus_read(0x1FFFF7AC + 4 * k) for k in range(3)]
    assert len(set(unique)) == 3 and 0 not in unique
    assert m.unimplemented() == []


def test_window_watchdog_and_low_power_are_reported() -> None:
    m = board.board()
    m.bus_write(board.WWDG, 0xFF)
    m.bus_write(board.PWR, 0x100)
    m.bus_write(board.PWR, 2)
    names = [line.split("+")[0] for line in m.unimplemented()]
    assert names == ["WWDG", "PWR"]
