"""pipes.schedule with fewer sets: never unsafe, at least what Algorithm 1 accepts."""

from __future__ import annotations

import pytest
from takt import boards
from takt.cli.labs import lab

lab.available()
from takt_lab_pipes import bus, schedule  # noqa: E402


def test_goals_hold_where_others_are_shown_to_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "SETS", 24)
    monkeypatch.setattr(schedule, "LOADS", (60, 80, 95))
    rows = schedule.measure(boards.load("sim"), {})["rows"]
    found = {(row["case"], row["metric"]): row for row in rows}
    accepted = [r for r in rows if r["metric"] == "accepted_pct" and r["case"].startswith("takt")]
    assert len(accepted) == 2 * 3 + 2 * 1 + 1
    for row in accepted:
        assert row["goal"] is not None and row["value"] >= row["goal"], row
    safe = [r for r in rows if r["metric"] == "unsafe_pct" and r["goal"] is not None]
    assert safe and all(row["value"] == 0 for row in safe)
    assert found["exhaustive-small95", "accepted_pct"]["value"] > 0
    for cause in ("whole-micro-frame", "any-interval"):
        assert found[f"algorithm1-printed-{cause}", "unsafe_pct"]["value"] > 0
    assert found["linux-first-fit-load80", "accepted_pct"]["value"] < 50


def test_printed_algorithm_takes_what_is_beyond_its_table() -> None:
    """One stream more on a full bus: its loop over the table is empty."""
    full = [(bus.WHOLE, 1), (50_000, 2048), (100_000, 4096)]
    offsets = bus.printed(full)
    assert offsets == [0, 1024, 1024]
    assert bus.overloaded(full, offsets, bus.WHOLE)


def test_what_overloads_is_seen_after_the_wrap() -> None:
    streams = [(70_000, 3), (70_000, 1000)]
    offsets = bus.printed(streams)
    assert offsets is not None and bus.overloaded(streams, offsets, bus.WHOLE)
