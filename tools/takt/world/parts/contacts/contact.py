"""Contacts of buttons, encoders and keys: they chatter before they rest."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from takt.world.parts.settings import Choice, Duration, Setting

if TYPE_CHECKING:
    from takt.world.bench import Bench

PULLS: dict[str, int | None] = {"board": None, "resistor": 1}


def contact_settings(whose: str) -> dict[str, Setting]:
    """The settings of contacts to ground."""
    return {
        "pull": Choice(
            f"what gives the level while open: a resistor beside {whose}, or the board's own "
            "(INPUT_PULLUP)",
            default="board",
            options=tuple(PULLS),
        ),
        "bounce": Duration("how long the contacts chatter", default=0),
    }


class Chatter:
    """What contacts do when they close or open: each time differently, but the same in every
    run."""

    def __init__(self, name: str, bounce: int) -> None:
        self.bounce = bounce  # ns
        self.noise = zlib.crc32(name.encode()) | 1

    def _random(self, below: int) -> int:
        """xorshift32."""
        x = self.noise
        x ^= (x << 13) & 0xFFFFFFFF
        x ^= x >> 17
        x ^= (x << 5) & 0xFFFFFFFF
        self.noise = x
        return x % below

    def changes(self, at: int) -> list[tuple[int, bool]]:
        """(ns, whether the contacts are as they will stay) from a change at `at` on: with bounce
        they turn there and back two to five times."""
        if not self.bounce:
            return [(at, True)]
        times = sorted({self._random(self.bounce) for _ in range(2 * (2 + self._random(4)))})
        found = [(at + offset, n % 2 == 0) for n, offset in enumerate(times[: len(times) & ~1])]
        return [*found, (at + self.bounce, True)]


class Contact:
    """Gives a pin one level while closed; open, what pulls at the pin decides."""

    def __init__(self, pin: int, closed: int, rest: int | None, chatter: Chatter) -> None:
        self.pin, self.closed, self.rest, self.chatter = pin, closed, rest, chatter

    def start(self, bench: Bench) -> None:
        """Open."""
        self.bench = bench
        bench.drive(self.pin, self.rest, 0)

    def turn(self, at: int, closed: bool) -> None:
        """Closes or opens at a time, in ns."""
        for ns, final in self.chatter.changes(at):
            level = self.closed if closed == final else self.rest
            self.bench.drive(self.pin, level, self.bench.cycles(ns))
