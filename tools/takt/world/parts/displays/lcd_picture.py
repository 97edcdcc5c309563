"""What a display of characters looks like: dots of dark ink on a lit ground, and a box of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from takt.world.parts.displays import hd44780_characters as characters
from takt.world.pictures import Canvas, Dots, Rgb, boxed, plain

if TYPE_CHECKING:
    from takt.world.parts.displays.lcd1602 import Lcd1602

DOT, GAP, BETWEEN, MARGIN = 4, 1, 4, 16  # pixels: of a dot, between dots, characters, around
STEP = DOT + GAP
WIDE, HIGH = characters.WIDTH * STEP + BETWEEN, characters.HEIGHT * STEP + BETWEEN
LIT: tuple[Rgb, Rgb, Rgb] = ((158, 194, 54), (150, 184, 50), (33, 47, 20))  # ground, cell, ink
UNLIT: tuple[Rgb, Rgb, Rgb] = ((74, 88, 40), (70, 83, 37), (22, 30, 15))


def lcd_dots(lcd: Lcd1602) -> Dots:
    """Its picture."""
    ground, cell, ink = LIT if lcd.light else UNLIT
    rows = len(lcd.rows)
    canvas = Canvas(lcd.columns * WIDE + 2 * MARGIN, rows * HIGH + 2 * MARGIN, ground)
    chip, cursor = lcd.chip, lcd.cursor()
    for row, first in enumerate(lcd.rows):
        shown = chip.visible(first, lcd.columns) or b""
        for column in range(lcd.columns):
            code = shown[column] if shown else ord(" ")
            dots = list(characters.dots(code, chip.patterns))
            if cursor == (row, column) and chip.blinks:
                dots = [0x1F] * characters.HEIGHT
            elif cursor == (row, column) and chip.cursor:
                dots[-1] = 0x1F
            _character(canvas, row, column, dots, (cell, ink))
    lines = [line.ljust(lcd.columns) for line in lcd.lines()]
    own = chip.patterns.hex(" ", characters.HEIGHT) if any(chip.patterns) else None
    caption = f"{lcd.columns} x {rows} characters" + ("" if chip.on else ", off")
    return Dots(caption, canvas, plain(boxed(lines)), contents={"lines": lines, "own": own})


def _character(
    canvas: Canvas, row: int, column: int, dots: list[int], colours: tuple[Rgb, Rgb]
) -> None:
    left, top = MARGIN + column * WIDE, MARGIN + row * HIGH
    for y, line in enumerate(dots):
        for x in range(characters.WIDTH):
            colour = colours[line >> characters.WIDTH - 1 - x & 1]
            canvas.fill(left + x * STEP, top + y * STEP, DOT, DOT, colour)
