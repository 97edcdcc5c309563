"""The display RAM of an SSD1306, where its pointers go, and which dot of the panel shows what.

64 rows in 8 pages of 128 columns; a byte is 8 rows of one column, the top one its lowest bit
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

WIDTH, ROWS, PAGES = 128, 64, 8


class Mode(IntEnum):
    """What moves when a byte has come."""

    HORIZONTAL = 0  # the column; at the end of the window the page
    VERTICAL = 1  # the page; at the end of the window the column
    PAGE = 2  # the column, which begins again


class Memory:
    """The RAM and the registers that say what goes where."""

    def __init__(self, noise: Iterable[int]) -> None:
        self.bytes = bytearray(noise)  # by page and segment
        assert len(self.bytes) == WIDTH * PAGES
        self.reset()

    def reset(self) -> None:
        """The RAM stays as it is."""
        self.mode = Mode.PAGE
        self.columns, self.pages = (0, WIDTH - 1), (0, PAGES - 1)  # the window
        self.column = self.page = 0
        self.mirrored = False  # of segments, for what is written from now on
        self.start_line, self.offset, self.lines = 0, 0, ROWS
        self.upwards = False  # the scan of COM outputs

    def columns_between(self, first: int, last: int) -> None:
        """Sets the window's sides; the pointer goes to its beginning."""
        self.columns, self.column = (first, last), first

    def pages_between(self, first: int, last: int) -> None:
        """The same of pages."""
        self.pages, self.page = (first, last), first

    def write(self, byte: int) -> None:
        """Display data."""
        segment = WIDTH - 1 - self.column if self.mirrored else self.column
        self.bytes[self.page * WIDTH + segment] = byte
        if self.mode == Mode.PAGE:
            self.column = (self.column + 1) % WIDTH
        elif self.mode == Mode.HORIZONTAL:
            self.column, around = _next(self.column, self.columns, WIDTH)
            if around:
                self.page, _ = _next(self.page, self.pages, PAGES)
        else:
            self.page, around = _next(self.page, self.pages, PAGES)
            if around:
                self.column, _ = _next(self.column, self.columns, WIDTH)

    def output(self, com: int) -> int | None:
        """The row of the RAM that a COM output shows; None: it is not scanned."""
        scanned = self.lines - 1 - com if self.upwards else com
        row = (scanned + self.offset) % ROWS
        return (row + self.start_line) % ROWS if row < self.lines else None

    def dot(self, segment: int, row: int) -> bool:
        """A bit of the RAM."""
        return bool(self.bytes[row // 8 * WIDTH + segment] >> row % 8 & 1)


def _next(value: int, window: tuple[int, int], size: int) -> tuple[int, bool]:
    """One on, and whether that began anew."""
    return (window[0], True) if value == window[1] else ((value + 1) % size, False)
