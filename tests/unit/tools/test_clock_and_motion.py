"""DS1307 and MPU-6050 against a machine without firmware."""

from __future__ import annotations

import pytest
from bench_of import MS, US, S, bench_of, driven
from takt.errors import UserError

CLOCK, MOTION = 0x68, 0x69


def clock(more=""):
    return f'[parts.c]\ntype = "ds1307"\n{more}'


def time_of(machine):
    """The seven registers, in hexadecimal."""
    return bytes(machine.i2c_read(CLOCK, 7, 0)).hex(" ")


def test_a_clock_goes_on(tmp_path):
    bench = bench_of(tmp_path, clock("start = 2027-12-31T23:59:58\n"))
    assert time_of(bench.machine) == "58 59 23 06 31 12 27"  # a Friday; Sunday is 1
    bench.run(S - 1)
    assert time_of(bench.machine)[:2] == "58"
    bench.run(S)
    assert time_of(bench.machine)[:2] == "59"
    bench.run(2 * S)
    assert time_of(bench.machine) == "00 00 00 07 01 01 28"
    assert bench.summary()["c"]["time"] == "2028-01-01 00:00:00"


def test_a_new_clock_stands_until_it_is_started(tmp_path):
    bench = bench_of(tmp_path, clock())
    machine = bench.machine
    bench.run(5 * S)
    assert time_of(machine) == "80 00 00 01 01 01 00"
    assert machine.i2c_read(CLOCK, 1, 7) == [3]
    machine.i2c_write(CLOCK, 0, 0x58, 0x59, 0x23, 3, 0x28, 0x02, 0x28)
    bench.run(7 * S)
    assert time_of(machine) == "00 00 00 04 29 02 28"  # a leap year; Tuesday, then Wednesday
    machine.i2c_write(CLOCK, 0, 0x80)
    bench.run(9 * S)
    assert time_of(machine)[:2] == "80"
    assert bench.summary()["c"]["running"] is False


def test_seconds_begin_when_they_are_written_and_other_registers_leave_them(tmp_path):
    bench = bench_of(tmp_path, clock("start = 2027-01-01T00:00:10\n"))
    machine = bench.machine
    bench.run(700 * MS)
    machine.i2c_write(CLOCK, 1, 0x30)
    bench.run(1010 * MS)
    assert time_of(machine)[:5] == "11 30"
    machine.i2c_write(CLOCK, 0, 0x20)
    bench.run(2000 * MS)
    assert time_of(machine)[:5] == "20 30"
    bench.run(2020 * MS)
    assert time_of(machine)[:5] == "21 30"


@pytest.mark.parametrize(
    ("hour", "written", "next_hour"),
    [(0, 0x52, 0x41), (11, 0x51, 0x72), (12, 0x72, 0x61), (23, 0x71, 0x52)],
)
def test_twelve_hours(tmp_path, hour, written, next_hour):
    bench = bench_of(tmp_path, clock("start = 2027-01-01T00:00:00\n"))
    bench.machine.i2c_write(CLOCK, 0, 0x59, 0x59, written)
    assert bench.summary()["c"]["time"].endswith(f"{hour:02}:59:59")
    bench.run(S)
    assert bench.machine.i2c_read(CLOCK, 1, 2) == [next_hour]


def test_ram_wraps_and_the_time_of_a_transaction_is_that_of_its_start(tmp_path):
    bench = bench_of(tmp_path, clock("start = 2027-01-01T00:00:59\n"))
    machine = bench.machine
    machine.i2c_write(CLOCK, 0x3E, 0xAA, 0xBB)
    assert machine.i2c_read(CLOCK, 3, 0x3E) == [0xAA, 0xBB, 0x59]
    device = machine.i2c[0, CLOCK]
    device.start(False)
    device.write(0)
    device.start(True)
    first = device.read(False)
    machine.now = 2 * S
    assert (first, device.read(True)) == (0x59, 0x00)


def test_no_time_is_refused_and_the_clock_goes_on(tmp_path):
    bench = bench_of(tmp_path, clock("start = 2027-01-01T00:00:00\n"))
    bench.machine.i2c_write(CLOCK, 4, 0x31, 0x02)  # 31 February
    bench.machine.i2c_write(CLOCK, 1, 0x6A)
    assert bench.summary()["c"]["times_refused"] == 2
    assert time_of(bench.machine) == "00 00 00 06 01 01 27"


