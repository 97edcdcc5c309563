"""Parts that give an analog pin a voltage which follows something else."""

from __future__ import annotations

from typing import Any

from takt.world.parts.base import Part, Wire
from takt.world.parts.settings import Reference, Track

STEP_NS = 1_000_000  # a moving voltage is set anew this often


class AnalogSource(Part):
    """Subclasses say what they follow, and what voltage comes of it."""

    signal: Track | Reference

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.pin = values["pin"]
        self.range: list[float] = []  # lowest and highest voltage

    def volts(self, value: float, supply: float) -> float:
        """The voltage for a value of the signal. supply: what the analog pin takes at most."""
        raise NotImplementedError

    def pins(self) -> list[Wire]:
        return [Wire("pin", self.pin, drives=True, analog=True)]

    def start(self, bench) -> None:
        self._step(0)

    def _step(self, ns: int) -> None:
        supply = self.bench.world.volts
        value = self.bench.value(self.signal, self.bench.cycles(ns))
        volts = min(max(self.volts(value, supply), 0.0), supply)
        self.range = [min([volts, *self.range]), max([volts, *self.range])]
        self.bench.analog(self.pin, volts)
        if isinstance(self.signal, Track) and (
            self.signal.constant or ns >= self.signal.points[-1][0]
        ):
            return
        self.at(self.bench.cycles(ns + STEP_NS), lambda: self._step(ns + STEP_NS))

    def summary(self) -> dict[str, Any]:
        return {"volts": [round(volts, 4) for volts in self.range]}
