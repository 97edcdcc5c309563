"""The rows of a lab for people: one below the other; where there are many, a line for each case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from takt.cli.labs.lab import FIELDS

MANY = 40  # rows
WIDE = 10_000  # characters: as wide as a table likes


def table(console: Console, title: str, rows: Sequence[dict[str, Any]]) -> Table:
    """All rows, as the console has room for them."""
    if len(rows) > MANY:
        crossed = _crossed(title, rows)
        as_it_likes = console.options.update(width=WIDE)
        if console.measure(crossed, options=as_it_likes).maximum <= console.width:
            return crossed
    found = Table(title=title, title_justify="left")
    for heading in FIELDS:
        found.add_column(heading, justify="right" if heading == "value" else "left")
    for row in rows:
        found.add_row(*("" if row[f] is None else _text(row[f]) for f in FIELDS))
    return found


def _crossed(title: str, rows: Sequence[dict[str, Any]]) -> Table:
    found = Table(title=title, title_justify="left")
    found.add_column("case")
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    of = {metric: [row for row in rows if row["metric"] == metric] for metric in metrics}
    one_goal = {metric for metric in metrics if len(_goals(of[metric])) <= 1}
    for metric in metrics:
        goals = _goals(of[metric]) if metric in one_goal else set[Any]()
        goal = f"goal {_text(goals.pop())}" if goals else ""
        unit = next((row["unit"] for row in of[metric] if row["unit"]), "")
        heading = "\n".join(part for part in (metric, unit, goal) if part)
        found.add_column(heading, justify="right")
    cells = {(row["case"], row["metric"]): row for row in rows}
    for case in dict.fromkeys(row["case"] for row in rows):
        line = [_cell(cells.get((case, metric)), metric not in one_goal) for metric in metrics]
        found.add_row(case, *line)
    return found


def _goals(rows: Sequence[dict[str, Any]]) -> set[Any]:
    return {row["goal"] for row in rows if row["goal"] is not None}


def _cell(row: dict[str, Any] | None, with_goal: bool) -> str:
    if row is None or row["value"] is None:
        return ""
    more = [f"paper {_text(row['paper'])}"] if row["paper"] is not None else []
    more += [f"goal {_text(row['goal'])}"] if with_goal and row["goal"] is not None else []
    return _text(row["value"]) + (f" ({', '.join(more)})" if more else "")


def _text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
