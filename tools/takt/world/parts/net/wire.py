"""The network: 100 Mbit/s from the board to hosts and back; everything on it is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from takt.world.parts.net.pcap import Timed

NS_A_BYTE = 80
BESIDE = 24  # bytes of time: preamble, checksum, gap


class Receiver(Protocol):
    def receive(self, frame: bytes) -> None: ...


class Wire:
    """A switch between the chip and hosts. delay: ns that a frame is under way beyond its own
    length."""

    def __init__(self, bench: Any, delay: int) -> None:
        self.bench, self.delay = bench, delay
        self.kept: list[Timed] = []
        self.chip: Receiver | None = None
        self.hosts: list[Receiver] = []
        self._free = {True: 0, False: 0}  # from which ns on, from the chip and to it

    @property
    def ns(self) -> int:
        return self.bench.ns(self.bench.now)

    def after(self, ns: int, action: Callable[[], None]) -> None:
        """Calls action so much later."""
        self.bench.at(self.bench.now + self.bench.cycles(ns), action)

    def send(self, frame: bytes, by_chip: bool) -> None:
        """A frame from the chip, or to it."""
        sent = max(self.ns, self._free[by_chip]) + (len(frame) + BESIDE) * NS_A_BYTE
        self._free[by_chip] = sent
        if by_chip:
            self.kept.append((sent, frame))
            self._at(sent + self.delay, lambda: [host.receive(frame) for host in self.hosts])
        else:
            self._at(sent + self.delay, lambda: self.arrive(frame))

    def arrive(self, frame: bytes) -> None:
        """At the chip."""
        self.kept.append((self.ns, frame))
        if self.chip is not None:
            self.chip.receive(frame)

    def _at(self, ns: int, action: Callable[[], Any]) -> None:
        self.bench.at(self.bench.cycles(ns), action)
