"""STM32F051: whatever firmware does, there is a fault or a report, never a crash."""

from __future__ import annotations

import random

import bare_stm32 as board
import pytest
from test_robustness import Moody

BLOCKS = [0x40000000 + 0x400 * k for k in range(88)] + [0x40020000 + 0x400 * k for k in range(17)]
BLOCKS += [0x48000000 + 0x400 * k for k in range(6)] + [0xE000E000]
PINS = [*range(48), 50, 80, 81, 84, 85, 86, 87]
REASONS = {"time", "halt", "fault"}


@pytest.mark.parametrize("seed", range(10))
def test_random_bytes_as_code(seed: int) -> None:
    rng = random.Random(seed)
    m = board.idle_machine()
    for _ in range(40):
        m.reset()
        m.write(0x20000000, rng.randbytes(2048))
        for number in range(13):
            m.set_register(number, rng.choice([rng.getrandbits(32), 0x20000000 + number * 64]))
        m.set_register(15, 0x20000000)
        stop = m.run(20_000)
        assert stop.reason in REASONS
        assert stop.reason == "time" or m.fault()


@pytest.mark.parametrize("seed", range(20))
def test_random_register_accesses(seed: int) -> None:
    rng = random.Random(seed)
    m = board.board()
    for pin in PINS:
        m.log_pin(pin)
    for _ in range(3000):
        address = rng.choice(BLOCKS) + rng.choice([*range(0, 0x50, 4), *range(0, 0x400, 4)])
        value = rng.choice([0, 1, rng.getrandbits(8), rng.getrandbits(32)])
        if rng.random() < 0.3:
            m.bus_read(address)
        else:
            m.bus_write(address, value)
        if rng.random() < 0.02:
            m.bus_write(board.AHBENR, 0x005E0014)
            m.bus_write(board.APB2ENR, 0x00475A01)
            m.bus_write(board.APB1ENR, 0x10624913)
            for reset in (0x0C, 0x10, 0x28):
                m.bus_write(board.RCC + reset, 0)
        if rng.random() < 0.1:
            m.pin_drive(rng.choice(PINS), rng.choice([0, 1, None]))
            m.uart_send(rng.randrange(2), b"U")
            m.pend_irq(rng.choice([-14, -2, -1, *range(32)]), m.now + rng.randrange(5000))
            m.run(m.now + rng.randrange(5000))
        if rng.random() < 0.01:
            m.pin_pwm(rng.choice(PINS))
            m.clock_us()
    assert len(m.unimplemented()) > 5
    assert all(" at pc=" in line for line in m.unimplemented())


@pytest.mark.parametrize("seed", range(20))
def test_random_timers(seed: int) -> None:
    """Two machines with equal programs, one looked at often, agree at the end."""

    def run(often: bool) -> list:
        rng = random.Random(seed)
        m = board.board()
        for pin, number in ((6, 1), (8, 2), (0, 2), (4, 4), (24, 2)):
            board.function(m, pin, number)
            m.log_pin(pin)
        edges = []
        for _ in range(100):
            base = rng.choice([board.TIM1, board.TIM2, board.TIM3, board.TIM14, board.TIM16])
            offset = rng.choice([0, 0xC, 0x18, *range(0x10, 0x3C, 4), 0x44])
            large = [rng.getrandbits(16), 0x8000, 0x81, 0x6868]
            m.bus_write(base + offset, rng.choice([0, 1, 5, 100, 1000, *large]))
            end = m.now + rng.randrange(3000)
            while often and m.now < end - 20:
                m.run(m.now + 17)
                for base in (board.TIM1, board.TIM2, board.TIM3, board.TIM14):
                    m.bus_read(base + 0x24)
            m.run(end)
            edges += m.pin_edges()
        counts = [m.bus_read(base + k) for base in (board.TIM1, board.TIM3) for k in (0x10, 0x24)]
        return [edges, counts, m.bus_read(0xE000E200)]

    assert run(often=False) == run(often=True)


@pytest.mark.parametrize("seed", range(20))
def test_random_traffic_on_buses_with_faults_and_waves(seed: int) -> None:
    rng = random.Random(seed)
    m = board.board()
    device = Moody(rng)
    functions = {22: 1, 23: 1, 26: 1, 27: 1, 5: 0, 6: 0, 7: 0, 29: 0, 30: 0, 31: 0}
    for pin, number in functions.items():
        board.function(m, pin, number, pull=1, open_drain=number == 1)
    for bus in (0, 1):
        m.i2c_device(bus, 0x55, device)
        m.spi_device(bus, rng.choice(PINS), device)
    i2c, spi = (board.I2C1, board.I2C2), (board.SPI1, board.SPI2)
    for base in i2c:
        m.bus_write(base + 0x10, 0x00420F13)
    commands = [0x2000 | n << 16 | flags << 24 | read | 0xAA for n in (0, 1, 3)
                for flags in range(4) for read in (0, 0x400)]  # fmt: skip
    for _ in range(3000):
        what, pin = rng.random(), rng.choice(list(functions))
        if what < 0.15:
            m.bus_write(rng.choice(i2c) + 4, rng.choice([*commands, 0x4000]))
        elif what < 0.5:
            base, offset = rng.choice(i2c), rng.choice([0x24, 0x28, 0x1C, 0x18])
            (m.bus_read if offset == 0x24 else m.bus_write)(
                *((base + offset,) if offset == 0x24 else (base + offset, rng.getrandbits(14)))
            )
        elif what < 0.55:
            m.bus_write(rng.choice(i2c), rng.choice([0, 1, 1, 0xF1]))
        elif what < 0.7:
            offset = rng.choice([0, 4, 8, 12, 12, 12])
            m.bus_write(rng.choice(spi) + offset, rng.choice([0x344, 0x1700, rng.getrandbits(14)]))
        elif what < 0.72:
            board.function(m, pin, functions[pin], open_drain=functions[pin] == 1)
        elif what < 0.73:
            board.mode(m, pin, rng.randrange(4))
        elif what < 0.74:
            m.pin_wave(pin, rng.randrange(1, 500), m.now, seed=rng.choice([None, 3]))
        elif what < 0.76:
            m.pin_drive(pin, rng.choice([0, 1, *[None] * 8]))
        elif what < 0.78:
            lines = rng.choices([None, True, False], [1, 1, 4], k=2)
            m.i2c_hold(rng.randrange(2), *lines, rng.randrange(9))
        else:
            m.run(m.now + rng.randrange(10_000))
    assert device.calls > 0
