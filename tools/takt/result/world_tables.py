"""Parts of the world in the report of `takt run`: their figures, and what they look like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

LONGEST = 90  # characters of a value


def _value(value: Any, within: bool = False) -> str:
    """within: a list, so that one in it has spaces only."""
    if isinstance(value, dict):
        return " ".join(f"{key} {_value(one)}" for key, one in value.items())
    if isinstance(value, list):
        return _items(value, within)
    if isinstance(value, float):
        return f"{value + 0.0:.10g}"  # -0.0 + 0.0 is 0.0
    text = str(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def _items(items: list[Any], within: bool) -> str:
    """As many as there is room for; texts in quotes where it is not clear else where one ends."""
    texts = [one for one in items if isinstance(one, str)]
    quoted = any(not text or " " in text or "," in text for text in texts)
    words = [
        f'"{one}"' if quoted and isinstance(one, str) else _value(one, within=True) for one in items
    ]
    shown = len(words)
    while shown > 1 and len(", ".join(words[:shown])) > LONGEST:
        shown -= 1
    more = f" and {len(words) - shown} more" if shown < len(words) else ""
    return (" " if within else ", ").join(words[:shown]) + more


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
