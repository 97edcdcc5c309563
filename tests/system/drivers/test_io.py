"""Pins, edges, PWM, ADC."""

from __future__ import annotations

import itertools

import pytest

EINVAL = -4
FALL, RISE = 4, 8
INPUT, ECHO, CLOCK = 2, 3, 15
LATENCY_US = {"stm32f051": 13, "uno": 75}  # from an edge to the pin its handler writes; others: 3
LATE_US = {"uno": 8}  # what the handler is told; others: 1
# The uno's timers have a few frequencies and 8 bits, its ADC has 10, of 12, and 5 V.
PWM_HZ = {"uno": 16e6 / 64 / 256}
ADC = {"uno": (5.0, 4)}  # others: 3.3 V, two steps of 12 bits off at most


def test_edges_are_told_when_they_happen(bench) -> None:
    b = bench("io")
    b.machine.log_pin(b.pin(ECHO))
    b.machine.pin_drive(b.pin(INPUT), 1)
    for level, at in ((0, 50_000), (1, 80_000), (0, 100_000), (1, 110_000)):
        b.machine.pin_drive(b.pin(INPUT), level, b.cycle(at))
    assert b.run(300_000) == "time"
    assert b.values("edge") == [FALL, RISE], "the later two come after takt_gpio_off_edge()"
    assert b.values("level") == [0, 1]
    assert b.values("calls") == [2, 2]
    late = [at - 50_000 - 30_000 * n for n, at in enumerate(b.values("at"))]
    assert len(late) == 2 and max(map(abs, late)) <= LATE_US.get(b.board, 1)
    rises = [us for us, level in b.edges(ECHO) if level == 1]
    assert [
        us - at < LATENCY_US.get(b.board, 3) for us, at in zip(rises, (50_000, 80_000), strict=True)
    ] == [True] * 2


def test_a_thread_that_sleeps_keeps_its_period(bench) -> None:
    b = bench("io")
    b.machine.log_pin(b.pin(CLOCK))
    b.run(100_000)
    edges = b.edges(CLOCK)
    steps = [later[0] - sooner[0] for sooner, later in itertools.pairwise(edges[1:])]
    assert len(steps) > 95
    assert all(900 < step < 1100 for step in steps)
    assert abs(sum(steps) / len(steps) - 1000) < 1


def test_pwm_and_adc(bench) -> None:
    b = bench("io")
    hz = PWM_HZ.get(b.board, 1000)
    volts, off_by = ADC.get(b.board, (3.3, 2))
    near, off = (1e-2, 1 / 128) if b.board == "uno" else (1e-3, 1e-3)
    b.adc_set("ADC_A", 1.0)
    b.adc_set("ADC_B", 5.0)
    b.run(5_000)
    assert b.machine.pin_pwm(b.pin("PWM_A")) == (
        pytest.approx(hz, rel=near),
        pytest.approx(0.25, abs=off),
    )
    assert b.machine.pin_pwm(b.pin("PWM_B")) == (pytest.approx(hz, rel=near), 1.0)
    b.run(15_000)
    if b.board != "uno":
        assert b.machine.pin_pwm(b.pin("PWM_A")) == pytest.approx((440, 0.5), rel=1e-3)
    b.machine.log_pin(b.pin("PWM_A"))
    b.run(50_000)
    if b.board == "uno":  # a square wave, which a timer there makes by toggling
        assert len(b.edges("PWM_A")) == pytest.approx(2 * 440 * 0.035, abs=1)
    assert b.machine.pin_pwm(b.pin("PWM_B")) is None
    assert b.values("adc0") == [pytest.approx(1.0 / volts * 4095, abs=off_by)]
    assert b.values("adc3") == [4095]
    names = ("bad_pin", "bad_edges", "bad_pwm", "bad_hz", "bad_adc")
    assert [b.values(name) for name in names] == [[EINVAL]] * len(names)
    assert -2 * LATE_US.get(b.board, 0.5) <= b.values("uptime_ahead")[0] <= 0
    assert b.machine.unimplemented() == []
