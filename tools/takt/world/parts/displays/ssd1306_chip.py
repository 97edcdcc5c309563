"""SSD1306: the controller of small OLED displays (Solomon Systech), as bytes of data and commands
reach it.

The supply of the dots is its charge pump, as on all modules: they are dark until 8Dh, 14h and AFh
have come.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from takt.world.parts.displays.ssd1306_memory import PAGES, ROWS, WIDTH, Memory, Mode

PARAMETERS = {  # commands of several bytes: how many follow
    **{0x20: 1, 0x21: 2, 0x22: 2, 0x26: 6, 0x27: 6, 0x29: 5, 0x2A: 5, 0x81: 1, 0x8D: 1, 0xA3: 2},
    **{0xA8: 1, 0xD3: 1, 0xD5: 1, 0xD9: 1, 0xDA: 1, 0xDB: 1, 0x23: 1, 0xD6: 1},
}
NOTHING_SEEN = {0xD5, 0xD9, 0xDB, 0xE3, 0x2E, 0xA3}  # clock, precharge, VCOMH, NOP, no scrolling
NOT_MODELLED = {
    **dict.fromkeys((0x26, 0x27, 0x29, 0x2A, 0x2F), "scrolling"),
    **{0x23: "fading and blinking", 0xD6: "zoom"},
}
FEWEST_ROWS = 16
PUMP, TURNS, DISPLAY_OFF = 0x04, 0x10, 0x40  # bits of parameters and of the status
RESET_CONTRAST = 0x7F


class Ssd1306Chip:
    """The controller of a panel of so many rows. noise: what the RAM holds after power-on."""

    def __init__(self, height: int, noise: Iterable[int]) -> None:
        self.height = height
        self.memory = Memory(noise)
        self.held = False  # in reset
        self.commands = self.data = self.resets = self.ignored = 0
        self.unknown: set[int] = set()
        self.left_out: set[str] = set()
        self._begin()

    def _begin(self) -> None:
        self.memory.reset()
        self.on = self.inverted = self.all_lit = self.pump = False
        self.contrast = RESET_CONTRAST
        self.coming: list[int] = []  # a command that lacks parameters

    def reset(self, held: bool) -> None:
        """The reset terminal is low, or high again."""
        self.resets += held
        self.held = held
        self._begin()

    def take(self, byte: int, data: bool) -> None:
        """A byte of display data, or of a command."""
        if self.held:
            self.ignored += 1
        elif data:
            self.data += 1
            self.memory.write(byte)
        else:
            self.coming.append(byte)
            if len(self.coming) > PARAMETERS.get(self.coming[0], 0):
                command, *parameters = self.coming
                self.coming = []
                self.commands += 1
                self._obey(command, parameters)

    def status(self) -> int:
        """What is read."""
        return 0 if self.on else DISPLAY_OFF

    def lit(self, segment: int, com: int) -> bool:
        """Whether the dot at two outputs gives light."""
        row = self.memory.output(com)
        if not (self.on and self.pump) or row is None:
            return False
        return self.all_lit or self.memory.dot(segment, row) != self.inverted

    def _obey(self, command: int, parameters: list[int]) -> None:
        memory = self.memory
        if command < 0x10:
            memory.column = memory.column & 0x70 | command
        elif command < 0x20:
            memory.column = (command & 7) << 4 | memory.column & 0x0F
        elif 0x40 <= command < 0x80:
            memory.start_line = command & 0x3F
        elif 0xB0 <= command < 0xB8:
            memory.page = command & 7
        elif 0xC0 <= command < 0xD0:
            memory.upwards = bool(command & 8)
        elif command in DEEDS:
            DEEDS[command](self, *parameters)
        elif command in NOT_MODELLED:
            self.left_out.add(NOT_MODELLED[command])
        elif command not in NOTHING_SEEN:
            self.unknown.add(command)

    def _mode(self, mode: int) -> None:
        if mode & 3 in list(Mode):
            self.memory.mode = Mode(mode & 3)
        else:
            self.left_out.add("addressing mode 3")

    def _multiplex(self, ratio: int) -> None:
        rows = ratio % ROWS + 1
        if rows >= FEWEST_ROWS:
            self.memory.lines = rows
        else:
            self.left_out.add(f"{rows} rows")

    def _com_pins(self, how: int) -> None:
        """The panel of 64 rows hangs on the outputs by turns, that of 32 in their order."""
        if how & 0x30 != (TURNS if self.height == ROWS else 0):
            self.left_out.add(f"COM outputs in the order {how:#04x}, which is not the panel's")

    def _columns(self, first: int, last: int) -> None:
        self.memory.columns_between(first % WIDTH, last % WIDTH)

    def _pages(self, first: int, last: int) -> None:
        self.memory.pages_between(first % PAGES, last % PAGES)

    def _set(self, **state: Any) -> None:
        vars(self).update(state)


DEEDS: dict[int, Callable[..., None]] = {
    0x20: Ssd1306Chip._mode,
    0x21: Ssd1306Chip._columns,
    0x22: Ssd1306Chip._pages,
    0x81: lambda chip, contrast: chip._set(contrast=contrast),
    0x8D: lambda chip, how: chip._set(pump=bool(how & PUMP)),
    0xA0: lambda chip: setattr(chip.memory, "mirrored", False),
    0xA1: lambda chip: setattr(chip.memory, "mirrored", True),
    0xA4: lambda chip: chip._set(all_lit=False),
    0xA5: lambda chip: chip._set(all_lit=True),
    0xA6: lambda chip: chip._set(inverted=False),
    0xA7: lambda chip: chip._set(inverted=True),
    0xA8: Ssd1306Chip._multiplex,
    0xAE: lambda chip: chip._set(on=False),
    0xAF: lambda chip: chip._set(on=True),
    0xD3: lambda chip, offset: setattr(chip.memory, "offset", offset % ROWS),
    0xDA: Ssd1306Chip._com_pins,
}
