"""Parts on I2C and SPI against a machine without firmware."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from fake_machine import FakeMachine
from takt.errors import UserError
from takt.world.bench import Bench
from takt.world.world import load

PINS = {f"GP{n}": n for n in range(30)} | {"A0": 26, "A1": 27, "LED_BUILTIN": 25}
MS = 125_000  # cycles
BUSES = {"buses": {"i2c": 2, "spi": 2}}


def bench_of(folder, text, raw=None):
    (folder / "world.toml").write_text(text)
    board = SimpleNamespace(pins=PINS, raw=BUSES | (raw or {}))
    machine = FakeMachine()
    return Bench(machine, load(folder, board), machine.hz)


def test_target_answers_and_records(tmp_path):
    bench = bench_of(
        tmp_path, '[parts.t]\ntype = "i2c-target"\naddress = 8\nanswer = "hello "\naccepts = 5\n'
    )
    machine = bench.machine
    assert bytes(machine.i2c_read(8, 6)) == b"hello "
    assert bytes(machine.i2c_read(8, 8)) == b"hello \xff\xff"
    assert machine.i2c_write(8, *b"x is 1") == [True] * 6 + [False]
    machine.i2c_write(8)  # a scanner only looks who is there
    found = bench.summary()["t"]
    assert found["reads"] == 2 and found["bytes_read"] == 14
    assert found["writes"] == 2 and found["last_messages"] == ["x is "]
    assert found["refused_bytes"] == 1


def test_ad5171(tmp_path):
    bench = bench_of(
        tmp_path,
        '[parts.r]\ntype = "ad5171"\n'
        '[parts.w]\ntype = "potentiometer"\npin = "A0"\nposition = "r.position"\n',
    )
    machine = bench.machine
    bench.run(2 * MS)
    assert machine.i2c_read(44, 1) == [32]
    machine.i2c_write(44, 0, 63)
    bench.run(4 * MS)
    assert machine.analog[0][2] == pytest.approx(3.3 * 32 / 63)
    assert machine.analog[-1][1:] == (0, 3.3)
    assert machine.i2c_read(44, 1) == [63]
    assert bench.summary()["r"] == {"sets": 1, "positions": [32, 63], "last_position": 63}


def test_ad5206_takes_the_last_eleven_bits(tmp_path):
    bench = bench_of(tmp_path, '[parts.r]\ntype = "ad5206"\nselect = 10\n')
    machine, part = bench.machine, bench.world.parts["r"]
    machine.spi_transfer(10, 0, 255)
    machine.spi_transfer(10, 5, 1)
    machine.spi_transfer(10, (3 << 8) | 7, bits=16)
    machine.spi_transfer(10, 6, 1)  # no such channel
    machine.spi_transfer(10, 1)  # too short
    machine.spi_transfer(10)  # select moved while the pin became an output
    assert part.wipers == [255, 128, 128, 7, 128, 1]
    assert part.quantity("position1", 0) == 1.0
    assert bench.summary()["r"]["wrong_transfers"] == 2 and part.sets == 3


AD7298 = '[parts.adc]\ntype = "ad7298"\nselect = 17\n'
WRITE, REPEAT, TSENSE = 1 << 15, 1 << 14, 1 << 5


def channel(number):
    return 1 << (13 - number)


def frame(machine, word=0):
    """One transfer of two bytes."""
    high, low = machine.spi_transfer(17, word >> 8, word & 0xFF)
    return high << 8 | low


def adc(folder, *volts):
    text = AD7298 + "".join(
        f'[parts.p{n}]\ntype = "potentiometer"\npin = "adc.{n}"\nvoltage = "{v} V"\n'
        for n, v in enumerate(volts)
    )
    bench = bench_of(folder, text)
    bench.run(MS)
    return bench.machine


def test_ad7298_answers_two_transfers_later(tmp_path):
    machine = adc(tmp_path, 0.5, 1.25)
    frame(machine, WRITE | channel(1))
    frame(machine, 0)
    assert frame(machine, 0) == 1 << 12 | 2048
    assert frame(machine, 0) == 1 << 12 | 2048  # rests: nothing new


def test_ad7298_in_the_traditional_way_overlaps(tmp_path):
    """Each transfer chooses the next channel and reads one chosen before."""
    machine = adc(tmp_path, 0.5, 1.25)
    frame(machine, WRITE | channel(0))
    frame(machine, WRITE | channel(1))
    assert frame(machine, WRITE | channel(0)) == 819
    assert frame(machine, 0) == 1 << 12 | 2048
    assert frame(machine, 0) == 819


def test_ad7298_repeats_a_sequence_in_rising_order(tmp_path):
    machine = adc(tmp_path, 0.0, 1.25, 2.6)
    frame(machine, WRITE | REPEAT | channel(2) | channel(0) | TSENSE)
    frame(machine)
    found = [frame(machine) for _ in range(4)]
    assert found == [0 << 12, 2 << 12 | 4095, 8 << 12 | 100, 0 << 12]


def test_ad7298_wants_sixteen_bits(tmp_path):
    machine = adc(tmp_path, 0.5)
    machine.spi_transfer(17, 0xFF)  # ends early: not written
    frame(machine)
    assert frame(machine) == 0
    frame(machine, WRITE | channel(0))
    frame(machine)
    assert machine.spi_transfer(17, 0, bits=16) == [819]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ('clocks = 7\nat = "1 ms"', [(MS, 0, True, None, 7)]),
        (
            'line = "scl"\nat = "1 ms"\nlasts = "2 ms"',
            [(MS, 0, None, True, None), (3 * MS, 0, None, False, None)],
        ),
    ],
)
def test_fault_holds_a_line(tmp_path, settings, expected):
    bench = bench_of(tmp_path, f'[parts.f]\ntype = "i2c-fault"\n{settings}\n')
    bench.run(10 * MS)
    assert bench.machine.held == expected


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        (
            '[parts.a]\ntype = "i2c-target"\n[parts.b]\ntype = "i2c-target"\naddress = 8\n',
            5,
            "address 0x08 of I2C 0 belongs to 'a' and to 'b'",
        ),
        (AD7298 + '[parts.b]\ntype = "ad5206"\nselect = 17\n', 6, "chip select 17"),
        ('[parts.a]\ntype = "i2c-target"\naddress = 3\n', 3, "too small"),
        ('[parts.a]\ntype = "ad5171"\naddress = 8\n', 3, "too small"),
        ('[parts.a]\ntype = "i2c-fault"\nat = "1 s"\nline = "scl"\nclocks = 3\n', 1, "data line"),
        (
            AD7298 + '[parts.p]\ntype = "potentiometer"\npin = "adc.8"\nvoltage = "1 V"\n',
            6,
            "no pin 'adc.8'",
        ),
        (
            AD7298 + '[parts.l]\ntype = "led"\npin = "adc.1"\n',
            6,
            "'adc.1' is a voltage only",
        ),
        (
            '[parts.x]\ntype = "cy8c9540a"\n[parts.r]\ntype = "ad5206"\nselect = "x.1.2"\n',
            5,
            "not a pin of the chip",
        ),
    ],
)
def test_mistakes(tmp_path, text, line, what):
    with pytest.raises(UserError) as caught:
        bench_of(tmp_path, text)
    assert what in caught.value.what
    assert caught.value.where.endswith(f"world.toml:{line}")
