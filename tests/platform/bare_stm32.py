"""An STM32F051 at 48 MHz, peripherals clocked, and an idle CPU."""

from __future__ import annotations

import struct

from takt.machine.machine import Machine

RCC, FLASH, SYSCFG, EXTI = 0x40021000, 0x40022000, 0x40010000, 0x40010400
GPIOA, GPIOB, GPIOC, GPIOD, GPIOF = (0x48000000 + 0x400 * k for k in (0, 1, 2, 3, 5))
TIM1, TIM2, TIM3, TIM6 = 0x40012C00, 0x40000000, 0x40000400, 0x40001000
TIM14, TIM15, TIM16, TIM17 = 0x40002000, 0x40014000, 0x40014400, 0x40014800
USART1, USART2, SPI1, SPI2 = 0x40013800, 0x40004400, 0x40013000, 0x40003800
I2C1, I2C2, ADC, IWDG, WWDG = 0x40005400, 0x40005800, 0x40012400, 0x40003000, 0x40002C00
PWR, DBGMCU = 0x40007000, 0x40015800
CFGR, AHBENR, APB2ENR, APB1ENR = RCC + 4, RCC + 0x14, RCC + 0x18, RCC + 0x1C
NVIC_ENABLE = 0xE000E100
HZ = 48_000_000
US = 48
ENTRY = 16
LOOP, HANDLER = 0x08000100, 0x08000200
INPUT, OUTPUT, ALTERNATE, ANALOG = range(4)
A, B, C, D, F = 0, 16, 32, 48, 80


def idle_machine() -> Machine:
    """At reset: executes `b .`; every handler is `b .` at HANDLER."""
    m = Machine("stm32f051")
    m.load_bin(struct.pack("<48I", 0x20002000, LOOP | 1, *[HANDLER | 1] * 46), 0x08000000)
    m.load_bin(struct.pack("<H", 0xE7FE), LOOP)
    m.load_bin(struct.pack("<H", 0xE7FE), HANDLER)
    m.reset()
    return m


def wait(m: Machine, cycles: int) -> None:
    m.run(m.now + cycles)


def start_clocks(m: Machine, latency: int = 1) -> None:
    """HSI / 2 * 12."""
    m.bus_write(FLASH, 0x10 | latency)
    m.bus_write(CFGR, 10 << 18)
    m.bus_write(RCC, m.bus_read(RCC) | 1 << 24)
    while not m.bus_read(RCC) >> 25 & 1:
        wait(m, 100)
    m.bus_write(CFGR, 10 << 18 | 2)
    assert m.bus_read(CFGR) >> 2 & 3 == 2


def board() -> Machine:
    m = idle_machine()
    start_clocks(m)
    m.bus_write(AHBENR, 0x005E0014)
    m.bus_write(APB2ENR, 0x00475A01)
    m.bus_write(APB1ENR, 0x10624913)
    assert m.hz == HZ
    return m


def port(pin: int) -> int:
    return 0x48000000 + pin // 16 * 0x400


def _field(m: Machine, address: int, index: int, width: int, value: int) -> None:
    mask = (1 << width) - 1
    old = m.bus_read(address) & ~(mask << index * width)
    m.bus_write(address, old | value << index * width)


def mode(m: Machine, pin: int, mode: int, pull: int = 0, open_drain: bool = False) -> None:
    """pull: 1 up, 2 down."""
    bit = pin % 16
    _field(m, port(pin) + 4, bit, 1, int(open_drain))
    _field(m, port(pin) + 12, bit, 2, pull)
    _field(m, port(pin), bit, 2, mode)


def function(m: Machine, pin: int, number: int, **how) -> None:
    _field(m, port(pin) + 0x20 + pin % 16 // 8 * 4, pin % 8, 4, number)
    mode(m, pin, ALTERNATE, **how)


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
