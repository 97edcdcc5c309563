"""BMP280 and BME280: what libraries compute from their registers, by the data sheet's integer code
(written here from BST-BMP280-DS001 3.11.3 and BST-BME280-DS002 4.2.3)."""

from __future__ import annotations

import struct

import pytest
from bench_of import MS, S, bench_of
from takt.errors import UserError

ADDRESS, SELECT = 0x76, 10
T = [27504, 26435, -1000]  # the data sheet's example
P = [36477, -10685, 3024, 2855, 140, -7, 15500, -14600, 6000]


def half(a, b):
    """C's division, towards zero."""
    return int(a / b) if abs(a) < 2**53 else (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)


def fine_of(raw, t):
    a = (((raw >> 3) - (t[0] << 1)) * t[1]) >> 11
    b = (((((raw >> 4) - t[0]) * ((raw >> 4) - t[0])) >> 12) * t[2]) >> 14
    return a + b


def celsius_of(fine):
    return ((fine * 5 + 128) >> 8) / 100


def pascal_of(raw, fine, p):
    a = fine - 128000
    b = a * a * p[5] + ((a * p[4]) << 17) + (p[3] << 35)
    a = ((a * a * p[2]) >> 8) + ((a * p[1]) << 12)
    a = (((1 << 47) + a) * p[0]) >> 33
    value = half(((1048576 - raw) << 31) - b, 1)
    value = (value * 3125) // a
    a = (p[8] * (value >> 13) * (value >> 13)) >> 25
    b = (p[7] * value) >> 19
    return (((value + a + b) >> 8) + (p[6] << 4)) / 256


def percent_of(raw, fine, h):
    x = fine - 76800
    y = ((raw << 14) - (h[3] << 20) - h[4] * x + 16384) >> 15
    z = ((((x * h[5]) >> 10) * (((x * h[2]) >> 11) + 32768)) >> 10) + 2097152
    x = y * ((z * h[1] + 8192) >> 14)
    x -= ((((x >> 15) * (x >> 15)) >> 7) * h[0]) >> 4
    return (min(max(x, 0), 419430400) >> 12) / 1024


def test_the_oracle_computes_the_data_sheets_example():
    fine = fine_of(519888, T)
    assert fine == 128422 and celsius_of(fine) == 25.08
    assert pascal_of(415148, fine, P) == pytest.approx(100653.27, abs=0.3)


class I2c:
    """A controller that writes pairs and reads rows."""

    def __init__(self, machine):
        self.machine = machine

    def put(self, *pairs):
        self.machine.i2c_write(ADDRESS, *pairs)

    def get(self, register, count):
        return bytes(self.machine.i2c_read(ADDRESS, count, register))


class Spi:
    """The same on SPI."""

    def __init__(self, machine):
        self.machine = machine

    def put(self, *pairs):
        masked = [byte & 0x7F if n % 2 == 0 else byte for n, byte in enumerate(pairs)]
        self.machine.spi_transfer(SELECT, *masked)

    def get(self, register, count):
        return bytes(self.machine.spi_transfer(SELECT, register | 0x80, *[0] * count)[1:])


def read(bus, humidity=False):
    """degC, Pa and % as a library computes them."""
    t = struct.unpack("<Hhh", bus.get(0x88, 6))
    p = struct.unpack("<Hhhhhhhhh", bus.get(0x8E, 18))
    data = bus.get(0xF7, 8)
    pressure, temperature = (int.from_bytes(data[n : n + 3], "big") >> 4 for n in (0, 3))
    fine = fine_of(temperature, t)
    found = [celsius_of(fine), pascal_of(pressure, fine, p)]
    if humidity:
        e = bus.get(0xE1, 7)
        h4 = struct.unpack("b", e[3:4])[0] << 4 | e[4] & 15
        h5 = struct.unpack("b", e[5:6])[0] << 4 | e[4] >> 4
        h2, h3, h6 = struct.unpack("<hB3xb", e)
        h = [bus.get(0xA1, 1)[0], h2, h3, h4, h5, h6]
        found.append(percent_of(int.from_bytes(data[6:8], "big"), fine, h))
    return found


def sensor(kind="bmp280", celsius='"21 degC"', hpa='"1000 hPa"', more=""):
    return f'[parts.s]\ntype = "{kind}"\ntemperature = {celsius}\npressure = {hpa}\n{more}'


@pytest.mark.parametrize("bus", [I2c, Spi])
@pytest.mark.parametrize("celsius", [-40, -10.5, 0, 21.37, 85])
@pytest.mark.parametrize("hpa", [300, 701.2, 1013.25, 1100])
def test_libraries_compute_what_the_world_says(tmp_path, bus, celsius, hpa):
    more = f"select = {SELECT}\n" if bus is Spi else ""
    bench = bench_of(tmp_path, sensor(celsius=f'"{celsius} degC"', hpa=f'"{hpa} hPa"', more=more))
    wires = bus(bench.machine)
    assert bool(bench.machine.i2c) != bool(bench.machine.spi)  # one of them
    assert wires.get(0xD0, 1) == b"\x58"
    wires.put(0xF4, 0b101_101_01)  # 16 samples of both, once
    assert bench.run(S) is None
    found = read(wires)
    assert found[0] == pytest.approx(celsius, abs=0.011)
    assert found[1] == pytest.approx(hpa * 100, abs=1.0)
    assert wires.get(0xF4, 1)[0] & 3 == 0  # asleep again
    assert bench.summary()["s"] == {"measurements": 1}


