"""What the examples with devices on buses, a servo and a robot are for."""

from __future__ import annotations

import re

import pytest
from conftest import EXAMPLES, takt


def by_name(result):
    return {thread["name"]: thread for thread in result["threads"]}


def test_scanner_finds_everybody_also_after_the_bus_was_stuck(run):
    result = run("wire-scanner", 6)
    lines = result["serial"].split("\r\n")[:-1]
    assert len(lines) == 5
    assert set(lines) == {"devices at 0x8, 0x20, 0x2C"}
    assert result["world"]["fault"]["begun_ms"] == 3500.0
    assert result["world"]["arduino"]["writes"] >= 5


def test_scanner_in_flash_is_told_what_it_waited(tmp_path):
    words = "run", EXAMPLES / "wire-scanner", "--seconds", "2", "--out", tmp_path
    said = takt(*words, "--flash").stdout
    assert re.search(r"^loop 1 waited [\d.]+ us for \d+ words of flash", said, re.MULTILINE)
    assert "words of flash" not in takt(*words).stdout


def test_a_bus_that_stays_stuck_is_reported_empty(run, sketch):
    source = (EXAMPLES / "wire-scanner/wire-scanner.ino").read_text()
    world = (EXAMPLES / "wire-scanner/world.toml").read_text().replace("clocks = 9", "")
    result = run(sketch(source, world, "stuck"), 8)
    lines = result["serial"].split("\r\n")[:-1]
    assert lines[0] == "devices at 0x8, 0x20, 0x2C"
    assert lines[-1] == "nobody there"


def test_wiper_goes_all_the_way_and_nobody_waits_for_the_bus(run):
    result = run("wire-potentiometer", 8)
    world = result["world"]
    assert world["resistor"]["positions"] == [0, 63]
    assert 155 <= world["resistor"]["sets"] <= 160  # every 50 ms
    assert world["wiper"]["volts"] == [0.0, 3.3]
    assert re.search("A0 from 0 to 10(07|23)", result["serial"])  # the world follows in steps
    assert by_name(result)["loop 2"]["response_max_us"] < 1000


def test_six_wipers(run):
    result = run("spi-potentiometer", 8)
    found = result["world"]["resistors"]
    assert found["lowest"] == [0] * 6 and found["highest"] == [255] * 6
    assert found["wrong_transfers"] == 0 and found["sets"] > 700
    ups = dict(re.findall(r"channel (\d) is up: (.*)\r", result["serial"]))
    assert ups["0"] == "A0 1023, A1 0" and ups["1"] == "A0 0, A1 1023"


def test_servo_sweeps_whatever_else_runs(run):
    result = run("servo-sweep", 8)
    servo = result["world"]["servo"]
    assert servo["pulses"] == pytest.approx(400, abs=2) and servo["ignored_pulses"] == 0
    assert servo["pulse_us"]["min"] == pytest.approx(544, abs=1)
    assert servo["pulse_us"]["max"] == pytest.approx(2400, abs=1)
    assert servo["period_ms"]["max"] - servo["period_ms"]["min"] < 0.01
    assert servo["angle_deg"] == {"min": pytest.approx(0, abs=1), "max": pytest.approx(180, abs=1)}
    assert by_name(result)["loop 2"]["background_us"] > 0


@pytest.mark.wide
def test_robot_keeps_to_the_line_and_no_edge_is_lost(run):
    result = run("line-follower", 60)
    robot = result["world"]["robot"]
    assert robot["laps"] > 2.5
    # The largest depends on where in a curve samples fall: 0.8 to 1.7 as the start moves by 1 us.
    assert robot["lost_ms"] == 0 and robot["deviation_max_cm"] < 2
    assert robot["deviation_mean_cm"] < 0.4
    counts = re.findall(r"edges (\d+) and (\d+), merged (\d+)", result["serial"])
    assert {merged for _, _, merged in counts} == {"0"}
    for told, made in zip(counts[-1], (robot["left_edges"], robot["right_edges"]), strict=False):
        assert made * (1 - 3.5 / 60) < int(told) <= made  # it was told up to 2 s before the end


