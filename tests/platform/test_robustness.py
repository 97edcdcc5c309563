"""Whatever firmware does, the machine answers with a fault or a report, never with a crash."""

from __future__ import annotations

import random

import bare_board as board
import pytest

REGISTERS = [0x40000000 + 0x4000 * k for k in range(28)]
REGISTERS += [0xD0000000, 0xE000E000, 0x18000000, 0x14000000, 0x50000000]
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
