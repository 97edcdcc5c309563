"""Servo and line follower against a machine without firmware."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest
from fake_machine import FakeMachine
from takt.errors import UserError
from takt.world.bench import Bench
from takt.world.parts.line import Line
from takt.world.world import load

PINS = {f"GP{n}": n for n in range(30)} | {"A0": 26, "A1": 27, "A2": 28}
US, MS, S = 125, 125_000, 125_000_000  # cycles


def bench_of(folder, text, edges=()):
    (folder / "world.toml").write_text(text)
    machine = FakeMachine(edges)
    return Bench(machine, load(folder, SimpleNamespace(pins=PINS)), machine.hz)


def run(bench, until, control=None):
    """To a cycle, with something done every 5 ms."""
    while bench.machine.now < until:
        if control:
            control(bench)
        bench.run(min(until, bench.machine.now + 5 * MS))
    bench.finish()
    return bench.summary()


SERVO = '[parts.s]\ntype = "servo"\npin = 3\n'


def pulses(*widths_us, every=20 * MS):
    found = []
    for number, width in enumerate(widths_us, 1):
        found += [(number * every, 3, 1), (number * every + round(width * US), 3, 0)]
    return found


def test_servo_measures_pulses_and_turns_with_its_speed(tmp_path):
    steps = [544] * 5 + [2400] * 40
    found = run(bench_of(tmp_path, SERVO, pulses(*steps)), S)["s"]
    assert found["pulses"] == 45 and found["ignored_pulses"] == 0
    assert found["pulse_us"] == {"min": 544.0, "max": 2400.0}
    assert found["period_ms"] == {"min": 20.0, "max": 20.0}
    assert found["angle_deg"] == {"min": 0.0, "max": 180.0} and found["positions"] == 1
    late = run(bench_of(tmp_path, SERVO, pulses(544, 2400)), 40 * MS + 102400 * US)["s"]
    assert late["last_deg"] == pytest.approx(40, abs=0.1)  # 100 ms at 400 deg/s


def test_servo_ignores_what_is_no_servo_pulse(tmp_path):
    found = run(bench_of(tmp_path, SERVO, pulses(100, 1472, 5000)), 200 * MS)["s"]
    assert found["ignored_pulses"] == 2 and found["pulses"] == 1 and found["last_deg"] == 90.0


ROBOT = """
[parts.r]
type = "line-follower"
motors = [10, 11]
sensors = ["A0", "A1", "A2"]
encoders = [14, 15]
"""


def duty(bench, left, right):
    bench.machine.pwms.update({10: (490.0, left), 11: (490.0, right)})


def test_distances_from_a_line():
    line = Line([(0.0, 0.0), (200.0, 0.0), (200.0, 100.0), (0.0, 100.0)], 20.0)
    assert line.length == pytest.approx(600 - 8 * 20 + 4 * 32.5, abs=4)
    assert line.offset((100.0, 3.0), search_all=True) == pytest.approx(3.0)
    assert line.offset((103.0, -2.0)) == pytest.approx(-2.0)
    (x, y), heading = line.start()
    assert abs(line.offset((x, y), search_all=True)) < 0.2 and math.isfinite(heading)


def test_straight_on_it_loses_the_line(tmp_path):
    def straight(bench):
        duty(bench, 0.5, 0.5 / 0.95)

    found = run(bench_of(tmp_path, ROBOT), 4 * S, straight)["r"]
    assert found["distance_cm"] == pytest.approx(30 * (4 - 0.06), abs=0.3)
    assert found["deviation_max_cm"] > 10 and found["lost_ms"] > 500
    assert found["left_edges"] == int(found["distance_cm"] / (math.pi * 6.5 / 80))


def test_the_weak_motor_turns_it(tmp_path):
    bench = bench_of(tmp_path, ROBOT + "slots = 20\n")
    found = run(bench, S, lambda b: duty(b, 0.5, 0.5))["r"]
    assert found["right_edges"] < found["left_edges"]
    edges = [(at, level) for at, pin, level in bench.edges if pin == 14 and at > 0]
    assert [level for _, level in edges[:4]] == [1, 0, 1, 0]
    gaps = [b - a for (a, _), (b, _) in zip(edges[-5:], edges[-4:], strict=False)]
    assert gaps == pytest.approx([math.pi * 6.5 / 40 / 30 * S] * 4, rel=0.01)


def steer(bench):
    """A proportional controller, as a sketch would be."""
    volts = {channel: value for _, channel, value in bench.machine.analog[-3:]}
    left, middle, right = (volts.get(n, 0.4) - 0.4 for n in range(3))
    total = left + middle + right
    if total > 0.3:
        bench.error = (right - left) / total
    turn = 0.25 * getattr(bench, "error", 0.0)
    duty(bench, min(max(0.4 + turn, 0), 1), min(max(0.4 - turn, 0), 1))


@pytest.mark.parametrize("output", ["analog", "digital"])
def test_a_controller_keeps_it_on_the_line(tmp_path, output):
    text = ROBOT + f'output = "{output}"\n'
    bench = bench_of(tmp_path, text)

    def by_levels(bench):
        levels = {}
        for _, pin, level in bench.machine.driven:
            levels[pin] = level
        bench.machine.analog += [(0, n, 0.4 + 2.5 * levels[26 + n]) for n in range(3)]
        steer(bench)

    found = run(bench, 30 * S, steer if output == "analog" else by_levels)["r"]
    assert found["lost_ms"] == 0
    assert found["deviation_max_cm"] < 3
    assert found["laps"] > 1
    assert len(bench.world.parts["r"].pictures()[0].path) > 500


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (("[10, 11]", "[10, 14]"), "share a pin"),
        (('["A0", "A1", "A2"]', "[1, 2, 3]"), "no analog input"),
        (('["A0", "A1", "A2"]', '["A0", "A1"]'), "is not 3 pins"),
        (("[14, 15]", '[14, 15]\nline = [["1 m", "1 m"], ["2 m", "1 m"]]'), "three corners"),
        (("[14, 15]", '[14, 15]\nspeed = "3 km/h"'), "speed"),
    ],
)
def test_mistakes(tmp_path, change, what):
    with pytest.raises(UserError) as caught:
        bench_of(tmp_path, ROBOT.replace(*change))
    assert what in caught.value.what


def test_fast_edges_are_left_to_the_platform(tmp_path):
    text = '[parts.w]\ntype = "square-wave"\npin = 3\nfrequency = "1 MHz"\n'
    text += '[parts.n]\ntype = "random-edges"\npin = 4\nleast = "1 us"\nmost = "3 us"\n'
    bench = bench_of(tmp_path, text)
    found = run(bench, 100 * MS)
    assert set(bench.machine.waves) == {3, 4}
    assert found["w"]["rising_edges"] == 100_001
    assert found["n"]["edges"] == pytest.approx(50_000, rel=0.02)
    assert bench.machine.driven == []
