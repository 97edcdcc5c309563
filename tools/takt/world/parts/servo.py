"""A hobby servo: a pulse of 1 to 2 ms, about every 20 ms, says where its arm shall be."""

from __future__ import annotations

from typing import Any, ClassVar

from takt.world.parts.base import Part, Wire
from takt.world.parts.settings import Duration, Pin, Quantity, Setting, SettingError

SHORTEST_NS, LONGEST_NS = 400_000, 2_700_000  # a servo ignores other pulses
ANGLE_MAX = 180.0
SHOWN_STEP = 0.5  # degrees: smaller turns are not a new position


class Servo(Part):
    """Turns its arm as the pulses on its pin say, as fast as it can."""

    kind = "servo"
    settings: ClassVar[dict[str, Setting]] = {
        "pin": Pin("the pin of its signal wire", required=True),
        "low": Duration("pulse for 0 deg", default=544_000),
        "high": Duration("pulse for 180 deg", default=2_400_000),
        "speed": Quantity("degrees per second", default=400.0, family="angular speed", least=1.0),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.pin = values["pin"]
        self.rose: int | None = None
        self.last_rise: int | None = None
        self.angle: float | None = None  # of the arm; None: no pulse yet
        self.goal, self.moved = 0.0, 0  # where to, and the cycle up to which it has moved
        self.pulses = self.ignored = self.positions = 0
        self.widths: list[float] = []  # shortest and longest pulse, us
        self.periods: list[float] = []  # shortest and longest distance of pulses, ms
        self.angles: list[float] = []

    def check(self) -> None:
        if self.values["low"] >= self.values["high"]:
            raise SettingError("`low` is not shorter than `high`", 'write low = "1 ms"')

    def pins(self) -> list[Wire]:
        return [Wire("pin", self.pin)]

    def on_pin(self, pin: int, level: int, cycle: int) -> None:
        if level:
            if self.last_rise is not None:
                _widen(self.periods, self.bench.ms(cycle - self.last_rise))
            self.rose = self.last_rise = cycle
        elif self.rose is not None:
            self._pulse(self.bench.ns(cycle - self.rose), cycle)
            self.rose = None

    def _pulse(self, ns: int, cycle: int) -> None:
        self._move(cycle)
        if not SHORTEST_NS <= ns <= LONGEST_NS:
            self.ignored += 1
            return
        self.pulses += 1
        _widen(self.widths, round(ns / 1000, 1))
        low, high = self.values["low"], self.values["high"]
        goal = min(max((ns - low) / (high - low), 0.0), 1.0) * ANGLE_MAX
        if self.angle is None:
            self.angle = goal
        if abs(goal - self.goal) >= SHOWN_STEP:
            self.positions += 1
        self.goal = goal
        _widen(self.angles, self.angle)

    def _move(self, cycle: int) -> None:
        """The arm turns towards its goal until a cycle."""
        seconds, self.moved = (cycle - self.moved) / self.bench.hz, cycle
        if self.angle is None:
            return
        way = self.values["speed"] * seconds
        self.angle += min(max(self.goal - self.angle, -way), way)
        _widen(self.angles, self.angle)

    def finish(self, cycle: int) -> None:
        self._move(cycle)

    def summary(self) -> dict[str, Any]:
        return {
            "pulses": self.pulses,
            "pulse_us": _span(self.widths),
            "period_ms": _span(self.periods),
            "ignored_pulses": self.ignored,
            "positions": self.positions,
            "angle_deg": _span([round(angle, 1) for angle in self.angles]),
            "last_deg": None if self.angle is None else round(self.angle, 1),
        }


def _widen(span: list[float], value: float) -> None:
    """Keeps the smallest and the largest of some values."""
    span[:] = [min([value, *span]), max([value, *span])]


def _span(values: list[float]) -> dict[str, float] | None:
    return {"min": values[0], "max": values[1]} if values else None
