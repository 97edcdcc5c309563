"""A light-emitting diode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from takt.world.parts.base import Part, Wire
from takt.world.parts.settings import Choice, Pin, Setting


@dataclass
class _Lengths:
    """Shortest and longest of some stretches, and their sum, in cycles."""

    least: int | None = None
    most: int = 0
    total: int = 0

    def add(self, length: int) -> None:
        self.least = length if self.least is None else min(self.least, length)
        self.most = max(self.most, length)
        self.total += length


class Led(Part):
    """Lit while its pin is at the active level. Reports when it was lit, and how often."""

    kind = "led"
    settings: ClassVar[dict[str, Setting]] = {
        "pin": Pin("the pin it hangs on", required=True),
        "active": Choice("level that lights it", default="high", options=("high", "low")),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.pin = values["pin"]
        self.active = 1 if values["active"] == "high" else 0
        self.lit = False
        self.toggles = 0
        self.first: int | None = None
        self.since = 0  # cycle of the last change
        self.on, self.off = _Lengths(), _Lengths()  # whole stretches between two changes
        self.lit_cycles = self.end = 0
        self.pwm: tuple[float, float] | None = None

    def pins(self) -> list[Wire]:
        return [Wire("pin", self.pin)]

    def on_pin(self, pin: int, level: int, cycle: int) -> None:
        lit = level == self.active
        if lit == self.lit:
            return
        if self.first is None:
            self.first = cycle
        else:
            (self.on if self.lit else self.off).add(cycle - self.since)
        self.lit, self.since = lit, cycle
        self.toggles += 1

    def finish(self, cycle: int) -> None:
        self.end = cycle
        self.lit_cycles = self.on.total + (cycle - self.since if self.lit else 0)
        self.pwm = self.bench.pwm(self.pin)

    def _range(self, lengths: _Lengths) -> dict[str, float] | None:
        if lengths.least is None:
            return None
        return {"min": self.bench.ms(lengths.least), "max": self.bench.ms(lengths.most)}

    def summary(self) -> dict[str, Any]:
        found = {
            "lit": self.lit,
            "toggles": self.toggles,
            "first_ms": None if self.first is None else self.bench.ms(self.first),
            "lit_share": round(self.lit_cycles / self.end, 4) if self.end else 0.0,
            "on_ms": self._range(self.on),
            "off_ms": self._range(self.off),
        }
        if self.pwm:
            found["pwm_hz"], found["pwm_duty"] = round(self.pwm[0], 3), round(self.pwm[1], 4)
        return found
