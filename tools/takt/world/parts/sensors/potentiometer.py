"""A potentiometer between ground and the supply, or any slowly changing voltage."""

from __future__ import annotations

from typing import Any, ClassVar

from takt.world.parts.sensors.analog_source import AnalogSource
from takt.world.parts.settings import Pin, Setting, SettingError, Signal

LEAST_SUPPLY_V = 3.3  # of the boards


class Potentiometer(AnalogSource):
    """Gives an analog pin a voltage: constant, along a schedule, or another part's quantity."""

    kind = "potentiometer"
    settings: ClassVar[dict[str, Setting]] = {
        "pin": Pin("the analog pin of the wiper", required=True),
        "voltage": Signal("voltage of the wiper", family="voltage", least=0.0, most=LEAST_SUPPLY_V),
        "position": Signal(
            "position of the wiper between ground and the supply",
            family="share",
            least=0.0,
            most=1.0,
        ),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.by_voltage = values["voltage"] is not None
        self.signal = values["voltage"] if self.by_voltage else values["position"]

    def check(self) -> None:
        if (self.values["voltage"] is None) == (self.values["position"] is None):
            raise SettingError(
                "a potentiometer has either a voltage or a position",
                'write voltage = "1.65 V" or position = "50 %"',
            )

    def volts(self, value: float, supply: float) -> float:
        return value if self.by_voltage else value * supply
