"""Servo: pulses as they are at the pins."""

from __future__ import annotations

import itertools

import pytest

PLAIN, NARROW = 9, 3


@pytest.fixture(scope="module")
def done(run):
    r = run("servos")
    for pin in (PLAIN, NARROW):
        r.machine.log_pin(r.chip(pin))
    r.to(0.7)
    us = r.session.build.board.clock_hz / 1_000_000
    r.edges = [(c / us, p, level) for c, p, level in r.session.bench.edges if p in (PLAIN, NARROW)]
    return r


def pulses(done, pin: int) -> list[tuple[float, float]]:
    """(start in s, width in us) of each whole pulse."""
    edges = [(us, level) for us, p, level in done.edges if p == pin]
    pairs = itertools.pairwise(edges)
    return [(a[0] / 1e6, b[0] - a[0]) for a, b in pairs if a[1] == 1 and b[1] == 0]


@pytest.mark.parametrize(
    "pin, widths", [(PLAIN, [1500, 544, 2400, 700]), (NARROW, [1500, 1250, 2000, 1000])]
)
def test_pulses_have_the_widths_written(done, pin: int, widths: list[int]) -> None:
    found = [width for _, width in pulses(done, pin)]
    nearest = [min(widths, key=lambda width: abs(width - one)) for one in found]
    assert [width for width, _ in itertools.groupby(nearest)] == widths
    assert found == [pytest.approx(width, abs=1) for width in nearest]


def test_they_come_every_20_ms(done) -> None:
    starts = [at for at, _ in pulses(done, NARROW)]
    assert len(starts) > 30
    steps = [later - sooner for sooner, later in itertools.pairwise(starts)]
    assert all(step == pytest.approx(0.02, rel=1e-3) for step in steps)


def test_a_detached_servo_is_left_alone(done) -> None:
    assert max(at for at, _ in pulses(done, PLAIN)) < 0.45
    assert done.machine.pin_level(done.chip(PLAIN)) == 0


def test_what_a_servo_says_of_itself(done) -> None:
    expected = {
        "before": 0, "attach": PLAIN, "attached": 1, "narrow": NARROW, "no_pin": 255,
        "no_range": 255, "read45": 45, "read180": 180, "us": 700, "read0": 0, "detached": 0,
    }  # fmt: skip
    assert {name: done.values(name) for name in expected} == {k: [v] for k, v in expected.items()}
