"""The CY8C9540A, as a part of a world and as the pins of a board."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from fake_machine import FakeMachine
from takt.errors import UserError
from takt.world.bench import Bench
from takt.world.world import load

PICO = {f"GP{n}": n for n in range(30)} | {"A0": 26}
GALILEO = {f"D{n}": n for n in range(14)} | {f"A{n}": 14 + n for n in range(6)}
GALILEO_TOML = {
    "expander": {
        "i2c": 0,
        "address": 0x20,
        "interrupt": 6,
        "pins": {"D2": [2, 0], "D4": [1, 4], "D5": [0, 1], "D8": [1, 0], "D11": [1, 1]},
    },
    "adc_chip": {"spi": 0, "select": 17, "volts": 5.0, "channels": {"A0": 0, "A3": 3}},
    "chip_pins": {"D2": 14, "D3": 15},
}
X = 0x20
OUT, STATUS, PORT, MASK, PWM_PINS, INVERT, DIRECTION, DRIVE = 8, 0x10, *range(0x18, 0x1E)
STRONG, HIGH_Z = DRIVE + 4, DRIVE + 6
US, MS = 125, 125_000  # cycles

WORLD = """
[parts.x]
type = "cy8c9540a"
interrupt = 3
"""


BUSES = {"buses": {"i2c": 1}}


def bench_of(folder, text, pins=PICO, raw=None):
    (folder / "world.toml").write_text(text)
    machine = FakeMachine()
    bench = Bench(
        machine, load(folder, SimpleNamespace(pins=pins, raw=BUSES | (raw or {}))), machine.hz
    )
    bench.run(0)  # the world takes hold of its pins
    machine.i2c_read(X, 8, STATUS)
    return bench


def configure(machine, port, register, byte):
    """A register of a port."""
    machine.i2c_write(X, PORT, port)
    machine.i2c_write(X, register, byte)


def interrupts(machine, pin=3):
    """(cycle, level) of INT."""
    return [(at, level) for at, number, level in machine.driven if number == pin][1:]


def test_registers_after_power_on(tmp_path):
    machine = bench_of(tmp_path, WORLD).machine
    assert machine.i2c_read(X, 6, 0x00) == [255, 255, 15, 255, 255, 15]  # pulled up
    assert machine.i2c_read(X, 6, OUT) == [255, 255, 15, 255, 255, 15]
    assert machine.i2c_read(X, 8, STATUS) == [0] * 8
    assert machine.i2c_read(X, 6, PORT) == [0, 255, 0, 0, 0, 255]
    assert machine.i2c_read(X, 6, DRIVE + 1) == [0] * 6
    assert machine.i2c_read(X, 1, 0x2E) == [0x40]


def test_ports_keep_their_own_configuration_and_modes_exclude_each_other(tmp_path):
    machine = bench_of(tmp_path, WORLD).machine
    configure(machine, 3, STRONG, 0x0F)
    configure(machine, 3, HIGH_Z, 0x03)
    assert machine.i2c_read(X, 7, DRIVE) == [0xF0, 0, 0, 0, 0x0C, 0, 0x03]
    configure(machine, 1, DIRECTION, 0x81)
    assert machine.i2c_read(X, 1, DIRECTION) == [0x81]
    machine.i2c_write(X, PORT, 3)
    assert machine.i2c_read(X, 1, DIRECTION) == [0]
    machine.i2c_write(X, OUT, 1, 2, 3)  # one write, three ports
    assert machine.i2c_read(X, 3, OUT) == [1, 2, 3]
    machine.i2c_write(X, 0x30, 0x02)
    assert machine.i2c_read(X, 3, OUT) == [255, 255, 15]


def test_output_lights_a_led_and_is_in_the_pictures(tmp_path):
    text = WORLD + '[parts.led]\ntype = "led"\npin = "x.2.3"\n'
    bench = bench_of(tmp_path, text)
    machine = bench.machine
    configure(machine, 2, STRONG, 0x08)
    machine.firmware = [
        (n * MS, lambda v=v: machine.i2c_write(X, OUT + 2, v)) for n, v in ((1, 0), (2, 8), (4, 0))
    ]
    bench.run(10 * MS)
    bench.finish()
    pin = bench.world.pins["x.2.3"]
    edges = [(at, level) for at, number, level in bench.edges if number == pin]
    assert edges == [(MS, 0), (2 * MS, 1), (4 * MS, 0)]
    led = bench.summary()["led"]
    assert led["toggles"] == 2 and led["on_ms"] == {"min": 2.0, "max": 2.0}


@pytest.mark.parametrize(
    ("mode", "out", "outside", "level"),
    [
        (0, 1, None, 1),  # pull-up: high, weakly
        (0, 1, 0, 0),
        (0, 0, 1, 0),
        (1, 0, None, 0),  # pull-down
        (1, 0, 1, 1),
        (1, 1, 0, 1),
        (2, 0, 1, 1),  # open drain high
        (2, 1, 0, 1),
        (3, 1, 1, 1),  # open drain low
        (3, 0, 1, 0),
        (4, 0, 1, 0),  # strong
        (5, 1, 0, 1),
        (6, 1, 0, 0),  # high impedance
        (6, 0, 1, 1),
        (6, 1, None, 0),
    ],
)
def test_drive_modes_of_an_output(tmp_path, mode, out, outside, level):
    bench = bench_of(tmp_path, WORLD)
    machine = bench.machine
    configure(machine, 0, DRIVE + mode, 1)
    machine.i2c_write(X, OUT, out)
    bench.drive(bench.world.pins["x.0.0"], outside, 0)
    bench.run(MS)
    assert machine.i2c_read(X, 1, 0)[0] & 1 == level


def inputs(machine, port=0, mask=0xFE):
    configure(machine, port, DIRECTION, 0xFF)
    configure(machine, port, MASK, mask)


def test_changes_raise_int_until_the_status_is_read(tmp_path):
    bench = bench_of(tmp_path, WORLD)
    machine, pin = bench.machine, bench.world.pins["x.0.0"]
    inputs(machine)
    bench.drive(pin, 0, 2 * MS)
    bench.drive(pin, 1, 3 * MS)
    seen = []
    machine.firmware = [(5 * MS, lambda: seen.extend(machine.i2c_read(X, 2, STATUS)))]
    bench.run(4 * MS)
    assert interrupts(machine) == [(2 * MS, 1)]
    bench.run(10 * MS)
    assert seen == [1, 0]
    assert interrupts(machine) == [(2 * MS, 1), (5 * MS, 0)]
    assert bench.summary()["x"]["interrupts"] == 1


def test_a_masked_change_stays_in_the_status(tmp_path):
    bench = bench_of(tmp_path, WORLD)
    machine = bench.machine
    inputs(machine)
    bench.drive(bench.world.pins["x.0.3"], 0, MS)
    bench.run(2 * MS)
    assert interrupts(machine) == []
    configure(machine, 0, MASK, 0)
    assert interrupts(machine) == [(2 * MS, 1)]
    assert machine.i2c_read(X, 1, STATUS) == [8]
    assert interrupts(machine)[1:] == [(2 * MS, 0)]


def test_own_outputs_do_not_interrupt_and_active_low(tmp_path):
    bench = bench_of(tmp_path, WORLD + 'active = "low"\n')
    machine = bench.machine
    configure(machine, 0, MASK, 0)
    machine.i2c_write(X, OUT, 0)
    assert interrupts(machine) == []
    inputs(machine, 1, 0)
    bench.drive(bench.world.pins["x.1.7"], 0, MS)
    bench.run(2 * MS)
    assert interrupts(machine) == [(MS, 0)]


def test_inverted_inputs(tmp_path):
    bench = bench_of(tmp_path, WORLD)
    machine = bench.machine
    inputs(machine)
    configure(machine, 0, INVERT, 0x0F)
    assert machine.i2c_read(X, 1, 0) == [0xF0]


def test_a_wave_costs_only_what_is_looked_at(tmp_path):
    text = WORLD + '[parts.w]\ntype = "square-wave"\npin = "x.0.0"\nfrequency = "1 MHz"\n'
    text += 'start = "1 ms"\n'
    bench = bench_of(tmp_path, text)
    machine = bench.machine
    inputs(machine)
    seen = []
    machine.firmware = [
        (n * MS, lambda: seen.append(machine.i2c_read(X, 1, STATUS))) for n in (2, 5)
    ]
    bench.run(10 * MS)
    bench.finish()
    assert seen == [[1], [1]]
    assert [at for at, level in interrupts(machine) if level == 1] == [
        MS,
        2 * MS + 63,
        5 * MS + 63,
    ]
    assert bench.summary()["w"]["rising_edges"] == 9001
    assert machine.waves == {}


def test_pwm(tmp_path):
    text = WORLD + '[parts.led]\ntype = "led"\npin = "x.0.3"\n'
    bench = bench_of(tmp_path, text)
    machine = bench.machine
    machine.i2c_write(X, 0x28, 1)  # PWM 1 reaches pin 3 of port 0
    machine.i2c_write(X, 0x29, 3, 191, 48)
    configure(machine, 0, STRONG, 0x08)
    configure(machine, 0, PWM_PINS, 0x08)
    bench.run(MS)
    bench.finish()
    led = bench.summary()["led"]
    assert led["pwm_hz"] == pytest.approx(93_750 / 191, abs=0.001)
    assert led["pwm_duty"] == pytest.approx(48 / 191, abs=0.0001)


GALILEO_WORLD = """
[parts.sonar]
type = "hc-sr04"
trig = 4
echo = "D8"
distance = "1 m"
[parts.wheels]
type = "rover"
left = [5, 11]
right = [2, 3]
[parts.pot]
type = "potentiometer"
pin = "A3"
voltage = "2 V"
"""


def galileo(folder):
    return bench_of(folder, GALILEO_WORLD, GALILEO, GALILEO_TOML)


def test_a_sensor_on_the_pins_of_an_expander(tmp_path):
    """The answer comes to the cycle, although the firmware's transaction asked for it."""
    bench = galileo(tmp_path)
    machine = bench.machine
    configure(machine, 1, STRONG, 0x10)
    inputs(machine, 1, 0xFE)
    machine.i2c_write(X, OUT + 1, 0xEF)
    configure(machine, 1, DIRECTION, 0xEF)
    machine.i2c_read(X, 8, STATUS)
    machine.firmware = [
        (MS, lambda: machine.i2c_write(X, OUT + 1, 0xFF)),
        (MS + 300 * US, lambda: machine.i2c_write(X, OUT + 1, 0xEF)),
    ]
    while machine.now < 50 * MS:
        bench.run(machine.now + 10 * MS)
    echo = [(at, level) for at, pin, level in bench.edges if pin == 8 and at > 0]
    rise = MS + 300 * US + 460 * US
    assert echo == [(rise, 1), (rise + round(5830.904 * US), 0)]
    assert interrupts(machine, 6) == [(rise, 1)]
    assert bench.summary()["sonar"]["measurements"] == 1
    assert bench.summary()["board.expander"]["interrupts"] == 1


