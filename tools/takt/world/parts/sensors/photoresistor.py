"""A photoresistor (as the GL5528) and a resistor, between ground and the supply.

Its resistance falls with the light, on a double logarithmic scale along a line: a decade of
illuminance divides it by 10^0.7. R = R10 * (E / 10 lx)^-0.7, at most 1 MOhm in the dark.
"""

from __future__ import annotations

from typing import Any, ClassVar

from takt.world.parts.sensors.analog_source import AnalogSource
from takt.world.parts.settings import Choice, Pin, Quantity, Setting, Signal

GAMMA, REFERENCE_LX, DARK_OHM = 0.7, 10.0, 1e6


class Photoresistor(AnalogSource):
    """Gives an analog pin the voltage between itself and its resistor. Quantity for other parts:
    `ohm`."""

    kind = "photoresistor"
    quantities = ("ohm",)
    settings: ClassVar[dict[str, Setting]] = {
        "pin": Pin("the analog pin between the two", required=True),
        "light": Signal("illuminance", required=True, family="illuminance", least=0.0),
        "at_10_lx": Quantity(
            "its resistance at 10 lx", default=15e3, family="resistance", least=100.0, most=1e6
        ),
        "resistor": Quantity(
            "the other resistor", default=10e3, family="resistance", least=100.0, most=1e6
        ),
        "side": Choice(
            "what it is wired to: from the supply the voltage rises with the light",
            default="supply",
            options=("supply", "ground"),
        ),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.signal = values["light"]

    def ohm(self, lux: float) -> float:
        """Its resistance."""
        if lux <= 0:
            return DARK_OHM
        return min(self.values["at_10_lx"] * (lux / REFERENCE_LX) ** -GAMMA, DARK_OHM)

    def volts(self, value: float, supply: float) -> float:
        own, other = self.ohm(value), self.values["resistor"]
        below = other if self.values["side"] == "supply" else own
        return supply * below / (own + other)

    def quantity(self, name: str, cycle: int) -> float:
        return self.ohm(self.bench.value(self.signal, cycle))