def test_a_square_wave_of_one_hertz_falls_with_the_second(tmp_path):
    bench = bench_of(tmp_path, clock("start = 2027-01-01T00:00:00\nsquare = 3\n"))
    bench.run(300 * MS)
    bench.machine.i2c_write(CLOCK, 7, 0x10)
    bench.run(2600 * MS)
    bench.machine.i2c_write(CLOCK, 7, 0x80)
    bench.run(4 * S)
    edges = [edge for edge in driven(bench, 3) if edge[0] > 300 * MS]
    assert edges == [
        (500 * MS, 1), (1000 * MS, 0), (1500 * MS, 1), (2000 * MS, 0), (2500 * MS, 1),
        (2600 * MS, 1),
    ]  # fmt: skip


def test_faster_ones_are_waves(tmp_path):
    bench = bench_of(tmp_path, clock("start = 2027-01-01T00:00:00\nsquare = 3\n"))
    bench.machine.i2c_write(CLOCK, 7, 0x13)
    half, _, stop, _ = bench.machine.waves[3]
    assert half == pytest.approx(S / 32768 / 2) and stop is None
    bench.run(100 * MS)
    bench.machine.i2c_write(CLOCK, 7, 0x80)
    bench.run(200 * MS)
    bench.finish()
    rises = [at for at, pin, level in bench.edges if pin == 3 and level and at < 100 * MS]
    assert len(rises) == pytest.approx(3276, abs=1)  # 0.1 s of them, and no more
    assert bench.edges[-1][0] == 100 * MS


@pytest.mark.parametrize(("value", "what"), [('"now"', "not a date and a time"),
                                             ("2027-01-01T00:00:00Z", "not a date and a time"),
                                             ("1999-01-01T00:00:00", "no year 1999")])  # fmt: skip
def test_dates_are_checked(tmp_path, value, what):
    with pytest.raises(UserError, match=what):
        bench_of(tmp_path, clock(f"start = {value}\n"))


# The MPU-6050.


def motion(folder, more=""):
    bench = bench_of(folder, f'[parts.m]\ntype = "mpu6050"\naddress = {MOTION}\n{more}')
    return bench, bench.machine


def words(machine, register=0x3B, count=7):
    data = bytes(machine.i2c_read(MOTION, 2 * count, register))
    return [int.from_bytes(data[n : n + 2], "big", signed=True) for n in range(0, len(data), 2)]


MOVED = (
    'accel_x = "0.5 g"\naccel_y = "-9.80665 m/s2"\naccel_z = "1.5 g"\ngyro_x = "100 deg/s"\n'
    'gyro_y = "-200 deg/s"\ntemperature = "36.53 degC"\n'
)


def test_it_sleeps_until_it_is_woken(tmp_path):
    bench, machine = motion(tmp_path, MOVED)
    assert machine.i2c_read(MOTION, 1, 0x75) == [0x68] and machine.i2c_read(MOTION, 1, 0x6B) == [64]
    bench.run(S)
    assert words(machine) == [0] * 7
    machine.i2c_write(MOTION, 0x6B, 0)
    bench.run(S + MS)
    assert words(machine) != [0] * 7


@pytest.mark.parametrize("scale", range(4))
def test_scales_of_the_register_map(tmp_path, scale):
    bench, machine = motion(tmp_path, MOVED)
    machine.i2c_write(MOTION, 0x6B, 0)
    machine.i2c_write(MOTION, 0x1B, scale << 3, scale << 3)
    bench.run(10 * MS)
    per_g = (16384, 8192, 4096, 2048)[scale]
    per_degree = (131, 65.5, 32.8, 16.4)[scale]
    ax, ay, az, temperature, gx, gy, gz = words(machine)
    assert [ax, ay, az] == [per_g / 2, -per_g, per_g * 1.5]
    assert [gx, gy] == pytest.approx([100 * per_degree, -200 * per_degree], rel=0.002) and gz == 0
    assert temperature == 0  # (36.53 degC): T = raw / 340 + 36.53
    assert bench.summary()["m"]["clipped_samples"] == 0


