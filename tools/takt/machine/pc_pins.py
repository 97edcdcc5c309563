"""The pins of the board pc, which are in its memory (drivers/gpio/pc.h), for pc.py."""

from __future__ import annotations

import struct
from collections.abc import Callable

from takt.machine.qemu_link import Qtest
from takt.machine.wave import Wave, wave_of

PINS = "takt_pins"
OUT, OUTPUT, PULL_UP, WRITTEN, MESSAGE_TO, MESSAGE = 0, 4, 8, 12, 16, 24
DRIVEN, LEVEL, LOGGED, ALL, WATCHED, READ, FALLEN, RISEN, CHANGES = *range(32, 64, 4), 64
COUNT, SIZE = 4096, 16  # of the record


class PcPins:
    """What the program does to its pins is told exactly, and what the world does interrupts."""

    now: int
    _start: int
    _qtest: Qtest
    symbol: Callable[[str], int]
    has_symbol: Callable[[str], bool]
    read: Callable[[int, int], bytes]
    later: Callable[[int | None, Callable[[], None]], None]

    def _forget_devices(self) -> None:
        super()._forget_devices()  # type: ignore[misc]
        self._writes: list[tuple[int, int, bool]] = []
        self._watched: set[int] = set()
        self._all: set[int] = set()
        self._waves: dict[int, tuple[Wave, int | None]] = {}

    def _field(self, offset: int) -> int:
        return self._qtest.word(self.symbol(PINS) + offset)

    def _set_field(self, offset: int, value: int) -> None:
        self._qtest.set_word(self.symbol(PINS) + offset, value)

    def _tell_masks(self) -> None:
        """To the firmware; where it does not use pins, to nobody."""
        if not self.has_symbol(PINS):
            return
        for offset, pins in ((LOGGED, self._logged), (ALL, self._all), (WATCHED, self._watched)):
            self._set_field(offset, sum(1 << pin for pin in pins))

    def pin_vectors(self) -> list[int]:
        """By which pins interrupt; none unless the program wants edges."""
        vector = self._field(MESSAGE) if self.has_symbol(PINS) else 0
        return [vector] if vector else []

    # From outside

    def pin_drive(self, pin: int, level: int | None, at: int | None = None) -> None:
        """Drives a pin; None lets go of it."""
        if self.has_symbol(PINS):
            self.later(at, lambda: self._drive(1 << pin, level))

    def _drive(self, bit: int, level: int | None) -> None:
        before = self._levels_now() & bit
        driven, levels = self._field(DRIVEN) & ~bit, self._field(LEVEL) & ~bit
        self._set_field(DRIVEN, driven | (0 if level is None else bit))
        self._set_field(LEVEL, levels | (bit if level else 0))
        after = self._levels_now() & bit
        if after == before:
            return
        edge = RISEN if after else FALLEN
        self._set_field(edge, self._field(edge) | bit)
        to = int.from_bytes(self.read(self.symbol(PINS) + MESSAGE_TO, 8), "little")
        if to:
            self._qtest.set_word(to, self._field(MESSAGE))

    def _levels_now(self) -> int:
        out, output, pull_up = struct.unpack("<3I", self.read(self.symbol(PINS), 12))
        driven, level = self._field(DRIVEN), self._field(LEVEL)
        return (output & out) | (~output & (driven & level | ~driven & pull_up))

    def pin_wave(
        self,
        pin: int,
        half_period: float | tuple[int, int],
        start: int,
        stop: int | None = None,
        seed: int | None = None,
    ) -> None:
        """Edges from outside, as Machine.pin_wave()."""
        wave = wave_of(half_period, start, stop, seed)
        self._waves[pin] = wave, stop
        self.pin_drive(pin, 0)
        self._wave_edge(pin, 0)

    def _wave_edge(self, pin: int, number: int) -> None:
        wave, stop = self._waves[pin]
        if stop is not None and wave.edge(number) >= stop:
            return

        def edge() -> None:
            self._drive(1 << pin, 1 - number % 2)
            self._wave_edge(pin, number + 1)

        self.later(wave.edge(number), edge)

    def pin_wave_edges(self, pin: int) -> int:
        """How many edges the pin's wave has made so far."""
        wave, stop = self._waves[pin]
        return wave.edges_until(self.now if stop is None else min(self.now, stop - 1))

    # From inside

    def pin_level(self, pin: int) -> int:
        """0 or 1."""
        return self._levels_now() >> pin & 1 if self.has_symbol(PINS) else 0

    def log_pin(self, pin: int, on: bool = True) -> None:
        """pin_edges() tells changes made by the program."""
        (self._logged.add if on else self._logged.discard)(pin)
        self._tell_masks()

    def watch_pin(self, pin: int, on: bool = True) -> None:
        """run() stops where the program changes the pin."""
        (self._watched.add if on else self._watched.discard)(pin)
        self._tell_masks()

    def log_pin_writes(self, pin: int) -> None:
        """pin_writes() tells every write, also those that change nothing."""
        self._all.add(pin)
        self._tell_masks()

    def pin_edges(self) -> list[tuple[int, int, int]]:
        """(cycle, pin, level) since the last call."""
        self._take_changes()
        edges, self._edges = self._edges, []
        return edges

    def pin_writes(self) -> list[tuple[int, int, bool]]:
        """(cycle, pin, True) of logged writes since the last call."""
        self._take_changes()
        writes, self._writes = self._writes, []
        return writes

    def _take_changes(self) -> None:
        """What the firmware has recorded."""
        if not self.has_symbol(PINS):
            return
        written, read = self._field(WRITTEN), self._field(READ)
        for number in range(read, written):
            at = self.symbol(PINS) + CHANGES + SIZE * (number % COUNT)
            ticks, pin, level, changed = struct.unpack("<QB??5x", self.read(at, SIZE))
            cycle = max(0, ticks - self._start) if self._start else 0
            if changed and pin in self._logged:
                self._edges.append((cycle, pin, int(level)))
            if pin in self._all:
                self._writes.append((cycle, pin, True))
        if written != read:
            self._set_field(READ, written)

    def _pin_changes(self) -> None:
        """Nothing to look for: the firmware records."""
