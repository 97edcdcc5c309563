"""A wire with a resistor to the supply that several parts of a world pull low."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from takt.world.bench import Bench


class OpenDrain:
    """Low while one part or another pulls."""

    def __init__(self, bench: Bench, pin: int) -> None:
        self.bench, self.pin = bench, pin
        self.pulling = 0  # parts

    def low(self, start: int, end: int) -> None:
        """A part pulls from one cycle to another."""
        self.bench.at(start, lambda: self._pull(1, start))
        self.bench.at(end, lambda: self._pull(-1, end))

    def _pull(self, parts: int, cycle: int) -> None:
        before = self.pulling > 0
        self.pulling += parts
        if before != (self.pulling > 0):
            self.bench.drive(self.pin, None if before else 0, cycle)
