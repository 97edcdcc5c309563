"""examples/eight-loops in 4 KB of RAM and 16 KB of flash."""

from __future__ import annotations

import pytest
from conftest import Ran
from takt import boards
from takt.build.build import build
from takt.cli.size import measure
from takt.paths import ROOT

EXAMPLE = ROOT / "examples" / "eight-loops"
SECONDS = 60
PUMP, ALARM = 6, 4
# s: duty of the pump's PWM, of 255. Pressed at 5, 13, 21, ... s; the knob is turned at 15 and 46 s,
# and the power follows at 50 a second. From 30 to 33 s there is no water: after 2 s of that, alarm,
# and the pump goes down until it turns too slowly to tell, which ends the alarm; then up again.
DUTY = {4: 152, 12: 0, 20: 76, 28: 0, 32: 76, 32.6: 50, 34: 76, 44: 0, 52: 228, 59.9: 0}


def minute(built) -> tuple[Ran, dict[float, float]]:
    """The program after a minute, and the duty of the pump's PWM at the times of DUTY."""
    ran, duty = Ran(built), {}
    bench = ran.session.bench

    def look(at: float) -> None:
        found = bench.pwm(PUMP)
        duty[at] = found[1] * 255 if found else 0.0

    for at in DUTY:
        bench.at(bench.cycles(at * 1e9), lambda at=at: look(at))
    return ran.to(SECONDS), duty


def check(ran: Ran, duty: dict[float, float], trace: bool) -> None:
    """What the world must have seen, and the loops have had."""
    world = ran.session.bench.summary()
    assert duty == {at: pytest.approx(power, abs=4) for at, power in DUTY.items()}
    assert world["knob"]["volts"] == [pytest.approx(0.99), pytest.approx(2.97)]
    assert world["meter"]["rising_edges"] == pytest.approx(350 * (SECONDS - 3.1), abs=2)
    assert world["alarm"]["toggles"] == 2 and not world["alarm"]["lit"]
    assert world["alarm"]["first_ms"] == pytest.approx(32_000, abs=250)
    assert world["alarm"]["on_ms"]["min"] == pytest.approx(600, abs=101)
    assert world["terminal"]["lines"] in (SECONDS - 1, SECONDS)
    assert world["button"]["presses"] == 7
    assert "flow 35 power 1" in ran.text
    assert 2 * SECONDS - 2 <= world["lamp"]["toggles"] <= 2 * SECONDS
    if not trace:
        return
    assert len(ran.threads) == 8
    for name, thread in ran.threads.items():
        assert thread["misses"] == thread["starved"] == 0, name
        assert thread["response_max_us"] <= thread["bound_us"] <= thread["period_us"], name
    busy = ran.threads["loop 8"]
    assert busy["cpu_us_min"] >= busy["least_us"]


def test_it_runs_for_a_minute_without_a_miss(tmp_path) -> None:
    ran, duty = minute(build(EXAMPLE, boards.load("stm32f051"), out=tmp_path))
    assert ran.result.stats.lost == 0
    check(ran, duty, trace=True)


@pytest.mark.parametrize("trace", [False, True])
def test_it_fits(tmp_path, trace: bool) -> None:
    """With trace, whose ring lies in the RAM that the program does not have, misses are seen."""
    built = build(EXAMPLE, boards.load("stm32f051-4k"), trace=trace, out=tmp_path)
    size = measure(built).as_dict()
    assert size["ram_bytes"] <= 4096
    if not trace:
        assert size["flash_bytes"] <= 16384
    check(*minute(built), trace)


def test_a_damaged_program_is_noticed(tmp_path) -> None:
    ran = Ran(build(EXAMPLE, boards.load("stm32f051-4k"), trace=False, out=tmp_path)).to(1)
    assert not ran.machine.pin_level(ran.chip(ALARM))
    unused = ran.machine.symbol("__takt_flash_end") - 1  # initial .data, copied long ago
    ran.machine.write(unused, bytes([ran.machine.read(unused, 1)[0] ^ 1]))
    ran.to(2)
    assert ran.machine.pin_level(ran.chip(ALARM))
