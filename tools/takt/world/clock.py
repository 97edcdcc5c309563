"""The board's clock counts cycles; worlds are written in ns."""

from __future__ import annotations


class Clock:
    def __init__(self, hz: int) -> None:
        self.hz = hz  # of the running board; the slower cycles of its start count as equal

    def cycles(self, ns: float) -> int:
        """ns since reset to cycles, rounded."""
        return round(ns * self.hz / 1_000_000_000)

    def ns(self, cycles: int) -> int:
        """Cycles to whole ns."""
        return cycles * 1_000_000_000 // self.hz

    def us(self, cycles: int) -> float:
        """Cycles to us, exact to a thousandth."""
        return round(cycles * 1_000_000 / self.hz, 3)

    def ms(self, cycles: int) -> float:
        """Cycles to ms, exact to a us."""
        return round(cycles * 1_000 / self.hz, 3)
