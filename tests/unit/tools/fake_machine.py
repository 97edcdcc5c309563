"""A machine without firmware: tests write down beforehand when the "board" changes pins."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Stop:
    reason: str
    cycle: int
    detail: object = None


class FakeMachine:
    """The interface of takt.machine.Machine, as far as the bench uses it."""

    hz = 125_000_000

    def __init__(self, edges: list[tuple[int, int, int]] = ()) -> None:  # type: ignore[assignment]
        self.now = 0
        self.coming = sorted(edges)  # cycle, pin, level
        self.ready: list[tuple[int, int, int]] = []
        self.writes: list[tuple[int, int]] = []
        self.watched: set[int] = set()
        self.driven: list[tuple[int, int, int | None]] = []  # at, pin, level
        self.analog: list[tuple[int, int, float]] = []
        self.sent: list[tuple[int, int, bytes]] = []
        self.output: list[tuple[int, int]] = []  # cycle, byte on port 0

    def log_pin(self, pin, on=True):
        pass

    def log_pin_writes(self, pin):
        pass

    def watch_pin(self, pin, on=True):
        self.watched.add(pin)

    def pin_drive(self, pin, level, at=None):
        self.driven.append((self.now if at is None else at, pin, level))

    def adc_set(self, channel, volts):
        self.analog.append((self.now, channel, volts))

    def uart_send(self, port, data, at=None):
        self.sent.append((self.now, port, data))

    def uart_take(self, port):
        taken = [b for b in self.output if port == 0 and b[0] <= self.now]
        self.output = [b for b in self.output if b not in taken]
        return taken

    def pin_edges(self):
        taken, self.ready = self.ready, []
        return taken

    def pin_writes(self):
        taken, self.writes = self.writes, []
        return taken

    def pin_pwm(self, pin):
        return None

    def run(self, until):
        while self.coming and self.coming[0][0] <= until:
            edge = self.coming.pop(0)
            self.now = edge[0]
            self.ready.append(edge)
            self.writes.append(edge[:2])
            if edge[1] in self.watched:
                return Stop("pin", edge[0])
        self.now = until
        return Stop("time", until)
