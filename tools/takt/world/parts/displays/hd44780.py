"""HD44780: the controller of character displays (Hitachi), as seen at its own terminals.

Instructions and characters come in bytes, or with a bus of 4 bits in halves, the high one first.
Each keeps the controller busy (oscillator: 270 kHz); what is written meanwhile is lost. Power-on
keeps it busy, too, and leaves 8 bits, one line, display off.

    display data, 80 bytes:   one line   00 ........ 4F
                              two lines  00 .. 27 | 40 .. 67
"""

from __future__ import annotations

POWER_ON_NS, LONG_NS, SHORT_NS = 10_000_000, 1_520_000, 37_000
CHARACTERS, LINE, SECOND = 80, 40, 0x40  # of display data; of a line of two; its address
PATTERNS, PATTERN = 8, 8  # characters of the program's own, and bytes of each


class Hd44780:
    """State after power-on; times are ns since then."""

    def __init__(self) -> None:
        self.shown = bytearray(b" " * CHARACTERS)
        self.patterns = bytearray(PATTERNS * PATTERN)
        self.at, self.in_patterns = 0, False  # the address counter, and what it counts in
        self.shift = 0  # of the display: to the left
        self.right, self.follows = True, False  # entry mode
        self.on = self.cursor = self.blinks = False
        self.wide, self.lines, self.tall = True, 1, False  # 8 bits; lines; 5 x 10 dots
        self.ready = POWER_ON_NS
        self.half: int | None = None  # the high half of what is coming or going
        self.losing = False  # that half came too early
        self.lost = 0
        self.first_lost: int | None = None
        self.written = self.instructions = 0
        self.beyond = 0  # addresses that are none

    # The bus.

    def write(self, data: bool, bus: int, ns: int) -> None:
        """Enable fell with R/W low: bus is D7 .. D0, data is RS."""
        if self.half is None:
            self.losing = ns < self.ready
            if not self.wide:
                self.half = bus >> 4
                return
        else:
            bus, self.half = self.half << 4 | bus >> 4, None
        if self.losing:
            self.lost += 1
            self.first_lost = ns if self.first_lost is None else self.first_lost
        elif data:
            self._store(bus)
            self._busy(ns, SHORT_NS)
        else:
            self._instruction(bus, ns)

    def output(self, data: bool, ns: int) -> int:
        """D7 .. D0 while enable is high with R/W high; of a bus of 4 bits the upper ones count."""
        byte = self._cell() if data else (ns < self.ready) << 7 | self._counter()
        return byte << 4 & 0xF0 if self.half is not None else byte

    def was_read(self, data: bool, ns: int) -> None:
        """Enable fell with R/W high."""
        if not self.wide and self.half is None:
            self.half = 0
            return
        self.half = None
        if data:
            self._move(1 if self.right else -1)
            self._busy(ns, SHORT_NS)

    def _busy(self, ns: int, length: int) -> None:
        self.ready = ns + length

    # Instructions, by their highest bit.

    def _instruction(self, byte: int, ns: int) -> None:
        self.instructions += 1
        self._busy(ns, LONG_NS if 0 < byte < 4 else SHORT_NS)
        do = (self._clear, self._home, self._entry, self._display, self._shifts, self._function)
        if byte & 0x80:
            self._go(byte & 0x7F)
        elif byte & 0x40:
            self.at, self.in_patterns = byte & 0x3F, True
        elif byte:
            do[byte.bit_length() - 1](byte)

    def _clear(self, byte: int) -> None:
        self.shown[:] = b" " * CHARACTERS
        self.right = True
        self._home(byte)

    def _home(self, _byte: int) -> None:
        self.at, self.in_patterns, self.shift = 0, False, 0

    def _entry(self, byte: int) -> None:
        self.right, self.follows = bool(byte & 2), bool(byte & 1)

    def _display(self, byte: int) -> None:
        self.on, self.cursor, self.blinks = (bool(byte & bit) for bit in (4, 2, 1))

    def _shifts(self, byte: int) -> None:
        way = 1 if byte & 4 else -1
        if byte & 8:
            self._scroll(-way)
        else:
            self._move(way)

    def _function(self, byte: int) -> None:
        self.wide, self.tall = bool(byte & 0x10), byte & 0x0C == 0x04
        self.lines = 2 if byte & 8 else 1

    # Memory.

    def _counter(self) -> int:
        """The address counter as the program knows it."""
        second = not self.in_patterns and self.lines == 2 and self.at >= LINE
        return self.at + (SECOND - LINE if second else 0)

    def _go(self, address: int) -> None:
        """To an address of display data. There is none between the lines, and none behind them."""
        self.in_patterns = False
        row, column = (address // SECOND, address % SECOND) if self.lines == 2 else (0, address)
        length = CHARACTERS // self.lines
        self.beyond += column >= length
        self.at = row * LINE + column % length

    def _move(self, way: int) -> None:
        self.at = (self.at + way) % (len(self.patterns) if self.in_patterns else CHARACTERS)

    def _scroll(self, way: int) -> None:
        self.shift = (self.shift + way) % (CHARACTERS // self.lines)

    def _cell(self) -> int:
        return self.patterns[self.at] if self.in_patterns else self.shown[self.at]

    def _store(self, byte: int) -> None:
        self.written += 1
        way = 1 if self.right else -1
        if self.in_patterns:
            self.patterns[self.at] = byte
        else:
            self.shown[self.at] = byte
            if self.follows:
                self._scroll(way)
        self._move(way)

    # What can be seen.

    def place(self, first: int, column: int) -> int | None:
        """Where the character of a column is, on a row whose first has that address; None: the
        controller does not drive the row."""
        if self.lines == 1:
            return None if first >= SECOND else (first + column + self.shift) % CHARACTERS
        row, start = divmod(first, SECOND)
        return row * LINE + (start + column + self.shift) % LINE

    def visible(self, first: int, columns: int) -> bytes | None:
        """A row's characters; None: it is dark."""
        places = [self.place(first, column) for column in range(columns)]
        known = [place for place in places if place is not None]
        return bytes(self.shown[place] for place in known) if self.on and known else None