def test_more_than_the_range_is_clipped_and_told(tmp_path):
    bench, machine = motion(tmp_path, 'accel_x = "3 g"\ngyro_z = "-400 deg/s"\n')
    machine.i2c_write(MOTION, 0x6B, 0)
    bench.run(10 * MS)
    found = words(machine)
    assert (found[0], found[6]) == (32767, -32768)
    assert bench.summary()["m"]["clipped_samples"] == 1


def test_samples_come_at_the_rate_set(tmp_path):
    bench, machine = motion(tmp_path, 'accel_x = [["0 s", "0 g"], ["1 s", "1 g"]]\n')
    machine.i2c_write(MOTION, 0x19, 9, 1)  # 1 kHz / 10, with the low-pass
    machine.i2c_write(MOTION, 0x6B, 0)
    bench.run(505 * MS)
    assert words(machine)[0] == pytest.approx(16384 * 0.5, abs=1)
    bench.run(509 * MS)
    assert words(machine)[0] == pytest.approx(16384 * 0.5, abs=1)
    assert machine.i2c_read(MOTION, 1, 0x3A) == [1] and machine.i2c_read(MOTION, 1, 0x3A) == [0]
    bench.run(510 * MS)
    assert words(machine)[0] == pytest.approx(16384 * 0.51, abs=1)
    assert machine.i2c_read(MOTION, 1, 0x3A) == [1]


def test_data_ready_pulses_or_stays_until_it_is_read(tmp_path):
    bench, machine = motion(tmp_path, "interrupt = 3\n")
    machine.i2c_write(MOTION, 0x19, 9, 1)  # every 10 ms
    machine.i2c_write(MOTION, 0x38, 1)
    machine.i2c_write(MOTION, 0x6B, 0)
    bench.run(25 * MS)
    edges = [edge for edge in driven(bench, 3) if edge[0]]
    assert [level for _, level in edges] == [1, 0, 1, 0]
    assert edges[1][0] - edges[0][0] == pytest.approx(50 * US, abs=2)
    assert edges[2][0] - edges[0][0] == pytest.approx(10 * MS, abs=2)
    machine.i2c_write(MOTION, 0x37, 0x20)
    bench.run(55 * MS)
    levels = [level for at, level in driven(bench, 3) if at > 26 * MS]
    assert levels == [1, 1, 1]
    machine.i2c_read(MOTION, 1, 0x3A)
    assert driven(bench, 3)[-1] == (55 * MS, 0)


def test_fifo(tmp_path):
    bench, machine = motion(tmp_path, MOVED)
    machine.i2c_write(MOTION, 0x19, 9, 1)
    machine.i2c_write(MOTION, 0x23, 0x88)  # temperature and acceleration
    machine.i2c_write(MOTION, 0x6A, 0x40)
    machine.i2c_write(MOTION, 0x6B, 0)
    bench.run(35 * MS)
    assert machine.i2c_read(MOTION, 2, 0x72) == [0, 24]
    assert words(machine, 0x74, 4) == [8192, -16384, 24576, 0]
    assert machine.i2c_read(MOTION, 2, 0x72) == [0, 16]
    bench.run(2 * S)
    assert machine.i2c_read(MOTION, 2, 0x72) == [4, 0]  # 1024: no more
    assert machine.i2c_read(MOTION, 1, 0x3A)[0] & 0x10
    assert bench.summary()["m"]["fifo_bytes_lost"] > 0
    machine.i2c_write(MOTION, 0x6A, 0x44)
    assert machine.i2c_read(MOTION, 2, 0x72) == [0, 0]


def test_what_is_not_modelled_is_told(tmp_path):
    bench, machine = motion(tmp_path)
    machine.i2c_write(MOTION, 0x1F, 2)  # threshold of motion
    machine.i2c_write(MOTION, 0x6A, 0x80)  # the motion processor
    machine.i2c_write(MOTION, 0x6C, 0)
    assert bench.summary()["m"]["registers_not_modelled"] == ["0x1f", "0x6a"]
    machine.i2c_write(MOTION, 0x6B, 0x80)
    assert machine.i2c_read(MOTION, 1, 0x6B) == [0x40]
