"""Figures of parts as the report has them."""

from __future__ import annotations

import pytest
from rich.console import Console
from rich.table import Table
from takt.result import world_tables


def told(**values) -> str:
    console = Console(width=400)
    with console.capture() as capture:
        console.print(world_tables.facts({"part": values}, Table(box=None, show_header=False)))
    return capture.get().strip().removeprefix("part").strip()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-330.0, "-330"),
        (0.0, "0"),
        (-0.0, "0"),
        (21.63, "21.63"),
        (1234567.5, "1234567.5"),
        (["01000000", "00000010"], "01000000, 00000010"),
        (["Temp 21.0", "", "Hum 50 %"], '"Temp 21.0", "", "Hum 50 %"'),
        ({"min": 500.0, "max": 500.5}, "min 500 max 500.5"),
        ([[1000.0, 440.0], [2000.0, 880.5]], "1000 440, 2000 880.5"),
        ({"calls": ["closed, sent 3", "open"]}, 'calls "closed, sent 3", "open"'),
    ],
)
def test_values(value, text):
    assert told(steps=value) == f"steps {text}"


def test_a_long_list_ends_with_a_whole_item():
    text = told(notes=[[n * 1000.0 + 0.5, 440.25, 62.5] for n in range(40)])
    shown, _, more = text.removeprefix("notes ").rpartition(" and ")
    notes = shown.split(", ")
    count = len(notes)
    assert more == f"{40 - count} more" and 1 < count < 40
    assert all(
        one == f"{n * 1000 + 0.5:.10g} 440.25 62.5" for n, one in enumerate(shown.split(", "))
    )
    assert len(text) < 120
