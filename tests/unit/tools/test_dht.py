"""DHT22 and DHT11, read by a driver that knows the data sheet only: highs of 26 or 70 us."""

from __future__ import annotations

import itertools

import pytest
from bench_of import MS, US, S, driven, run
from takt.errors import UserError


def start(at, low):
    """The board's edges: low for so long, then let go."""
    return [(at, 2, 0), (at + low, 2, 1)]


def frames(bench):
    """(us from the board's release to the answer, bytes) of each answer on pin 2."""
    levels = driven(bench, 2)
    answers = []
    for n, (at, level) in enumerate(levels):
        if level == 0 and (not answers or at - answers[-1][-1][0] > MS):
            answers.append([])
        if levels and answers:
            answers[-1].append(levels[n])
    return [decoded(answer) for answer in answers]


def decoded(levels):
    lengths = [(b[0] - a[0]) / US for a, b in itertools.pairwise(levels)]
    assert lengths[0] == lengths[1] == 80
    assert len(lengths) == 2 + 80 + 1 and lengths[-1] == 50
    bits = ""
    for low, high in zip(lengths[2::2], lengths[3::2], strict=False):
        assert low == 50 and high in (26, 70)
        bits += "1" if high == 70 else "0"
    data = int(bits, 2).to_bytes(5, "big")
    assert sum(data[:4]) & 0xFF == data[4]
    return levels[0][0], data[:4]


DHT = '[parts.s]\ntype = "{}"\npin = 2\ntemperature = {}\nhumidity = "{} %"\n'


@pytest.mark.parametrize(
    ("kind", "celsius", "humidity", "wanted"),
    [
        ("dht22", '"35.1 degC"', 65.2, "028c015f"),  # the data sheet's example
        ("dht22", '"-10.1 degC"', 65.2, "028c8065"),  # and that below zero
        ("dht22", '"0 degC"', 0, "00000000"),
        ("dht22", '"80 degC"', 100, "03e80320"),
        ("dht11", '"23 degC"', 45, "2d001700"),
        ("dht11", '"50 degC"', 90, "5a003200"),
    ],
)
def test_answers_what_the_data_sheet_says(tmp_path, kind, celsius, humidity, wanted):
    at, low = 2 * S, 20 * MS
    bench = run(tmp_path, DHT.format(kind, celsius, humidity), 3 * S, start(at, low))
    [(begun, data)] = frames(bench)
    assert data.hex() == wanted
    assert 20 * US <= begun - (at + low) <= 40 * US
    assert bench.machine.pulled_up == {2} and 2 in bench.machine.watched
    assert bench.summary()["s"]["answers"] == 1


@pytest.mark.parametrize(("kind", "least"), [("dht22", 1 * MS), ("dht11", 18 * MS)])
def test_wants_a_start_that_is_long_enough(tmp_path, kind, least):
    edges = start(2 * S, least - US) + start(2 * S + 100 * MS, least)
    bench = run(tmp_path, DHT.format(kind, '"20 degC"', 50), 3 * S, edges)
    assert len(frames(bench)) == 1
    assert bench.summary()["s"]["start_too_short"] == 1


@pytest.mark.parametrize(("kind", "interval"), [("dht22", 2), ("dht11", 1)])
def test_does_not_measure_again_within_its_interval(tmp_path, kind, interval):
    rising = '[["0 s", "10 degC"], ["40 s", "50 degC"]]'
    edges = [e for at in (4, 4 + interval * 0.9, 8) for e in start(round(at * S), 20 * MS)]
    bench = run(tmp_path, DHT.format(kind, rising, 50), 10 * S, edges)
    first, again, later = (data for _, data in frames(bench))
    assert first == again != later
    found = bench.summary()["s"]
    assert found["asked_too_soon"] == 1 and found["measurements"] == 2


def test_says_nothing_in_its_first_second(tmp_path):
    bench = run(tmp_path, DHT.format("dht22", '"20 degC"', 50), 2 * S, start(S // 2, 2 * MS))
    assert frames(bench) == []
    assert bench.summary()["s"]["asked_in_first_second"] == 1


def test_pulling_while_it_answers_is_counted(tmp_path):
    edges = [*start(2 * S, 2 * MS), (2 * S + 3 * MS, 2, 0), (2 * S + 5 * MS, 2, 1)]
    bench = run(tmp_path, DHT.format("dht22", '"20 degC"', 50), 3 * S, edges)
    assert bench.summary()["s"]["pulled_while_answering"] == 1 and len(frames(bench)) == 1


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (DHT.format("dht22", '"81 degC"', 50), "'81 degC' is too large"),
        (DHT.format("dht11", '"-1 degC"', 50), "'-1 degC' is too small"),
        (DHT.format("dht11", '"20 degC"', 10), "'10 %' is too small"),
    ],
)
def test_refuses_what_it_cannot_measure(tmp_path, text, what):
    with pytest.raises(UserError, match=what) as caught:
        run(tmp_path, text, 0)
    assert caught.value.where.endswith(("world.toml:4", "world.toml:5"))
