"""Whatever firmware does, the machine answers with a fault or a report, never with a crash."""

from __future__ import annotations

import random

import bare_board as board
import pytest
from takt.machine.machine import NEVER

REGISTERS = [0x40000000 + 0x4000 * k for k in range(28)]
REGISTERS += [0xD0000000, 0xE000E000, 0x18000000, 0x14000000, 0x50000000]
SPI, I2C = (0x4003C000, 0x40040000), (0x40044000, 0x40048000)
REASONS = {"time", "halt", "fault"}


@pytest.mark.parametrize("seed", range(20))
def test_random_bytes_as_code(seed: int) -> None:
    rng = random.Random(seed)
    m = board.idle_machine()
    for _ in range(40):
        m.reset_to(board.VECTORS)
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
    for pin in range(30):
        m.log_pin(pin)
    for _ in range(2000):
        address = rng.choice(REGISTERS) + rng.randrange(0, 0x180, 4)
        address += rng.choice([0, 0, 0, 0x1000, 0x2000, 0x3000]) if address < 0x50000000 else 0
        value = rng.choice([0, 1, rng.getrandbits(8), rng.getrandbits(32)])
        if rng.random() < 0.3:
            m.bus_read(address)
        else:
            m.bus_write(address, value)
        if rng.random() < 0.1:
            m.pin_drive(rng.randrange(30), rng.choice([0, 1, None]))
            m.uart_send(rng.randrange(2), b"U")
            m.run(m.now + rng.randrange(5000))
    assert len(m.unimplemented()) > 5
    assert all(" at pc=" in line for line in m.unimplemented())


class Moody:
    """A device that does anything it may."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.calls = 0

    def _any(self, *choices: int) -> int:
        self.calls += 1
        return self.rng.choice(choices)

    def start(self, read: bool) -> bool:
        return bool(self._any(0, 1, 1))

    def write(self, byte: int) -> bool:
        return bool(self._any(0, 1, 1))

    def read(self, last: bool) -> int:
        return self._any(0, 0xFF, 0x5A)

    def stop(self) -> None:
        self._any(0)

    def stretch(self) -> int:
        return self._any(0, 0, 0, 7, 1000, NEVER if self.rng.random() < 0.01 else 0)

    select = deselect = stop

    def transfer(self, byte: int, bits: int) -> int:
        assert byte < 1 << bits
        return self._any(0, byte, 0xFFFFFFFF)


@pytest.mark.parametrize("seed", range(20))
def test_random_traffic_on_buses_with_faults_and_waves(seed: int) -> None:
    rng = random.Random(seed)
    m = board.board()
    device = Moody(rng)
    functions = {pin: 3 if pin < 8 else 1 for pin in (4, 5, 6, 7, *range(12, 20))}
    for pin, function in functions.items():
        board.select(m, pin, function)
    for bus in (0, 1):
        m.i2c_device(bus, 0x55, device)  # what the controller calls after a reset
        m.spi_device(bus, rng.randrange(30), device)
        m.bus_write(SPI[bus] + 0x10, 2)
    offsets = [0, 4, 8, *[0x10] * 20, *[0x54] * 5, *[0x6C] * 10, *range(0, 0x100, 4)]
    for _ in range(3000):
        pin, line = rng.randrange(30), rng.choice([0, 0, 0, 1, 2, 3])
        address = rng.choice([*SPI, *I2C]) + rng.choice(offsets) + line * 0x1000
        value = rng.choice([0, 1, 3, 0x107, 0x65, 0x165, 0x300, rng.getrandbits(11)])
        what = rng.random()
        if what < 0.2:
            m.bus_read(address & ~0x3000)
        elif what < 0.75:
            m.bus_write(address, value)
        elif what < 0.77:
            pin = rng.choice(list(functions))
            board.select(m, pin, rng.choice([5, *[functions[pin]] * 5]))
        elif what < 0.78:
            m.pin_wave(pin, rng.randrange(1, 500), m.now, seed=rng.choice([None, 3]))
        elif what < 0.8:
            m.pin_drive(pin, rng.choice([0, 1, *[None] * 8]))
        elif what < 0.82:
            lines = rng.choices([None, True, False], [1, 1, 4], k=2)
            m.i2c_hold(rng.randrange(2), *lines, rng.randrange(9))
        elif what < 0.83:
            m.bus_write(board.RESETS, rng.choice([1 << 3 | 1 << 4 | 1 << 16 | 1 << 17, 0]))
            m.bus_write(board.RESETS, 0)
        else:
            m.run(m.now + rng.randrange(20_000))
    assert device.calls > 0
