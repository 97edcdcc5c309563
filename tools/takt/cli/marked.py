"""Documents with parts that programs write: each between two marks."""

from __future__ import annotations


def replaced(text: str, mark: str, lines: list[str]) -> str:
    """The text with other lines between <!-- mark --> and <!-- end of mark -->."""
    start, end = f"<!-- {mark} -->", f"<!-- end of {mark} -->"
    before, found, rest = text.partition(start)
    _, also, after = rest.partition(end)
    if not found or not also:
        raise ValueError(f"the document has no {start} ... {end}")
    return before + "\n".join([start, "", *lines, "", end]) + after
