"""A square-wave generator."""

from __future__ import annotations

from typing import Any, ClassVar

from takt.machine.wave import Square
from takt.world.parts.base import Part, Wire
from takt.world.parts.settings import Duration, Pin, Presses, Quantity, Setting, SettingError

BATCH_NS = 2_000_000  # edges are handed to the machine this far ahead
WAVE_HZ = 20_000  # above it they are not handed over one by one


class SquareWave(Part):
    """Drives a pin high and low at a frequency. Edges never drift: edge n is at n periods. Above
    20 kHz the duty is 50 %; edges are cheap then."""

    kind = "square-wave"
    settings: ClassVar[dict[str, Setting]] = {
        "pin": Pin("the pin it drives", required=True),
        "frequency": Quantity(
            "periods per second", required=True, family="frequency", least=0.001, most=20e6
        ),
        "duty": Quantity("share of a period that is high", default=0.5, family="share"),
        "start": Duration("when the first edge comes", default=0),
        "stop": Duration("when it stops, low"),
        "pauses": Presses('when it stays low, and how long: [["20 s", "3 s"]]'),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.pin = values["pin"]
        self.period_ns = 1e9 / values["frequency"]
        self.high_ns = self.period_ns * values["duty"]
        self.fast = values["frequency"] > WAVE_HZ
        self.sent = 0  # periods handed over, or rising edges of a wave
        self.pauses = [range(at, at + long) for at, long in values["pauses"] or []]

    def check(self) -> None:
        if not 0 < self.values["duty"] < 1:
            raise SettingError("duty must lie between 0 % and 100 %", 'write duty = "50 %"')
        if self.fast and self.values["duty"] != 0.5:
            raise SettingError("above 20 kHz the duty is 50 %", "leave out `duty`")
        if self.fast and self.pauses:
            raise SettingError("above 20 kHz there are no pauses", "leave out `pauses`")

    def pins(self) -> list[Wire]:
        return [Wire("pin", self.pin, drives=True)]

    def start(self, bench) -> None:
        super().start(bench)
        begin = bench.cycles(self.values["start"])
        if not self.fast:
            bench.drive(self.pin, 0, 0)
            self.at(begin, self._batch)
            return
        stop = self.values["stop"]
        end = None if stop is None else bench.cycles(stop)
        bench.wave(self.pin, Square(begin, bench.hz / self.values["frequency"] / 2, end))

    def _pauses(self, period: int) -> bool:
        rise = int(self.values["start"] + period * self.period_ns)
        return any(rise in pause for pause in self.pauses)

    def _batch(self) -> None:
        """Hands over the edges of the next periods, and comes again one period before they end."""
        begin, stop, cycles = self.values["start"], self.values["stop"], self.bench.cycles
        for _ in range(max(1, int(BATCH_NS / self.period_ns))):
            rise = begin + self.sent * self.period_ns
            if stop is not None and rise + self.high_ns > stop:
                return
            if not self._pauses(self.sent):
                self.bench.drive(self.pin, 1, cycles(rise))
                self.bench.drive(self.pin, 0, cycles(rise + self.high_ns))
            self.sent += 1
        self.at(cycles(begin + (self.sent - 1) * self.period_ns), self._batch)

    def finish(self, cycle: int) -> None:
        cycles, begin = self.bench.cycles, self.values["start"]
        if self.fast:
            self.sent = (self.bench.wave_edges(self.pin) + 1) // 2
            return
        while self.sent and cycles(begin + (self.sent - 1) * self.period_ns) > cycle:
            self.sent -= 1  # handed over, but the run ended first

    def summary(self) -> dict[str, Any]:
        left_out = sum(map(self._pauses, range(self.sent))) if self.pauses else 0
        return {"rising_edges": self.sent - left_out, "hz": self.values["frequency"]}