def test_motors_on_expander_and_chip_pins(tmp_path):
    bench = galileo(tmp_path)
    machine = bench.machine
    configure(machine, 0, STRONG, 0x02)
    machine.i2c_write(X, OUT, 0x00)
    machine.coming = [(2 * MS, 15, 1)]  # the chip's GPIO behind pin 3
    machine.firmware = [(MS, lambda: machine.i2c_write(X, OUT, 0x02))]
    bench.run(3 * MS)
    wheels = bench.world.parts["wheels"]
    assert wheels.levels == {5: 1, 11: 0, 2: 0, 3: 1}


def test_pins_with_two_ends_are_driven_at_both(tmp_path):
    bench = bench_of(
        tmp_path, '[parts.b]\ntype = "button"\npin = 2\npress = [["1 ms", "1 ms"]]\n', GALILEO,
        GALILEO_TOML,
    )  # fmt: skip
    machine = bench.machine
    inputs(machine, 2, 0x0E)
    bench.run(5 * MS)
    assert [(at, level) for at, pin, level in machine.driven if pin == 14][1:] == [
        (MS, 0),
        (2 * MS, None),
    ]
    assert interrupts(machine, 6) == [(MS, 1)]


def test_voltages_of_a_board_with_a_converter(tmp_path):
    bench = galileo(tmp_path)
    machine = bench.machine
    bench.run(MS)
    for word in (0x8000 | 1 << (13 - 3), 0):
        machine.spi_transfer(17, word >> 8, word & 255)
    assert machine.spi_transfer(17, 0, bits=16) == [3 << 12 | int(4096 * 2 / 5)]
    assert machine.analog == []


