"""What documents show of labs: tables, goals, single figures, between marks."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from takt.cli.labs import pages as lab_pages
from takt.cli.labs import records as lab_records
from takt.cli.labs.lab import Lab, Outcome, by_case, row

ROWS = [
    row("takt-3", "overruns", 0, "", None, 0),
    row("takt-3", "least_fps", 2715, "frames/s", None, 2730),
    row("linux-3", "overruns", 309, "", 230),
]
ACCOUNT = ["", "why:", "  59  switch"]


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Two labs of one group, with and without a form, and what is recorded of them."""
    rest = {"at_least": frozenset({"least_fps"})}
    labs = {
        "g.long": Lab("g.long", lambda *_: {}, "", **rest),
        "g.crossed": Lab("g.crossed", lambda *_: {}, "", form=by_case, **rest),
    }
    said = SimpleNamespace(rows=ROWS)
    monkeypatch.setattr(lab_pages, "available", lambda: labs)
    monkeypatch.setattr(
        lab_records, "load", lambda name: Outcome(name, "pico", {}, said.rows, ACCOUNT)
    )
    return said


def written(text: str, tmp_path: Path) -> list[str]:
    page = tmp_path / "README.md"
    page.write_text(text)
    return lab_pages.written(page).splitlines()


def block(mark: str) -> str:
    return f"before\n<!-- {mark} -->\nold\n<!-- end of {mark} -->\nbehind\n"


def test_a_table_has_a_line_for_each_row(known, tmp_path: Path) -> None:
    assert written(block("table g.long"), tmp_path) == [
        "before",
        "<!-- table g.long -->",
        "",
        "| case | metric | ours | paper | goal | met |",
        "| --- | --- | --- | --- | --- | --- |",
        "| takt-3 | `overruns` | 0 |  | 0 | yes |",
        "| takt-3 | `least_fps` | 2715 frames/s |  | 2730 | **no** |",
        "| linux-3 | `overruns` | 309 | 230 |  |  |",
        "",
        "<!-- end of table g.long -->",
        "behind",
    ]


def test_or_a_line_for_each_case(known, tmp_path: Path) -> None:
    assert written(block("table g.crossed"), tmp_path)[3:-3] == [
        "|  | `overruns` | `least_fps` (frames/s) |",
        "| --- | --- | --- |",
        "| takt-3 | 0 | **2715** |",
        "| linux-3 | 309 (paper 230) |  |",
        "| goal | 0 | 2730 |",
    ]


def test_goals_of_which_there_are_several_stand_in_the_cells(known, tmp_path: Path) -> None:
    known.rows = [row("a", "us", 3, "us", None, 2), row("b", "us", 3, "us", None, 4)]
    assert written(block("table g.crossed"), tmp_path)[5:7] == [
        "| a | **3** (goal 2) |",
        "| b | 3 (goal 4) |",
    ]


def test_goals_say_what_misses_them(known, tmp_path: Path) -> None:
    told = written(block("goals g"), tmp_path)[5:-3]
    assert told[0] == "| g.long | `overruns` | at most 0 | 0 | yes |"
    assert told[1].startswith(
        "| g.long | `least_fps` | at least 2730 frames/s | 2715 frames/s | **no"
    )
    assert told[1].endswith(": takt-3 2715 |")
    several = (("a", -0.2, 0.1), ("b", 0.1, 0.1), ("c", 7, 9))
    known.rows = [row(case, "pct", value, "%", None, goal) for case, value, goal in several]
    assert written(block("goals g"), tmp_path)[5] == (
        "| g.long | `pct` | at most 0.1 to 9 % | -0.2 to 7 % | **1 of 3 not**: a -0.2 (goal 0.1) |"
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("takt-3|least_fps", "2715"),
        ("takt-3|least_fps|/1000|.2f", "2.71"),
        ("takt-3|least_fps|*1000|,.0f", "2 715 000"),
        ("*|overruns|max", "309"),
        ("*|overruns|min", "0"),
    ],
)
def test_a_figure_in_a_line(known, tmp_path: Path, asked: str, said: str) -> None:
    text = "It is <!-- value g.long|{} -->{}<!-- end of value --> here.\n"
    assert written(text.format(asked, "old"), tmp_path) == [text.format(asked, said).strip()]


@pytest.mark.parametrize("asked", ["*|overruns", "takt-4|overruns", "takt-3|underruns"])
def test_a_figure_that_is_not_one(known, tmp_path: Path, asked: str) -> None:
    with pytest.raises(ValueError, match=r"stands for \d figures"):
        written(f"<!-- value g.long|{asked} -->1<!-- end of value -->", tmp_path)


def test_an_account(known, tmp_path: Path) -> None:
    told = written(block("account g.long"), tmp_path)
    assert told[3:-3] == ["```", "why:", "  59  switch", "```"]


def test_a_block_without_an_end(known, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="has no <!-- table"):
        written("<!-- table g.long -->\n", tmp_path)


def test_an_outcome_is_read_as_it_is_written(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(lab_records, "FOLDER", tmp_path)
    monkeypatch.setattr(lab_records, "save_picture", lambda name: None)
    (tmp_path / "g").mkdir()
    for outcome in (
        Outcome("g.long", "pico", {"a": [1, 2], "b": {"c": "d"}}, ROWS, ACCOUNT),
        Outcome("g.short", "sim", {}, [], []),
    ):
        lab_records.save(outcome)
        assert lab_records.load(outcome.lab) == outcome
        lab_records.load.cache_clear()


def test_what_is_measured_otherwise_is_told() -> None:
    of_clock = Lab("g.x", lambda *_: {}, "", varies=lambda row: row["unit"] == "ns")
    then = Outcome("g.x", "pico", {}, [*ROWS, row("a", "took", 5, "ns"), row("gone", "m", 1, "")])
    now = Outcome(
        "g.x", "pico", {}, [{**ROWS[0], "value": 1}, *ROWS[1:], row("a", "took", 9, "ns")]
    )
    told = lab_records.differences(of_clock, then, now)
    assert told == [
        "('gone', 'm') is recorded only",
        "('takt-3', 'overruns'): 0  (paper None, goal 0) recorded, now 1  (paper None, goal 0)",
    ]
    other = Outcome("g.x", "pico", {}, then.rows, ACCOUNT)
    assert lab_records.differences(of_clock, then, other) == ["the account is another"]
    assert not lab_records.differences(of_clock, then, then)
