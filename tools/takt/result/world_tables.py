"""Parts of the world in the report of `takt run`: their figures, and what they look like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(
            f"{key} {f'{v:g}' if isinstance(v, float) else v}" for key, v in value.items()
        )
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= 90 else text[:87] + "..."


def facts(summary: Mapping[str, dict[str, Any]], table: Table) -> Table:
    """One line per part."""
    for name, values in summary.items():
        words = ", ".join(
            f"{key.replace('_', ' ')} {_value(v)}"
            for key, v in values.items()
            if v not in (None, [])
        )
        table.add_row(Text(name, style="bold"), Text(words))
    return table


def pictures(told: Mapping[str, dict[str, Any]]) -> list[RenderableType]:
    """Of each its caption and its rows, which are never wrapped."""
    parts: list[RenderableType] = []
    for name, picture in told.items():
        if picture["rows"]:
            rows = (Text.assemble(*map(tuple, row)) for row in picture["rows"])
            seen = Text("\n", no_wrap=True, overflow="crop").join(rows)
            caption = Text(f"{name}, {picture['caption']}:", style="dim")
            parts += [caption, Padding(seen, (0, 0, 0, 2)), ""]
    return parts