def test_names_of_the_boards_own_parts_cannot_be_taken(tmp_path):
    assert set(galileo(tmp_path).world.everything()) == {
        "board.expander",
        "board.adc",
        "sonar",
        "wheels",
        "pot",
    }


def test_calls_of_motor_code_are_told_from_writes_of_their_neighbours(tmp_path):
    """Pins 8, 6 and 7 share a port with the trigger (11); pin 9 does not."""
    wheels = '[parts.w]\ntype = "rover"\nleft = [8, 9]\nright = [6, 7]\n'
    pins = {"D6": [1, 0], "D7": [1, 3], "D8": [1, 2], "D9": [0, 3], "D11": [1, 1]}
    raw = {"expander": {"i2c": 0, "address": 0x20, "pins": pins}}
    bench = bench_of(tmp_path, wheels, GALILEO, raw)
    machine = bench.machine
    for port in (0, 1):
        configure(machine, port, STRONG, 0xFF)

    def motors(level):
        for port in (1, 0, 1, 1):
            machine.i2c_write(X, OUT + port, level)

    machine.firmware = [(100 * MS, lambda: motors(0)), (200 * MS, lambda: motors(0))]
    machine.firmware += [(at * MS, lambda: machine.i2c_write(X, OUT + 1, 0)) for at in (50, 150)]
    machine.firmware += [(250 * MS, lambda: motors(0)), (350 * MS, lambda: motors(0))]
    machine.firmware.sort(key=lambda event: event[0])
    machine.i2c_write(X, OUT, 0, 0)
    bench.world.parts["w"].calls.clear()
    bench.run(400 * MS)
    bench.finish()
    assert bench.summary()["w"]["actuations"] == 4
    assert bench.world.parts["w"].calls == [100 * MS, 200 * MS, 250 * MS, 350 * MS]


def test_pins_that_changed_too_often_are_named_as_in_the_pictures(tmp_path, monkeypatch):
    monkeypatch.setattr("takt.world.bench.EDGES_KEPT", 2)
    board = bench_of(tmp_path, "", GALILEO, GALILEO_TOML)
    other = bench_of(tmp_path, WORLD)
    for bench, pins in ((board, (1006, 4)), (other, (other.world.pins["x.0.0"], 3))):
        for cycle in range(4):
            for pin in pins:
                bench.changed(pin, cycle % 2, cycle)
    said = [line.split(" changed")[0] for line in board.warnings() + other.warnings()]
    assert said == ["pin 4", "expander interrupt (GPIO 6)", "x interrupt (pin 3)", "x.0.0"]


@pytest.mark.parametrize("kind", ["dht22", "ds18b20"])
def test_a_wire_that_answers_at_once_needs_a_pin_of_the_chip_alone(tmp_path, kind):
    """D2 is the chip's as well, but what it drives comes from the expander."""
    with pytest.raises(UserError, match=r"pin 2 is not a pin of the chip alone: board\.expander"):
        bench_of(tmp_path, f'[parts.s]\ntype = "{kind}"\npin = "D2"\n', GALILEO, GALILEO_TOML)
