"""HC-SR04: an ultrasonic distance sensor.

A trigger pulse of at least 10 us starts a measurement at its falling edge. The module sends
8 periods of 40 kHz, then raises the echo pin, about 460 us after the trigger, and lowers it when
the sound has gone to the nearest object and back: 2 * d / 343 m/s, that is 58.3 us per cm. With
no echo the pin falls after 38 ms. While measuring, triggers are ignored.
"""

from __future__ import annotations

from typing import Any, ClassVar

from takt.world.parts.base import Part, Wire
from takt.world.parts.settings import Pin, Reference, Setting, Signal, Track

SOUND_CM_PER_S = 34300
TRIGGER_MIN_NS = 10_000
ECHO_DELAY_NS = 460_000
NO_ECHO_NS = 38_000_000
NEAR_CM, FAR_CM = 2.0, 400.0


def echo_ns(distance_cm: float) -> int:
    """How long the echo pin is high."""
    if distance_cm > FAR_CM:
        return NO_ECHO_NS
    return round(2e9 * max(distance_cm, NEAR_CM) / SOUND_CM_PER_S)


class HcSr04(Part):
    """Measures `distance`: a length, a schedule, or another part's quantity."""

    kind = "hc-sr04"
    settings: ClassVar[dict[str, Setting]] = {
        "trig": Pin("trigger input", required=True),
        "echo": Pin("echo output", required=True),
        "distance": Signal("distance to the nearest object", required=True, least=0.0),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.trig, self.echo = values["trig"], values["echo"]
        self.distance: Track | Reference = values["distance"]
        self.rose: int | None = None
        self.busy_until = 0
        self.measured: list[float] = []
        self.too_short = self.while_busy = self.no_echo = 0

    def pins(self) -> list[Wire]:
        return [Wire("trig", self.trig, prompt=True), Wire("echo", self.echo, drives=True)]

    def start(self, bench) -> None:
        super().start(bench)
        bench.drive(self.echo, 0, 0)

    def on_pin(self, pin: int, level: int, cycle: int) -> None:
        if pin != self.trig:
            return
        if level:
            self.rose = cycle
        elif self.rose is not None:
            length, self.rose = cycle - self.rose, None
            self._triggered(length, cycle)

    def _triggered(self, length: int, cycle: int) -> None:
        cycles = self.bench.cycles
        if cycle < self.busy_until:
            self.while_busy += 1
        elif length < cycles(TRIGGER_MIN_NS):
            self.too_short += 1
        else:
            distance = self.bench.value(self.distance, cycle)
            self.measured.append(distance)
            self.no_echo += distance > FAR_CM
            rise = cycle + cycles(ECHO_DELAY_NS)
            self.busy_until = rise + cycles(echo_ns(distance))
            self.bench.drive(self.echo, 1, rise)
            self.bench.drive(self.echo, 0, self.busy_until)

    def summary(self) -> dict[str, Any]:
        return {
            "measurements": len(self.measured),
            "nearest_cm": round(min(self.measured), 2) if self.measured else None,
            "last_cm": round(self.measured[-1], 2) if self.measured else None,
            "no_echo": self.no_echo,
            "trigger_too_short": self.too_short,
            "trigger_while_busy": self.while_busy,
        }
