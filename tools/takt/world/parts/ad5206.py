"""AD5206: six digital potentiometers with 256 positions on an SPI bus (Analog Devices).

The last 11 bits before chip select rises count: 3 bits of channel (0..5), 8 bits of position.
After power-on all wipers stand in the middle. The part has no output to the controller.
"""

from __future__ import annotations

from typing import Any, ClassVar

from takt.world.parts.buses import SpiPart, spi_settings
from takt.world.parts.settings import Setting

CHANNELS, POSITIONS, MIDDLE, FRAME_BITS = 6, 256, 128, 11


class Ad5206(SpiPart):
    """Six potentiometers set over SPI. Quantities for other parts: `position1` to `position6`,
    the share of the resistance below each wiper."""

    kind = "ad5206"
    quantities = tuple(f"position{n + 1}" for n in range(CHANNELS))
    settings: ClassVar[dict[str, Setting]] = spi_settings()

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.wipers = [MIDDLE] * CHANNELS
        self.lowest, self.highest = list(self.wipers), list(self.wipers)
        self.shift = self.bits = self.sets = self.wrong = 0

    def select(self) -> None:
        super().select()
        self.shift = self.bits = 0

    def transfer(self, byte: int, bits: int) -> int:
        self.shift = (self.shift << bits | byte) & (1 << FRAME_BITS) - 1
        self.bits += bits
        return 0

    def deselect(self) -> None:
        if self.bits == 0:
            return
        channel, position = divmod(self.shift, POSITIONS)
        if self.bits < FRAME_BITS or channel >= CHANNELS:
            self.wrong += 1
            return
        self.sets += 1
        self.wipers[channel] = position
        self.lowest[channel] = min(self.lowest[channel], position)
        self.highest[channel] = max(self.highest[channel], position)

    def quantity(self, name: str, cycle: int) -> float:
        return self.wipers[self.quantities.index(name)] / (POSITIONS - 1)

    def summary(self) -> dict[str, Any]:
        return {
            "sets": self.sets,
            "lowest": self.lowest,
            "highest": self.highest,
            "last": self.wipers,
            "wrong_transfers": self.wrong,
        }
