"""Photoresistor, potentiometer and PIR against a machine without firmware."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from bench_of import MS, PINS, S, driven, run
from takt.world.world import load

LIGHT = '[parts.l]\ntype = "photoresistor"\npin = "A0"\nlight = {}\n'


@pytest.mark.parametrize(
    ("lux", "more", "ohm"),
    [
        (10, "", 15e3),
        (100, "", 15e3 / 10**0.7),
        (10, 'at_10_lx = "8 kOhm"\n', 8e3),
        (0, "", 1e6),
        (0.001, "", 1e6),
    ],
)
def test_divider(tmp_path, lux, more, ohm):
    bench = run(tmp_path, LIGHT.format(f'"{lux} lx"') + more, MS)
    [(_, channel, volts)] = bench.machine.analog
    assert channel == 0 and volts == pytest.approx(3.3 * 10e3 / (10e3 + ohm))
    text = LIGHT.format(f'"{lux} lx"') + more + 'side = "ground"\nresistor = "4.7 kOhm"\n'
    [(_, _, volts)] = run(tmp_path, text, MS).machine.analog
    assert volts == pytest.approx(3.3 * ohm / (4.7e3 + ohm))


def test_light_changes(tmp_path):
    bench = run(tmp_path, LIGHT.format('[["10 ms", "1 lx"], ["20 ms", "1 klx"]]'), 50 * MS)
    volts = [volts for _, _, volts in bench.machine.analog]
    assert volts == sorted(volts) and 10 <= len(set(volts)) <= 12
    assert bench.summary()["l"]["volts"] == [round(volts[0], 4), round(volts[-1], 4)]


@pytest.mark.parametrize(("volts", "wanted"), [(5.0, 2.5), (3.3, 1.65)])
def test_the_supply_is_the_boards(tmp_path, volts, wanted):
    text = '[parts.p]\ntype = "potentiometer"\npin = "A0"\nposition = "50 %"\n'
    (tmp_path / "world.toml").write_text(text)
    world = load(tmp_path, SimpleNamespace(pins=PINS, raw={"adc": {"volts": volts}}))
    assert world.parts["p"].volts(0.5, world.volts) == wanted


def pir(motion, more=""):
    return f'[parts.p]\ntype = "pir"\npin = 3\nmotion = {motion}\nhold = "2 s"\n{more}'


@pytest.mark.parametrize(
    ("motion", "wanted", "missed"),
    [
        ('[["1 s", "1 s"]]', [(1, 1), (4, 0)], 0),
        ('[["1 s", "1 s"], ["3 s", "2 s"]]', [(1, 1), (7, 0)], 0),  # before it fell
        ('[["1 s", "1 s"], ["5 s", "1 s"]]', [(1, 1), (4, 0)], 1),  # blind until 6.5 s
        ('[["1 s", "1 s"], ["5 s", "3 s"]]', [(1, 1), (4, 0), (6.5, 1), (10, 0)], 0),
    ],
)
def test_pir(tmp_path, motion, wanted, missed):
    bench = run(tmp_path, pir(motion), 20 * S)
    assert driven(bench, 3)[1:] == [(at * S, level) for at, level in wanted]
    found = bench.summary()["p"]
    assert found["detections"] == len(wanted) // 2 and found["missed_while_blind"] == missed
