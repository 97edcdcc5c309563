"""AD5171: a digital potentiometer with 64 positions on an I2C bus (Analog Devices).

A write is an instruction byte and a position (6 bits); a read gives the position, with the two
fuse bits above it low. After power-on the wiper stands in the middle. Fuses are not modelled.
"""

from __future__ import annotations

from typing import Any, ClassVar

from takt.world.parts.buses import I2cPart, i2c_settings
from takt.world.parts.settings import Setting

POSITIONS, MIDDLE = 64, 32


class Ad5171(I2cPart):
    """A potentiometer set over I2C. Quantity for other parts: `position`, the share of the
    resistance below the wiper."""

    kind = "ad5171"
    quantities = ("position",)
    settings: ClassVar[dict[str, Setting]] = {**i2c_settings(0x2C, least=0x2C, most=0x2D)}

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.wiper, self.range = MIDDLE, [MIDDLE, MIDDLE]
        self.taken = self.sets = 0

    def addressed(self, read: bool) -> bool:
        self.taken = 0
        return True

    def write(self, byte: int) -> bool:
        self.taken += 1
        if self.taken == 2:
            self.wiper = byte % POSITIONS
            self.range = [min(self.range[0], self.wiper), max(self.range[1], self.wiper)]
            self.sets += 1
        return self.taken <= 2

    def read(self, last: bool) -> int:
        return self.wiper

    def quantity(self, name: str, cycle: int) -> float:
        return self.wiper / (POSITIONS - 1)

    def summary(self) -> dict[str, Any]:
        return {"sets": self.sets, "positions": self.range, "last_position": self.wiper}
