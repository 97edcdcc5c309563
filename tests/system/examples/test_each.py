"""What each example is for."""

from __future__ import annotations

import re

import pytest
from conftest import EXAMPLES, more_us


def by_name(result):
    return {thread["name"]: thread for thread in result["threads"]}


def test_blink(run):
    result = run("blink")
    led = result["world"]["led"]
    assert led["toggles"] == 10
    assert 1000 <= led["on_ms"]["min"] <= led["on_ms"]["max"] < 1000.1
    assert 1000 <= led["off_ms"]["min"] <= led["off_ms"]["max"] < 1000.1
    loop = by_name(result)["loop"]
    assert (loop["budget_us"], loop["period_us"]) == (None, None)  # alone it needs none


def test_two_blinks_do_not_disturb_each_other(run):
    world = run("two-blinks")["world"]
    fast, slow = world["fast"], world["slow"]
    assert fast["toggles"] == 67 and slow["toggles"] == 10
    for led, on, off in ((fast, 130, 170), (slow, 1000, 1000)):
        assert on <= led["on_ms"]["min"] <= led["on_ms"]["max"] < on + 0.1
        assert off <= led["off_ms"]["min"] <= led["off_ms"]["max"] < off + 0.1


def test_rover_never_hits_the_wall(run):
    result = run("rover", 60)
    wheels, sonar = result["world"]["wheels"], result["world"]["sonar"]
    assert wheels["collisions"] == 0
    assert wheels["travelled_cm"] > 1000
    interval = wheels["actuation_interval_ms"]
    assert 100 <= interval["min"] <= interval["max"] <= 103
    assert interval["max"] - interval["min"] <= 1
    assert wheels["actuations"] >= 598
    assert sonar["measurements"] >= 270
    assert sonar["trigger_too_short"] == sonar["trigger_while_busy"] == sonar["no_echo"] == 0


def test_rover_is_admitted_although_the_papers_bound_fails(run):
    admission = run("rover", 60)["admission"]
    assert admission["verdict"] == "admitted" and admission["exact"]["holds"]
    assert not admission["eq1"]["holds"]
    assert admission["u_total"] == pytest.approx(0.9)


def test_a_rover_that_does_not_look_hits_the_wall(run, sketch):
    source = (EXAMPLES / "rover/rover.ino").read_text()
    assert "distance > 100" in source
    blind = sketch(
        source.replace("distance > 100", "distance >= 0"),
        (EXAMPLES / "rover/world.toml").read_text(),
        "blind",
    )
    wheels = run(blind, 8)["world"]["wheels"]
    assert wheels["collisions"] == 1
    assert 5500 < wheels["collision_ms"][0] < 6000  # 2.9 m to go at 50 cm/s


def test_find_prime_finds_all_primes_and_keeps_its_half(run):
    result = run("find-prime")
    lines = result["serial"].split("\r\n")
    counts = [re.fullmatch(r"(\d+) primes in ms: (\d+)", line) for line in lines[:-1]]
    assert len(counts) >= 5 and all(counts)
    assert {m[1] for m in counts} == {"7837"}  # primes below 80000
    threads = by_name(result)
    for name, budget in (("loop 1", 50_000), ("loop 2", 20_000), ("loop 3", 20_000)):
        thread = threads[name]
        assert thread["exhausted"] >= 99
        assert thread["least_us"] <= thread["cpu_us_min"]
        assert thread["cpu_us_max"] <= budget + more_us()
    # The tenth that nobody has a budget for goes to the first in line, less the kernel's part.
    assert 960_000 < threads["loop 1"]["background_us"] < 1_000_000
    assert threads["loop 2"]["background_us"] == threads["loop 3"]["background_us"] == 0


def test_button_switches_the_lamp_once_per_press(run):
    result = run("button-channel")
    world = result["world"]
    assert world["button"]["presses"] == 14
    assert world["lamp"]["toggles"] == 14
    assert result["serial"].split("\r\n") == [f"presses: {n}" for n in range(1, 15)] + [""]
    delay = world["lamp"]["first_ms"] - world["button"]["press_ms"][0]
    assert 0 < delay < 3 + 4 * 3 + 11  # bouncing, readings, the lamp's own rhythm
