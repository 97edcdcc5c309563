"""The chip with its clocks up (125 MHz), peripherals out of reset, and an idle CPU."""

from __future__ import annotations

import struct

from takt.machine.machine import Machine

RESETS, XOSC, CLOCKS, PLL_SYS, PLL_USB = 0x4000C000, 0x40024000, 0x40008000, 0x40028000, 0x4002C000
WATCHDOG, TIMER, IO_BANK0, PADS, SIO = 0x40058000, 0x40054000, 0x40014000, 0x4001C000, 0xD0000000
UART0, UART1, PWM, ADC = 0x40034000, 0x40038000, 0x40050000, 0x4004C000
NVIC_ENABLE = 0xE000E100
HZ = 125_000_000
US = 125
SET, CLEAR, XOR = 0x2000, 0x3000, 0x1000
LOOP, VECTORS = 0x10000400, 0x10000100
HANDLER = 0x10000500
RAM = 0x20000000


def idle_machine() -> Machine:
    """Executes `b .`; every interrupt handler is `b .` at HANDLER."""
    m = Machine()
    m.load_bin(struct.pack("<48I", 0x20041000, LOOP | 1, *[HANDLER | 1] * 46), VECTORS)
    m.load_bin(struct.pack("<H", 0xE7FE), LOOP)
    m.load_bin(struct.pack("<H", 0xE7FE), HANDLER)
    m.reset_to(VECTORS)
    return m


def idle_in_ram() -> Machine:
    """The same, without interrupts: flash may do something else than be read."""
    m = Machine()
    m.write(RAM, struct.pack("<2I", 0x20041000, RAM + 8 | 1) + struct.pack("<H", 0xE7FE))
    m.reset_to(RAM)
    return m


def wait(m: Machine, cycles: int) -> None:
    m.run(m.now + cycles)


def start_clocks(m: Machine) -> None:
    m.bus_write(XOSC + 0x0C, 47)
    m.bus_write(XOSC, 0xFABAA0)
    while not m.bus_read(XOSC + 4) >> 31:
        wait(m, 1000)
    m.bus_write(CLOCKS + 0x30, 2)  # clk_ref: crystal
    m.bus_write(RESETS, 0)
    for pll, feedback, post in ((PLL_SYS, 125, 0x62000), (PLL_USB, 40, 0x52000)):
        m.bus_write(pll + 8, feedback)
        m.bus_write(pll + 4 + CLEAR, 0x21)
        while not m.bus_read(pll) >> 31:
            wait(m, 10)
        m.bus_write(pll + 0xC, post)
        m.bus_write(pll + 4 + CLEAR, 8)
    m.bus_write(CLOCKS + 0x3C, 0 << 5 | 1)  # clk_sys: PLL_SYS
    m.bus_write(CLOCKS + 0x48, 1 << 11)  # clk_peri: clk_sys
    m.bus_write(CLOCKS + 0x60, 1 << 11)  # clk_adc: PLL_USB
    m.bus_write(WATCHDOG + 0x2C, 1 << 9 | 12)


def board() -> Machine:
    m = idle_machine()
    start_clocks(m)
    assert m.hz == HZ
    return m


def select(m: Machine, pin: int, function: int) -> None:
    m.bus_write(IO_BANK0 + 8 * pin + 4, function)


def active_interrupt(m: Machine) -> int | None:
    """The interrupt whose handler runs (forever, in this set-up)."""
    number = m.register(16) & 0x3F
    return number - 16 if number else None


def run_to_handler(m: Machine, limit: int) -> int:
    """Cycle of the handler's first instruction."""
    m.break_at(HANDLER)
    stop = m.run(m.now + limit)
    m.break_at(HANDLER, False)
    assert stop.reason == "break", stop
    return stop.cycle
