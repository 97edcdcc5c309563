"""CAN traffic as text, in the format of can-utils' candump -L, which python-can and cantools read:

(1.002516) can0 123#0001020304050607
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from takt.errors import UserError
from takt.paths import shown

STANDARD, EXTENDED = 0x7FF, 0x1FFFFFFF
LINE = re.compile(
    r"\((\d+)\.(\d{6}|\d{9})\)\s+(\S+)\s+([0-9A-Fa-f]{3}|[0-9A-Fa-f]{8})#"
    r"(R\d?|(?:[0-9A-Fa-f]{2}\.?){0,8})(?:\s+[RT])?"
)
EXAMPLE = "(1.002516) can0 123#0001020304050607"


@dataclass(frozen=True)
class CanFrame:
    """A frame on a bus, at the time of its end."""

    ns: int
    bus: str
    id: int
    data: bytes = b""
    extended: bool = False
    remote: bool = False

    def line(self) -> str:
        number = f"{self.id:08X}" if self.extended else f"{self.id:03X}"
        body = "R" if self.remote else self.data.hex().upper()
        seconds, us = divmod(self.ns // 1000, 1_000_000)
        return f"({seconds}.{us:06d}) {self.bus} {number}#{body}"


def write(path: Path, frames: Iterable[CanFrame]) -> None:
    path.write_text("".join(frame.line() + "\n" for frame in frames))


def parse(text: str) -> CanFrame | None:
    """A line; None if it is no frame."""
    match = LINE.fullmatch(text.strip())
    if not match:
        return None
    seconds, fraction, bus, number, body = match.groups()
    extended, remote = len(number) == 8, body.startswith("R")
    data = b"" if remote else bytes.fromhex(body.replace(".", ""))
    ns = int(seconds) * 10**9 + int(fraction.ljust(9, "0"))
    frame = CanFrame(ns, bus, int(number, 16), data, extended, remote)
    return frame if frame.id <= (EXTENDED if extended else STANDARD) else None


def read(path: Path) -> Iterator[CanFrame]:
    """The frames of a log. Refuses what is not one, by its line."""
    try:
        lines = path.read_text(encoding="ascii").splitlines()
    except OSError as error:
        raise UserError(f"cannot read it: {error.strerror}", shown(path)) from None
    except UnicodeDecodeError:
        fix = f"give it lines like {EXAMPLE}"
        raise UserError("not a log of CAN frames", shown(path), fix) from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        frame = parse(line)
        if frame is None:
            where = f"{shown(path)}:{number}"
            raise UserError(f"no CAN frame: {line[:60]}", where, f"write it like {EXAMPLE}")
        yield frame
