"""What a program's pins show: its image on the virtual board, and when each pin changed, in cycles.

Nothing of the kernel is looked at: no trace, no counter, no symbol.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from takt.boards import Board
from takt.machine.machines import machine_of
from takt.world import world

SETUP_ENDS = 12  # rises at the end of setup(), and falls if the sketch itself finds an error
SLICE_US = 20_000  # between two looks at the log
ROOM = 1 << 17
EDGE = np.dtype([("cycle", "u8"), ("pin", "u4"), ("level", "u4")])
STOPS = ("halt", "fault")


@dataclass(frozen=True)
class Burst:
    """Edges of an input from outside, at these microseconds after reset; the first one rises."""

    pin: int
    at_us: tuple[float, ...]


@dataclass(frozen=True)
class Sent:
    """Bytes to a serial port, at this microsecond."""

    port: int
    at_us: float
    data: bytes


@dataclass(repr=False)
class Seen:
    """Edges by pin of the board, in cycles from reset; what serial ports said; why it stopped."""

    hz: int
    end: int
    edges: dict[int, np.ndarray] = field(default_factory=dict)
    said: bytes = b""
    stopped: str = ""  # empty: it ran to the end

    def cycles(self, us: float) -> int:
        return round(us * self.hz / 1_000_000)

    def us(self, cycles: Any) -> Any:
        """Of a number or of many."""
        return cycles * 1_000_000 / self.hz

    def of(self, pin: int) -> np.ndarray:
        """Every change of a pin."""
        return self.edges.get(pin, np.zeros(0, np.int64))

    @property
    def set_up(self) -> int | None:
        """When setup() was over, as pin 12 says; None: it never was."""
        found = self.of(SETUP_ENDS)
        return int(found[0]) if len(found) else None

    def first_after_setup(self) -> int | None:
        """The first change of any other output after that: a thread runs."""
        if self.set_up is None:
            return None
        later = [e[e > self.set_up] for pin, e in self.edges.items() if pin != SETUP_ENDS]
        first = [int(e[0]) for e in later if len(e)]
        return min(first) if first else None


class Bench:
    """A board with a program, before reset."""

    def __init__(self, board: Board, elf: Path) -> None:
        self.board, self.hz = board, board.clock_hz
        self.machine: Any = machine_of(board)
        self.chip = world.empty(board).chip
        self.machine.load_elf(elf)
        for pin in self.chip.values():
            self.machine.log_pin(pin, True)
        self._ffi = self.machine._ffi
        self._buffer = self._ffi.new("struct takt_edge[]", ROOM)
        self._taken: list[np.ndarray] = []

    def drive(self, bursts: list[Burst]) -> None:
        for burst in bursts:
            pin = self.chip[burst.pin]
            self.machine.pin_drive(pin, 0)
            for number, us in enumerate(burst.at_us):
                self.machine.pin_drive(pin, 1 - number % 2, at=self._cycle(us))

    def send(self, sent: list[Sent]) -> None:
        for one in sent:
            self.machine.uart_send(one.port, one.data, at=self._cycle(one.at_us))

    def _cycle(self, us: float) -> int:
        return round(us * self.hz / 1_000_000)

    def run(self, seconds: float) -> Seen:
        """From reset, for so long."""
        end, stopped, said = round(seconds * self.hz), "", bytearray()
        step = self.hz * SLICE_US // 1_000_000
        while not stopped and self.machine.now < end:
            stop = self.machine.run(min(end, self.machine.now + step))
            self._take()
            said += bytes(byte for _, byte in self.machine.uart_take(0))
            self.machine.rtt_take(1)
            if stop.reason in STOPS:
                stopped = self.machine.fault() or "it waits for ever with interrupts off"
        return Seen(self.hz, int(self.machine.now), self._by_pin(), bytes(said), stopped)

    def _take(self) -> None:
        while True:
            count = self.machine._lib.takt_pin_edges(self.machine._m, self._buffer, ROOM)
            raw = self._ffi.buffer(self._buffer, count * EDGE.itemsize)
            self._taken.append(np.frombuffer(raw, EDGE).copy())
            if count < ROOM:
                return

    def _by_pin(self) -> dict[int, np.ndarray]:
        every = np.concatenate(self._taken) if self._taken else np.zeros(0, EDGE)
        found = {}
        for pin, chip in self.chip.items():
            mine = every[every["pin"] == chip]
            if len(mine):
                found[pin] = _changes(mine)
        return found


def _changes(log: np.ndarray) -> np.ndarray:
    """Cycles at which the level became another one; low at first."""
    levels = log["level"].astype(np.int8)
    before = np.concatenate(([np.int8(0)], levels[:-1]))
    return log["cycle"][levels != before].astype(np.int64)


def run(
    board: Board, elf: Path, seconds: float, bursts: list[Burst] = (), sent: list[Sent] = ()
) -> Seen:
    """The program on its board, with what comes from outside."""
    bench = Bench(board, elf)
    bench.drive(list(bursts))
    bench.send(list(sent))
    return bench.run(seconds)