def test_without_their_share_handlers_hear_nothing_and_loops_do_not_mind(run, sketch):
    source = (EXAMPLES / "line-follower/line-follower.ino").read_text()
    assert "interruptsVcpu(3, 100)" in source
    deaf = sketch(
        source.replace("interruptsVcpu(3, 100)", "interruptsVcpu(0, 100)"),
        (EXAMPLES / "line-follower/world.toml").read_text(),
        "deaf",
    )
    result = run(deaf, 10)
    assert "edges 0 and 0" in result["serial"]
    assert all(thread["misses"] == 0 for thread in result["threads"])


EXPANDER = """
#include <Wire.h>
const int expander = 0x20;
volatile bool changed;

void set(int reg, int value) {
  Wire.beginTransmission(expander);
  Wire.write((uint8_t)reg);
  Wire.write((uint8_t)value);
  Wire.endTransmission();
}

int get(int reg) {
  Wire.beginTransmission(expander);
  Wire.write((uint8_t)reg);
  Wire.endTransmission(false);
  Wire.requestFrom(expander, 1);
  return Wire.read();
}

void onChange() { changed = true; }

void setup() {
  Serial.begin(115200);
  Wire.begin();
  set(0x09, 0);     // port 1: output, low, strong
  set(0x18, 1);
  set(0x21, 0xFF);
  set(0x18, 0);     // port 0: input, pulled up, bit 0 interrupts
  set(0x1C, 0xFF);
  set(0x19, 0xFE);
  get(0x10);
  pinMode(3, INPUT);
  attachInterruptVcpu(3, onChange, RISING, 1, 10);
}

void loop(1, 5, 20) {
  if (changed) {
    changed = false;
    if (get(0x10) & 1) {
      int pressed = !(get(0x00) & 1);
      set(0x09, pressed ? 0x04 : 0x00);
      Serial.println(pressed ? "down" : "up");
    }
  }
  delay(5);
}
"""
EXPANDER_WORLD = """
[parts.gpio]
type = "cy8c9540a"
interrupt = 3
[parts.button]
type = "button"
pin = "gpio.0.0"
press = [["100 ms", "200 ms"], ["700 ms", "100 ms"]]
[parts.lamp]
type = "led"
pin = "gpio.1.2"
"""


def test_an_expander_wired_to_a_pico(run, sketch):
    result = run(sketch(EXPANDER, EXPANDER_WORLD, "expander"), 1)
    assert result["serial"] == "down\r\nup\r\ndown\r\nup\r\n"
    world = result["world"]
    assert world["gpio"]["interrupts"] == 4
    assert world["lamp"]["on_ms"]["min"] == pytest.approx(100, abs=8)
    assert world["lamp"]["on_ms"]["max"] == pytest.approx(200, abs=8)


def test_a_storm_of_edges_is_cheap_and_counted(run, sketch):
    source = """
    volatile unsigned long seen;
    void edge() { seen = seen + 1; }
    void setup() {
      interruptsVcpu(5, 100);
      attachInterruptVcpu(2, edge, RISING, 1, 10);
      attachInterruptVcpu(3, edge, CHANGE, 1, 10);
    }
    void loop(1, 50, 100) { seen = seen; }
    """
    world = """
    [parts.storm]
    type = "square-wave"
    pin = 2
    frequency = "1 MHz"
    start = "500 ms"
    stop = "3500 ms"
    [parts.noise]
    type = "random-edges"
    pin = 3
    least = "1 us"
    most = "101 us"
    """
    result = run(sketch(source, world, "storm"), 4)
    assert result["world"]["storm"] == {"rising_edges": 3_000_000, "hz": 1e6}
    assert result["world"]["noise"]["edges"] == pytest.approx(4e6 / 51, rel=0.01)
    loop = by_name(result)["loop 1"]
    assert loop["misses"] == 0 and loop["cpu_us_min"] >= loop["least_us"]
