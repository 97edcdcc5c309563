"""Arduino's functions: every row is there, and goals that are reached stay so."""

from __future__ import annotations

import pytest
from takt import boards
from takt.cli.labs import lab

lab.available()
from takt_lab_arduino import core, cycles, sizes  # noqa: E402

UNO = boards.load("uno")


def test_every_call_is_reached() -> None:
    rows = cycles.measure(UNO, {})["rows"]
    assert {row["case"] for row in rows} == {cycles.shown(name) for name in cycles.names()}
    own = [row for row in rows if row["metric"] == "cycles"]
    assert all(row["value"] <= row["goal"] for row in own if row["goal"]), own


@pytest.mark.parametrize("name", ["empty", "Blink"])
def test_sizes_of_plain_loops(name: str) -> None:
    flash, ram = sizes.ours(name, sizes.UNO)
    assert (flash or 0) <= sizes.GOALS[name][0] and (ram or 0) <= sizes.GOALS[name][1]


def test_arduinos_core_is_as_published() -> None:
    """To the byte, where it is the same sketch: so it is compiled as there."""
    if not core.is_here():
        pytest.skip("Debian's package arduino-core-avr is not here")
    for name, published in sizes.PUBLISHED.items():
        assert sizes.theirs(name) == published
