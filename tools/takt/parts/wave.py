"""Waves: edges too many to plan one by one. Where the chip has the pin, the platform makes them in
C; behind an expander they are computed when somebody looks."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any, Protocol

MULTIPLIER, INCREMENT = 6364136223846793005, 1442695040888963407  # Knuth's MMIX generator


class Wave(Protocol):
    """A pin that changes at known cycles, low before its first edge."""

    start: int
    stop: int | None

    def edges_until(self, cycle: int) -> int:
        """How many edges there are up to and including a cycle."""
        ...

    def edge(self, number: int) -> int:
        """The cycle of an edge; 0 is the first."""
        ...

    def drive(self, machine: Any, pin: int) -> None:
        """Lets the platform make the wave on a pin of the chip."""
        ...


def level_at(wave: Wave, cycle: int) -> int:
    """The level of a wave."""
    return wave.edges_until(cycle) % 2


def next_edge(wave: Wave, after: int) -> int | None:
    """The first edge later than a cycle; None when there is none."""
    number = wave.edges_until(after)
    at = wave.edge(number)
    return at if wave.edges_until(at) > number else None


@dataclass
class Square:
    """Edges at even distances: edge n rises or falls n half periods after the start. None
    comes after `stop`, and the level stays low."""

    start: int
    half: float  # cycles
    stop: int | None = None

    def drive(self, machine: Any, pin: int) -> None:
        machine.pin_wave(pin, self.half, self.start, self.stop)

    def edge(self, number: int) -> int:
        return self.start + round(number * self.half)

    def edges_until(self, cycle: int) -> int:
        if self.stop is not None and cycle >= self.stop:
            return self._count(self.stop) & ~1
        return self._count(cycle)

    def _count(self, cycle: int) -> int:
        if cycle < self.start:
            return 0
        number = max(0, math.floor((cycle - self.start) / self.half) - 1)
        while self.edge(number) <= cycle:
            number += 1
        return number


@dataclass
class Random:
    """Edges at pseudo-random distances, evenly spread over least..most; the same in every run."""

    start: int
    least: int
    most: int
    seed: int
    stop: int | None = None
    known: list[int] = field(default_factory=list)

    def drive(self, machine: Any, pin: int) -> None:
        machine.pin_wave(pin, self.least, self.start, self.stop, seed=self.seed, most=self.most)

    def _grow(self) -> None:
        self.seed = (self.seed * MULTIPLIER + INCREMENT) % 2**64
        before = self.known[-1] if self.known else self.start
        self.known.append(before + self.least + (self.seed >> 33) % (self.most - self.least + 1))

    def edge(self, number: int) -> int:
        while len(self.known) <= number:
            self._grow()
        return self.known[number]

    def edges_until(self, cycle: int) -> int:
        if self.stop is not None:
            cycle = min(cycle, self.stop)
        while not self.known or self.known[-1] <= cycle:
            self._grow()
        return bisect_right(self.known, cycle)
