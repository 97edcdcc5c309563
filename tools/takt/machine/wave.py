"""Waves: edges too many to plan one by one. Where the chip has the pin, the platform makes them in
C; behind an expander they are computed when somebody looks."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any, Protocol

WORD = 2**64


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
        stop = None if self.stop is None else self.edge(self.edges_until(self.stop))
        machine.pin_wave(pin, self.half, self.start, stop)

    def edge(self, number: int) -> int:
        return self.start + math.floor(number * self.half + 0.5)

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
        stop = None if self.stop is None else self.stop + 1
        machine.pin_wave(pin, (self.least, self.most), self.start, stop, self.seed)

    def _grow(self) -> None:
        """One edge more, with splitmix64 as in platform/core/wave.c."""
        if not self.known:
            self.known.append(self.start)
            return
        z = self.seed = (self.seed + 0x9E3779B97F4A7C15) % WORD
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % WORD
        z = (z ^ z >> 27) * 0x94D049BB133111EB % WORD
        distance = self.least + ((z ^ z >> 31) * (self.most - self.least + 1) // WORD)
        self.known.append(self.known[-1] + distance)

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


def wave_of(half: float | tuple[int, int], start: int, stop: int | None, seed: int | None) -> Wave:
    """That which Machine.pin_wave() makes of the same: half a period in cycles, even or random
    between two; with a seed, random around it. No edge at `stop` or later."""
    last = None if stop is None else stop - 1
    if isinstance(half, tuple):
        return Random(start, *half, seed or 0, last)
    if seed is not None:
        return Random(start, 1, 2 * int(half) - 1, seed, last)
    return Square(start, half)
