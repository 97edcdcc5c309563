"""A lab's rows: long where they are few or the terminal is narrow, else a line for each case."""

from __future__ import annotations

import io

from rich.console import Console
from takt.cli.labs.lab import row
from takt.cli.labs.table import table

ROWS = [
    row(f"case-{n}", metric, n + 0.5, "us", *more)
    for n in range(30)
    for metric, more in (("least", (None, 7)), ("most", (n, n)))
]


def shown(rows: list, width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width)
    console.print(table(console, "lab on board", rows))
    return console.file.getvalue().splitlines()


def test_many_rows_stand_side_by_side():
    lines = shown(ROWS, 100)
    assert len(lines) == 30 + 7
    (line,) = (line for line in lines if "case-12 " in line)
    assert line.split("│")[2:4] == ["   12.5 ", " 12.5 (paper 12, goal 12) "]
    assert any("goal 7" in line for line in lines[:6])


def test_few_stand_below_each_other():
    (line,) = (line for line in shown(ROWS[:10], 100) if "case-3" in line and "most" in line)
    assert [cell.strip() for cell in line.split("│")[2:7]] == ["most", "3.5", "us", "3", "3"]


def test_so_do_those_a_terminal_is_too_narrow_for():
    lines = shown(ROWS, 45)
    assert len(lines) == 2 * 30 + 5 and " value " in lines[2]
