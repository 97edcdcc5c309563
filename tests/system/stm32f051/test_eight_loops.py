"""examples/eight-loops in 4 KB of RAM and 16 KB of flash."""

from __future__ import annotations

import pytest
from conftest import Ran
from takt import boards
from takt.build import build
from takt.paths import ROOT
from takt.size import measure

EXAMPLE = ROOT / "examples" / "eight-loops"
SECONDS = 60


def check(ran: Ran, trace: bool) -> None:
    """What the world must have seen, and the loops have had."""
    world = ran.session.bench.summary()
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
    assert busy["cpu_us_min"] >= busy["budget_us"]


def test_it_runs_for_a_minute_without_a_miss(tmp_path) -> None:
    ran = Ran(build(EXAMPLE, boards.load("stm32f051"), out=tmp_path)).to(SECONDS)
    assert ran.result.stats.lost == 0
    check(ran, trace=True)


@pytest.mark.parametrize("trace", [False, True])
def test_it_fits(tmp_path, trace: bool) -> None:
    """With trace, whose ring lies in the RAM that the program does not have, misses are seen."""
    built = build(EXAMPLE, boards.load("stm32f051-4k"), trace=trace, out=tmp_path)
    size = measure(built).as_dict()
    assert size["ram_bytes"] <= 4096
    if not trace:
        assert size["flash_bytes"] <= 16384
    ran = Ran(built).to(SECONDS)
    check(ran, trace)
