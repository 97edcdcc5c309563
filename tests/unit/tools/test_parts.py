"""Parts against a machine without firmware: exact times, in cycles at 125 MHz."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from fake_machine import FakeMachine
from takt.world.bench import Bench
from takt.world.parts.hc_sr04 import echo_ns
from takt.world.world import load

PINS = {f"GP{n}": n for n in range(30)} | {"A0": 26, "A1": 27, "LED_BUILTIN": 25}
US, MS, S = 125, 125_000, 125_000_000  # cycles


def run(folder, text, until, edges=()):
    (folder / "world.toml").write_text(text)
    world = load(folder, SimpleNamespace(pins=PINS))
    machine = FakeMachine(edges)
    bench = Bench(machine, world, machine.hz)
    while machine.now < until:
        assert bench.run(min(until, machine.now + 10 * MS)) is None
    bench.finish()
    return bench


SONAR = '[parts.sonar]\ntype = "hc-sr04"\ntrig = 11\necho = 2\ndistance = {}\n'


def echoes(bench):
    return [(at, level) for at, pin, level in bench.machine.driven if pin == 2 and at > 0]


@pytest.mark.parametrize(
    ("cm", "us"), [(10, 583.090), (100, 5830.904), (400, 23323.615), (401, 38000), (1, 116.618)]
)
def test_echo_lasts_as_long_as_sound_travels(cm, us):
    assert echo_ns(cm) == round(us * 1000)


def test_sonar_answers_the_falling_edge(tmp_path):
    bench = run(tmp_path, SONAR.format('"1 m"'), 50 * MS, [(1000, 11, 1), (1000 + 10 * US, 11, 0)])
    rise = 1000 + 10 * US + 460 * US
    assert echoes(bench) == [(rise, 1), (rise + round(5830.904 * US), 0)]
    assert bench.summary()["sonar"]["measurements"] == 1


def test_sonar_wants_ten_microseconds(tmp_path):
    bench = run(
        tmp_path, SONAR.format('"1 m"'), 50 * MS, [(1000, 11, 1), (1000 + 10 * US - 1, 11, 0)]
    )
    assert echoes(bench) == []
    assert bench.summary()["sonar"]["trigger_too_short"] == 1


def test_sonar_ignores_triggers_while_measuring(tmp_path):
    pulses = []
    for at in (0, 3 * MS, 20 * MS):
        pulses += [(at + 10, 11, 1), (at + 10 + 12 * US, 11, 0)]
    bench = run(tmp_path, SONAR.format('"1 m"'), 50 * MS, pulses)
    assert len(echoes(bench)) == 4
    assert bench.summary()["sonar"]["trigger_while_busy"] == 1


def test_sonar_measures_a_schedule_and_no_echo(tmp_path):
    pulses = []
    for at in (1 * S, 2 * S, 4 * S):
        pulses += [(at, 11, 1), (at + 12 * US, 11, 0)]
    text = SONAR.format('[["0 s", "1 m"], ["2 s", "3 m"], ["2 s", "5 m"]]')
    bench = run(tmp_path, text, 5 * S, pulses)
    lengths = [b[0] - a[0] for a, b in zip(echoes(bench)[::2], echoes(bench)[1::2], strict=True)]
    assert lengths[0] == pytest.approx(2 * 200.0012 / 34300 * S, abs=2)
    assert lengths[1:] == [38 * MS, 38 * MS]
    assert bench.summary()["sonar"]["no_echo"] == 2


def test_button_presses_with_bounce_are_the_same_every_time(tmp_path):
    text = (
        '[parts.b]\ntype = "button"\npin = 3\npress = [["10 ms", "20 ms"]]\n'
        'bounce = "2 ms"\npull = "resistor"\n'
    )
    first = run(tmp_path, text, 50 * MS).machine.driven
    assert first == run(tmp_path, text, 50 * MS).machine.driven
    assert first[0] == (0, 3, 1)
    chatter = [d for d in first if 10 * MS <= d[0] < 12 * MS]
    assert len(chatter) >= 2
    assert [d for d in first if 12 * MS <= d[0] < 30 * MS] == [(12 * MS, 3, 0)]
    assert first[-1] == (32 * MS, 3, 1)


def test_button_series_and_board_pull(tmp_path):
    text = (
        '[parts.b]\ntype = "button"\npin = 3\nfirst = "5 ms"\nevery = "10 ms"\nhold = "1 ms"\n'
        "count = 3\n"
    )
    bench = run(tmp_path, text, 100 * MS)
    assert bench.machine.driven[1:] == [
        (5 * MS, 3, 0),
        (6 * MS, 3, None),
        (15 * MS, 3, 0),
        (16 * MS, 3, None),
        (25 * MS, 3, 0),
        (26 * MS, 3, None),
    ]
    assert bench.summary()["b"]["presses"] == 3


@pytest.mark.parametrize(("hz", "rising"), [("10 Hz", 10), ("1 kHz", 1000), ("300 Hz", 300)])
def test_square_wave_never_drifts(tmp_path, hz, rising):
    text = f'[parts.w]\ntype = "square-wave"\npin = 3\nfrequency = "{hz}"\nduty = "25 %"\n'
    bench = run(tmp_path, text, S - 1)
    edges = [(at, level) for at, _, level in bench.edges]
    ups = [at for at, level in edges if level == 1]
    assert ups == [round(n * S / rising) for n in range(rising)]
    assert bench.summary()["w"]["rising_edges"] == rising
    downs = [at for at, level in edges if level == 0 and at > 0]
    assert downs[1] == round(1.25 * S / rising)


def test_square_wave_pauses(tmp_path):
    text = (
        '[parts.w]\ntype = "square-wave"\npin = 3\nfrequency = "100 Hz"\n'
        'pauses = [["200 ms", "300 ms"], ["700 ms", "10 ms"]]\n'
    )
    bench = run(tmp_path, text, S - 1)
    ups = [at // MS for at, _, level in bench.edges if level == 1]
    assert ups == [*range(0, 200, 10), *range(500, 700, 10), *range(710, 1000, 10)]
    assert bench.summary()["w"]["rising_edges"] == len(ups)


def test_potentiometer_follows_its_schedule(tmp_path):
    text = (
        '[parts.p]\ntype = "potentiometer"\npin = "A1"\n'
        'position = [["10 ms", "0 %"], ["20 ms", "100 %"]]\n'
    )
    bench = run(tmp_path, text, 50 * MS)
    volts = {at // MS: volts for at, channel, volts in bench.machine.analog if channel == 1}
    assert volts[10] == 0 and volts[15] == pytest.approx(1.65) and volts[20] == pytest.approx(3.3)
    assert max(volts) == 20


def test_led_reports_lit_times(tmp_path):
    edges = [(n * 500 * MS, 25, n % 2) for n in range(1, 8)]
    found = run(tmp_path, '[parts.l]\ntype = "led"\npin = 25\n', 4 * S, edges).summary()["l"]
    assert found["toggles"] == 7
    assert found["on_ms"] == found["off_ms"] == {"min": 500.0, "max": 500.0}
    assert found["lit_share"] == 0.5


def test_terminal_types_and_reads(tmp_path):
    (tmp_path / "world.toml").write_text(
        '[parts.t]\ntype = "serial-terminal"\nsend = [["2 ms", "hi\\n"]]\n'
    )
    machine = FakeMachine()
    machine.output = [(n * US, ord(c)) for n, c in enumerate("a\r\nb\r\n")]
    bench = Bench(machine, load(tmp_path, SimpleNamespace(pins=PINS)), machine.hz)
    bench.run(5 * MS)
    assert machine.sent == [(2 * MS, 0, b"hi\n")]
    assert bench.text() == "a\r\nb\r\n"
    assert bench.summary()["t"] == {"sent_bytes": 3, "received_bytes": 6, "lines": 2}


STIMULI = """
[[stimuli]]
at = "1 ms"
every = "2 ms"
count = 2
pin = 5
level = "high"
pulse = "10 us"
[[stimuli]]
at = "4 ms"
pin = "A0"
volts = "1.5 V"
"""


def test_stimuli(tmp_path):
    machine = run(tmp_path, STIMULI, 20 * MS).machine
    assert machine.driven == [
        (MS, 5, 1),
        (MS + 10 * US, 5, 0),
        (3 * MS, 5, 1),
        (3 * MS + 10 * US, 5, 0),
    ]
    assert machine.analog == [(4 * MS, 0, 1.5)]


ROVER = """
[parts.r]
type = "rover"
left = [8, 9]
right = [6, 7]
room = ["4 m", "3 m"]
start = ["1 m", "1.5 m"]
speed = "50 cm/s"
track = "14 cm"
radius = "10 cm"
heading = "{heading} deg"
"""
FORWARD = [(MS, 8, 1), (MS, 6, 1)]


def test_rover_drives_straight_and_hits_the_wall(tmp_path):
    bench = run(tmp_path, ROVER.format(heading=0), 2 * S, FORWARD)
    rover = bench.world.parts["r"]
    assert rover.x == pytest.approx(100 + 50 * 1.999) and rover.y == pytest.approx(150)
    assert rover.quantity("distance_cm", 2 * S) == pytest.approx(400 - rover.x - 10)
    bench = run(tmp_path, ROVER.format(heading=0), 10 * S, FORWARD)
    found = bench.summary()["r"]
    assert found["collisions"] == 1
    assert found["collision_ms"][0] == pytest.approx(1 + 290 / 50 * 1000, abs=2)
    assert found["position_cm"] == [390.0, 150.0]


def test_rover_turns_in_place(tmp_path):
    turn = [(MS, 8, 1), (MS, 7, 1)]  # left forward, right backward: to the right
    bench = run(tmp_path, ROVER.format(heading=0), 1 * S + MS, turn)
    rover = bench.world.parts["r"]
    assert rover.x == pytest.approx(100) and rover.travelled == 0
    degrees = -(2 * 50 / 14) * 180 / 3.141592653589793
    assert bench.summary()["r"]["heading_deg"] == pytest.approx(
        (degrees + 180) % 360 - 180, abs=0.1
    )


@pytest.mark.parametrize(
    ("heading", "distance"),
    [
        (0, 290.0),
        (90, 140.0),
        (180, 90.0),
        (-90, 140.0),
        (10, 290.0 + 10 - 10 * 0.98481),  # the wall ahead lies within the beam
        (45, (150 - 7.0711) / 0.8660254),
    ],  # the left wall, at the beam's edge: 30 deg off
)
def test_rover_sees_the_nearest_wall_in_its_beam(tmp_path, heading, distance):
    bench = run(tmp_path, ROVER.format(heading=heading), MS)
    assert bench.world.parts["r"].quantity("distance_cm", MS) == pytest.approx(distance, abs=0.01)


def test_actuation_intervals_are_between_bursts_of_writes(tmp_path):
    edges = []
    for start in (100 * MS, 200 * MS + 40 * US, 301 * MS):
        edges += [(start + n * US, pin, 1) for n, pin in enumerate((8, 9, 6, 7))]
    found = run(tmp_path, ROVER.format(heading=0), S // 2, edges).summary()["r"]
    assert found["actuations"] == 3
    assert found["actuation_interval_ms"] == {"min": 100.04, "mean": 100.5, "max": 100.96}
