"""A potentiometer between ground and the supply, or any slowly changing voltage."""

from __future__ import annotations

from typing import Any, ClassVar

from takt.world.parts.base import Part, Wire
from takt.world.parts.settings import Pin, Reference, Setting, SettingError, Signal, Track

SUPPLY_V = 3.3
STEP_NS = 1_000_000  # a moving voltage is set anew this often


class Potentiometer(Part):
    """Gives an analog pin a voltage: constant, along a schedule, or another part's quantity."""

    kind = "potentiometer"
    settings: ClassVar[dict[str, Setting]] = {
        "pin": Pin("the analog pin of the wiper", required=True),
        "voltage": Signal("voltage of the wiper", family="voltage", least=0.0, most=SUPPLY_V),
        "position": Signal("position of the wiper", family="share", least=0.0, most=1.0),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.pin = values["pin"]
        by_voltage = values["voltage"] is not None
        self.signal: Track | Reference = values["voltage"] if by_voltage else values["position"]
        self.scale = 1.0 if by_voltage else SUPPLY_V
        self.range = [SUPPLY_V, 0.0]

    def check(self) -> None:
        if (self.values["voltage"] is None) == (self.values["position"] is None):
            raise SettingError(
                "a potentiometer has either a voltage or a position",
                'write voltage = "1.65 V" or position = "50 %"',
            )

    def pins(self) -> list[Wire]:
        return [Wire("pin", self.pin, drives=True, analog=True)]

    def start(self, bench) -> None:
        super().start(bench)
        self._step(0)

    def _step(self, ns: int) -> None:
        volts = self.scale * self.bench.value(self.signal, self.bench.cycles(ns))
        volts = min(max(volts, 0.0), SUPPLY_V)
        self.range = [min(self.range[0], volts), max(self.range[1], volts)]
        self.bench.analog(self.pin, volts)
        if isinstance(self.signal, Track) and (
            self.signal.constant or ns >= self.signal.points[-1][0]
        ):
            return
        self.at(self.bench.cycles(ns + STEP_NS), lambda: self._step(ns + STEP_NS))

    def summary(self) -> dict[str, Any]:
        return {"volts": [round(self.range[0], 4), round(self.range[1], 4)]}
