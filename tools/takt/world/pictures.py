"""Pictures that parts give of themselves: dots, and floors seen from above.

A picture of dots is in the page, in a file beside the report, and with its rows in the terminal;
its contents are in the JSON object as well. A floor is in the page only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

Rgb = tuple[int, int, int]
Row = list[tuple[str, str]]  # text and its colour, "#rrggbb"; "" is that of the terminal
BLACK: Rgb = (0, 0, 0)
BRAILLE = 0x2800  # U+2800, an empty cell of 2 x 4 dots
DOT = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # of a cell, row by row


@dataclass(frozen=True)
class Floor:
    """A room in cm, the way of something round through it, and perhaps a line on its floor."""

    room: tuple[float, float]
    radius: float
    path: list[list[float]]
    line: list[list[float]] | None = None
    name: str = ""


class Canvas:
    """Dots to paint on."""

    def __init__(self, width: int, height: int, ground: Rgb = BLACK) -> None:
        self.width, self.height = width, height
        self.rgb = bytearray(bytes(ground) * (width * height))

    def fill(self, x: int, y: int, width: int, height: int, colour: Rgb) -> None:
        """Paints a rectangle."""
        row = bytes(colour) * width
        for line in range(y, y + height):
            at = 3 * (line * self.width + x)
            self.rgb[at : at + len(row)] = row


@dataclass(frozen=True)
class Dots:
    """What a part shows. rows: the same for a terminal of 80 columns; name: where the part gives
    several pictures; contents: for programs, beside the rows."""

    caption: str
    canvas: Canvas
    rows: list[Row] = field(default_factory=list)
    name: str = ""
    contents: dict[str, Any] = field(default_factory=dict)


Picture = Floor | Dots


def plain(lines: Iterable[str]) -> list[Row]:
    """Rows in the terminal's own colour."""
    return [[(line, "")] for line in lines]


def boxed(lines: list[str]) -> list[str]:
    """Lines of one length, with a frame around."""
    bar = "─" * len(lines[0])
    return [f"┌{bar}┐", *(f"│{line}│" for line in lines), f"└{bar}┘"]


def braille(width: int, height: int, lit: Callable[[int, int], bool]) -> list[str]:
    """Lines in which every character is 2 x 4 dots."""

    def cell(left: int, top: int) -> str:
        seen = (DOT[y][x] for y in range(4) for x in range(2) if lit(left + x, top + y))
        return chr(BRAILLE + sum(seen))

    return ["".join(cell(x, y) for x in range(0, width, 2)) for y in range(0, height, 4)]
