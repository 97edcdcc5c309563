"""What the examples with sensors, motors and keys are for."""

from __future__ import annotations

import re

import pytest
from conftest import EXAMPLES


def lines(result):
    return result["serial"].split("\r\n")[:-1]


def test_a_door_opens_with_the_right_code_only(run):
    result = run("door-lock", 7)
    world = result["world"]
    assert lines(result) == ["wrong", "open"]
    assert world["keypad"]["presses"] == 9
    heard = world["buzzer"]["start_hz_length"]
    high = [n for n, key in enumerate("250#2580#") if key == "#"]
    assert [hz for _, hz, _ in heard] == pytest.approx(
        [880 if n in high else 440 for n in range(9)], rel=0.001
    )
    assert all(55 < length < 70 for _, _, length in heard) and world["buzzer"]["clicks"] == 0
    assert world["latch"]["toggles"] == 2
    assert world["latch"]["on_ms"]["min"] == pytest.approx(2000, abs=25)
    assert world["light"]["on_ms"]["min"] == pytest.approx(6000, abs=15)  # 500 ms to 4.5 s, and 2 s


def test_a_knob_turns_a_motor_and_sends_it_home(run):
    result = run("knob-motor", 6)
    motor = result["world"]["motor"]
    assert max(int(line.split()[1]) for line in lines(result)) == 100  # ten detents
    assert lines(result)[-2:] == ["at 50", "at 0"]
    assert motor["steps"] == motor["told_steps"] == motor["lost_steps"] == 0
    assert motor["fastest_hz"] == pytest.approx(250, rel=0.02)


def test_a_motor_that_cannot_follow_loses_steps(run, sketch):
    source = (EXAMPLES / "knob-motor/knob-motor.ino").read_text()
    world = (EXAMPLES / "knob-motor/world.toml").read_text()
    motor = run(sketch(source, world.replace("300 Hz", "125 Hz"), "slow"), 3)["world"]["motor"]
    assert motor["told_steps"] >= 50 and motor["lost_steps"] != 0 and motor["lost_steps"] % 4 == 0


def test_weather_by_hand(run):
    result = run("weather-log", 6)
    found = [
        re.fullmatch(r"(\S+)  ([\d.]+) C  ([\d.]+) hPa  light (\d+)", line)
        for line in lines(result)
    ]
    times, celsius, pressure, light = zip(*(match.groups() for match in found), strict=True)
    assert times == ("23:59:57", "23:59:58", "23:59:59", "00:00:00", "00:00:01", "00:00:02")
    assert [float(one) for one in celsius[1:]] == pytest.approx(
        [23 - n if n < 3 else 20 for n in range(5)], abs=0.3
    )
    assert float(pressure[-1]) == pytest.approx(1009, abs=0.11)
    assert int(light[0]) > 900 and int(light[-1]) < 200
    assert result["world"]["lamp"]["lit"] and result["world"]["lamp"]["toggles"] == 1


def test_a_platform_is_kept_level(run):
    result = run("spirit-level", 5)
    world = result["world"]
    assert lines(result)[:3] == ["tilt 10", "tilt 20", "tilt 30"]
    assert world["servo"]["angle_deg"]["min"] == pytest.approx(60, abs=1)
    assert world["servo"]["last_deg"] == pytest.approx(90, abs=1)
    assert world["platform"]["registers_not_modelled"] == []
    assert world["lamp"]["toggles"] == 3 and world["lamp"]["off_ms"]["min"] == pytest.approx(
        1870, abs=60
    )


def test_thermometers_bit_by_bit(run):
    result = run("thermometers", 6)
    world = result["world"]
    said = lines(result)
    assert len(said) == 9 and said[-1] == "air: -3.5 C, 71.5 %"
    assert [line for line in said if line.startswith("B2")] == ["B2: -10.13 C"] * 3
    warm = [float(line.split()[1]) for line in said if line.startswith("A1")]
    assert warm == pytest.approx([18.5, 22.6, 26.5], abs=0.3)
    for name in ("pool", "ice"):
        assert world[name]["malformed_slots"] == world[name]["unknown_commands"] == 0
    assert world["air"]["measurements"] == world["air"]["answers"] == 3
