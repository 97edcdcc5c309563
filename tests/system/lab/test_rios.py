"""RIOS's figures: every metric is there, and goals that are reached stay so."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from takt import boards
from takt.cli.labs import lab
from takt.cli.labs import records as lab_records

lab.available()
from takt_lab_rios import fig7, fig8  # noqa: E402

BOARD = "atmega324p"


@cache
def rows(name: str) -> dict[tuple[str, str], dict[str, Any]]:
    made = {"fig7": fig7, "fig8": fig8}[name].measure(boards.load(BOARD), {})
    return {(row["case"], row["metric"]): row for row in made["rows"]}


def test_every_lab_is_there() -> None:
    assert {one.name for one in lab.chosen("rios.all")} == {
        "rios.fig7",
        "rios.fig8",
        "rios.releases",
    }


def test_figure_7_the_stack() -> None:
    """The third task returns when all lengths that interrupt it have gone by: 10 + 100 + 500, and
    10, and 110 again."""
    found = {metric: row for (_, metric), row in rows("fig7").items()}
    assert found["frames_max"]["value"] == 4 and found["frames_max"]["paper"] == 5
    assert found["third_returns_ms"]["value"] == pytest.approx(730, abs=0.2)
    assert found["preemptions"]["value"] == 2
    assert found["stack_bytes_max"]["value"] < 64


def test_figure_7_frames_are_nested() -> None:
    """Each task's frame lies upon the one below for as long as it is there."""
    made = fig7.measure(boards.load(BOARD), {})["config"]["frames"]
    for name, level, start, end in made:
        below = [f for f in made if f[1] == level - 1 and f[2] <= start and end <= f[3]]
        assert name == "main" or len(below) == 1
    assert [f[0] for f in made if f[0].startswith("T")][:4] == ["T1", "T2", "T3", "T1"]


@pytest.mark.parametrize(
    ("case", "most_us", "most_bytes"),
    [("takt-task", 750, 450), ("takt-task-port", 540, 480), ("takt-task-1ms", 3800, None)],
)
def test_figure_8_goals(case: str, most_us: float, most_bytes: int | None) -> None:
    found = {metric: row for (name, metric), row in rows("fig8").items() if name == case}
    assert found["overhead_us_per_s"]["value"] <= most_us == found["overhead_us_per_s"]["goal"]
    assert most_bytes is None or found["text_data_bytes"]["value"] <= most_bytes
    assert found["irq_off_max_us"]["value"] < 25


@pytest.mark.parametrize(
    ("case", "most_us"),
    [("takt-thread", 10_000), ("takt-thread-1ms", 190_000), ("takt-task-port-1ms", 9_500),
     ("takt-task-1ms-look-every-tick", 13_500)],
)  # fmt: skip
def test_figure_8_other_cases(case: str, most_us: float) -> None:
    """Dearer than tasks, and than fewer ticks, and no dearer than they are known to be."""
    overhead = {name: row["value"] for (name, metric), row in rows("fig8").items()
                if metric == "overhead_us_per_s"}  # fmt: skip
    plain = overhead["takt-thread" if "thread" in case else "takt-task-port"]
    assert overhead["takt-task"] < overhead[case] and plain <= overhead[case] < most_us


@pytest.mark.parametrize("name", ["fig7", "fig8"])
def test_the_page_shows_these_figures(name: str) -> None:
    """What it shows of what is recorded: test_pages.py."""
    recorded = {(r["case"], r["metric"]): r for r in lab_records.load(f"rios.{name}").rows}
    assert recorded == rows(name), f"./takt lab run rios.{name} --record writes them anew"


def test_a_tick_of_1_ms_is_one() -> None:
    """1000 interrupts a second, not 40."""
    made = fig8.programs(boards.load(BOARD))["takt-task-1ms"][0]
    machine = made.machine()
    machine.run(8_000_000 // 10)
    for vector in ("__vector_13", "__vector_14"):
        machine.break_at(machine.symbol(vector))
    ticks, end = 0, machine.now + 8_000_000
    while machine.run(end).reason == "break":
        ticks += 1
    assert ticks >= 1000
