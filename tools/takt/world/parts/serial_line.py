"""What a serial device is wired to: a serial port of the board or, where the program makes one of
pins (SoftwareSerial), two of these.

    idle  start  d0   d1   ...   d7   stop  idle        one bit: 1/baud
    ----+      +----+    +----     +------------        read in the middle of each
        +------+    +----+    -----+
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from takt.world.parts.base import Part, Wire
from takt.world.parts.settings import Pin, Setting, SettingError, Whole

BITS = 10  # of a byte on the line
STOP = 9  # the last of them


def settings(
    port: int, baud: int, speed: str = "bits per second on the line"
) -> dict[str, Setting]:
    """What a device may be wired to; unless told it is this port, with this baud rate."""
    return {
        "port": Whole(
            f"serial port: 0 is Serial, 1 is Serial1; without pins {port}", least=0, most=1
        ),
        "tx": Pin("instead of a port: the pin that it sends to, the RX of a SoftwareSerial"),
        "rx": Pin("and the pin that it hears, the TX of a SoftwareSerial"),
        "baud": Whole(speed, default=baud, least=300, most=4_000_000),
    }


class SerialLine:
    """One end of a line; `heard` is called with (byte, cycle)."""

    def __init__(self, part: Part, port: int, heard: Callable[[int, int], None]) -> None:
        v = part.values
        self.part, self.heard, self.baud = part, heard, v["baud"]
        self.tx, self.rx = v["tx"], v["rx"]
        self.wired = self.tx is not None or self.rx is not None
        self.port: int | None = None if self.wired else port if v["port"] is None else v["port"]
        self.malformed = 0  # frames on rx that are none at this speed
        self._waiting: deque[int] = deque()  # bytes to be sent on tx
        self._frame: list[tuple[int, int]] = []  # edges of the one that is coming in

    def check(self) -> None:
        """Raises SettingError when values do not go together."""
        if self.wired and self.part.values["port"] is not None:
            fix = "keep port, or tx and rx"
            raise SettingError("it is wired to a port and to pins", fix)
        if self.wired and self.tx == self.rx:
            raise SettingError(f"both pins are {self.tx}", "use two different pins")

    def wires(self) -> list[Wire]:
        ends = [("tx", self.tx, True), ("rx", self.rx, False)]
        return [Wire(role, pin, drives=drives) for role, pin, drives in ends if pin is not None]

    def start(self) -> None:
        if self.tx is not None:
            self.part.bench.drive(self.tx, 1, 0)

    def send(self, data: bytes, baud: int | None) -> None:
        """From now on, one byte after another. baud: of a port; None: as fast as that is."""
        if self.port is not None:
            self.part.bench.send(self.port, data, baud)
        elif self.tx is not None:
            idle = not self._waiting
            self._waiting += data
            if idle and data:
                self._next(self.part.bench.now)

    def _next(self, start: int) -> None:
        """The byte that is first goes out, then those behind it."""
        bench, byte = self.part.bench, self._waiting[0]
        before = 1
        for n, level in enumerate(_levels(byte)):
            if level != before:
                bench.drive(self.tx, level, start + self._bits(n))
            before = level
        end = start + self._bits(BITS)
        self.part.at(end, lambda: self._sent(end))

    def _sent(self, end: int) -> None:
        self._waiting.popleft()
        if self._waiting:
            self._next(end)

    def _bits(self, count: float) -> int:
        """As cycles."""
        return round(count * self.part.bench.hz / self.baud)

    def on_byte(self, port: int, byte: int, cycle: int) -> None:
        """The board has sent a byte on a port of its own."""
        if port == self.port:
            self.heard(byte, cycle)

    def on_pin(self, pin: int, level: int, cycle: int) -> None:
        """A pin of the line has changed."""
        if pin != self.rx:
            return
        self.settle(cycle)
        if self._frame or not level:
            self._frame.append((cycle, level))

    def settle(self, cycle: int) -> None:
        """A frame that is over by then is a byte."""
        if not self._frame or cycle < self._frame[0][0] + self._bits(STOP + 0.5):
            return
        levels = [self._level(n + 0.5) for n in range(BITS)]
        end = self._frame[0][0] + self._bits(BITS)
        self._frame = []
        if levels[0] or not levels[STOP]:
            self.malformed += 1
        else:
            self.heard(sum(bit << n for n, bit in enumerate(levels[1:STOP])), end)

    def _level(self, bits: float) -> int:
        """So many bits after the frame's beginning."""
        at = self._frame[0][0] + self._bits(bits)
        return [level for cycle, level in self._frame if cycle <= at][-1]

    def summary(self) -> dict[str, Any]:
        return {"malformed_bytes": self.malformed} if self.rx is not None else {}


class SerialPart(Part):
    """A part at the end of a line."""

    line: SerialLine

    def check(self) -> None:
        self.line.check()

    def pins(self) -> list[Wire]:
        return self.line.wires()

    def serial_port(self) -> int | None:
        return self.line.port


def _levels(byte: int) -> list[int]:
    """The bits of its frame."""
    return [0, *(byte >> n & 1 for n in range(8)), 1]
