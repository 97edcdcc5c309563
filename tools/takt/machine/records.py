"""What a virtual board records beside pins and bytes: what threads were delivered, interrupts that
had to wait, stretches with interrupts off."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from takt.build.platform_library import PlatformError

ROWS_TAKEN = 1 << 12  # at a time
WAIT = np.dtype([("cycle", "<u8"), ("cycles", "<u4"), ("irq", "<u4")])
PIECE = np.dtype([("cycle", "<u8"), ("cycles", "<u4"), ("thread", "<u2"), ("end", "<u2")])


@dataclass(frozen=True)
class Masked:
    """A stretch with interrupts off: when it began, cycles, the instructions that began and ended
    it."""

    cycle: int
    cycles: int
    start: int
    end: int


class Records:
    """Part of Machine."""

    _ffi: Any
    _lib: Any
    _m: Any
    _take: Callable[..., Iterator[Any]]

    def deliver(self, low: int, high: int) -> None:
        """Records what the thread whose stack that is gets of the CPU; threads in the order of
        their places. takt_platform.h says what counts."""
        if self._lib.takt_deliver(self._m, low, high) != 0:
            raise PlatformError(f"no stack from {low:#x} to {high:#x}, or too many")

    def deliver_calls(self, function: int) -> None:
        """The same of calls of a function, in a program without threads. AVR."""
        if self._lib.takt_deliver_calls(self._m, function) != 0:
            raise PlatformError(f"no calls of {function:#x} can be recorded")

    def deliver_yields(self, low: int, high: int) -> None:
        """The code of a function in which a more urgent thread may preempt the caller."""
        self._lib.takt_deliver_yields(self._m, low, high)

    def delivered(self) -> np.ndarray:
        """What threads have been delivered since the last call, and sleep: rows of PIECE."""
        return self._rows(PIECE, "struct takt_piece *", self._lib.takt_delivered)

    def flash_waits(self, whose: int) -> tuple[int, int]:
        """Words of flash that were waited for, and cycles: by a thread, in the order of deliver(),
        handlers or others."""
        out = self._ffi.new("struct takt_flash_waits *")
        self._lib.takt_flash_waits(self._m, whose, out)
        return out.words, out.cycles

    def log_waits(self, least: int) -> None:
        """Records interrupts that wait for so many cycles or more."""
        self._lib.takt_waits_log(self._m, least)

    def waits(self) -> np.ndarray:
        """Those whose handlers have begun since the last call: rows of WAIT."""
        return self._rows(WAIT, "struct takt_wait *", self._lib.takt_waits)

    def _rows(self, kind: np.dtype, pointer: str, take: Callable[..., int]) -> np.ndarray:
        parts = [np.zeros(0, kind)]
        while True:
            rows = np.zeros(ROWS_TAKEN, kind)
            room = self._ffi.cast(pointer, self._ffi.from_buffer(rows))
            count = take(self._m, room, ROWS_TAKEN)
            parts.append(rows[:count])
            if count < ROWS_TAKEN:
                return np.concatenate(parts)

    def log_masked(self, on: bool = True) -> None:
        """Records stretches with interrupts off; what counts as such: takt_platform.h."""
        self._lib.takt_masked_log(self._m, on)

    def masked(self) -> list[Masked]:
        """Stretches with interrupts off that have ended since the last call."""
        taken = self._take("struct takt_stretch", self._lib.takt_masked)
        return [Masked(s.cycle, s.cycles, getattr(s, "from"), s.to) for s in taken]