@pytest.mark.parametrize("celsius", [-20, 25, 60])
@pytest.mark.parametrize("humidity", [0, 12.3, 55.5, 100])
def test_humidity(tmp_path, celsius, humidity):
    text = sensor("bme280", f'"{celsius} degC"', more=f'humidity = "{humidity} %"\n')
    bench = bench_of(tmp_path, text)
    wires = I2c(bench.machine)
    assert wires.get(0xD0, 1) == b"\x60"
    wires.put(0xF2, 1, 0xF4, 0b001_001_01)
    assert bench.run(S) is None
    found = read(wires, humidity=True)
    assert found[2] == pytest.approx(humidity, abs=0.05)
    assert found[0] == pytest.approx(celsius, abs=0.011)


@pytest.mark.parametrize(
    ("control", "ms"),  # typical times: 1 + 2 a sample + 0.5 for pressure
    [(0b001_001_01, 5.5), (0b001_101_01, 35.5), (0b101_101_01, 65.5), (0b001_000_01, 3)],
)
def test_a_measurement_takes_its_time(tmp_path, control, ms):
    bench = bench_of(tmp_path, sensor())
    wires = I2c(bench.machine)
    wires.put(0xF4, control)
    bench.run(round((ms - 0.1) * MS))
    assert wires.get(0xF3, 1) == b"\x08" and wires.get(0xF7, 6) == bytes.fromhex("800000800000")
    bench.run(round((ms + 0.1) * MS))
    assert wires.get(0xF3, 1) == b"\x00" and wires.get(0xFA, 3) != bytes.fromhex("800000")
    skipped = control >> 2 & 7 == 0
    assert (wires.get(0xF7, 3) == bytes.fromhex("800000")) == skipped


def test_normal_mode_goes_on_and_sleep_ends_it(tmp_path):
    bench = bench_of(tmp_path, sensor(celsius='[["0 s", "10 degC"], ["10 s", "20 degC"]]'))
    wires = I2c(bench.machine)
    wires.put(0xF5, 0b010_000_00, 0xF4, 0b010_101_11)  # every 125 ms and what it takes, 37.5
    bench.run(2 * S)
    early = read(wires)[0]
    bench.run(4 * S)
    late = read(wires)[0]
    assert early == pytest.approx(11.9, abs=0.17) and late == pytest.approx(13.9, abs=0.17)
    measured = int((4000 - 37.5) / 162.5) + 1
    assert bench.summary()["s"]["measurements"] == measured
    wires.put(0xF4, 0b010_101_00)
    bench.run(6 * S)
    assert bench.summary()["s"]["measurements"] == measured


def test_the_filter_follows_slowly(tmp_path):
    step = '[["1 s", "10 degC"], ["1 s", "20 degC"]]'
    bench = bench_of(tmp_path, sensor(celsius=step))
    wires = I2c(bench.machine)
    wires.put(0xF5, 0b011_010_00)  # 4: each measurement counts a quarter
    for n, wanted in enumerate((10, 10, 12.5, 14.375, 15.78)):
        wires.put(0xF4, 0b001_001_01)
        bench.run((n + 1) * S // 2 + 10 * MS)
        assert read(wires)[0] == pytest.approx(wanted, abs=0.05)


def test_reset_and_three_wires(tmp_path):
    bench = bench_of(tmp_path, sensor())
    wires = I2c(bench.machine)
    wires.put(0xF4, 0b001_001_11, 0xF5, 1)
    assert wires.get(0xF4, 2) == bytes([0b001_001_11, 1])
    wires.put(0xE0, 0xB6)
    assert wires.get(0xF4, 2) == b"\0\0"
    bench.run(S)
    assert bench.summary()["s"] == {"measurements": 0, "not_modelled": "three-wire SPI"}


def test_a_bmp280_has_no_humidity(tmp_path):
    bench = bench_of(tmp_path, sensor())
    wires = I2c(bench.machine)
    wires.put(0xF2, 1, 0xF4, 0b001_001_01)
    assert wires.get(0xF2, 1) == b"\0" and wires.get(0xFD, 2) == b"\0\0"


@pytest.mark.parametrize(
    ("more", "what"),
    [("select = 10\naddress = 0x77\n", "`address` is given, but it is on SPI"),
     ("spi = 1\n", "`spi` is given, but it is on I2C")],
)  # fmt: skip
def test_one_bus_or_the_other(tmp_path, more, what):
    with pytest.raises(UserError, match=what):
        bench_of(tmp_path, sensor(more=more))
