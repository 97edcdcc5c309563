"""AD7298: 12 bits, 8 voltages and its own temperature behind an SPI bus (Analog Devices, rev. B).

Every transfer has 16 clocks. What comes in is, with WRITE set, the control register; what goes out
is the channel (4 bits) and the value (12 bits) of the conversion that the transfer before began.

    in   WRITE REPEAT CH0 CH1 CH2 CH3 CH4 CH5 CH6 CH7 TSENSE - - EXT_REF TSENSEAVG PPD

    transfer     n: write channel      n+1: converts it       n+2: reads the value
                 (out: older)          (out: older)           (converts the next one)

Each transfer that does not write begins the conversion of the next selected channel, in rising
order, temperature last; after the last one it begins anew with REPEAT and rests without. A
transfer that ends early changes nothing.
"""

from __future__ import annotations

from typing import Any, ClassVar

from takt.world.parts.base import Carrier
from takt.world.parts.buses import SpiPart, spi_settings
from takt.world.parts.settings import Quantity, Setting

CHANNELS, TEMPERATURE = 8, 8
WRITE, REPEAT, FIRST_CHANNEL = 1 << 15, 1 << 14, 13  # CH0 is bit 13, TSENSE bit 5
FRAME_BITS, STEPS = 16, 4096
DEGREES_PER_STEP = 0.25


class Ad7298(SpiPart, Carrier):
    """Eight voltages behind an SPI bus. Parts that give voltages are wired to its inputs: with a
    converter named `adc`, `pin = "adc.3"` is input 3."""

    kind = "ad7298"
    settings: ClassVar[dict[str, Setting]] = {
        **spi_settings(),
        "volts": Quantity("voltage of the largest value", 2.5, family="voltage", least=0.1),
        "celsius": Quantity("temperature of the chip", 25.0, family="temperature"),
    }
    terminals = tuple(str(channel) for channel in range(CHANNELS))
    analog = True

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.inputs = [0.0] * CHANNELS
        self.repeat, self.selected = False, []
        self.waiting: list[int] = []  # channels still to be converted
        self.next_out = self.shift = self.taken = self.bits = 0
        self.conversions = 0

    def volts(self, pin: int, volts: float) -> None:
        self.inputs[int(self.carried[pin])] = volts

    def select(self) -> None:
        """Gives out the last value and converts the next channel."""
        super().select()
        self.shift, self.taken, self.bits = self.next_out, 0, 0
        if not self.waiting and self.repeat:
            self.waiting = list(self.selected)
        if self.waiting:
            self.next_out = self._convert(self.waiting.pop(0))

    def _convert(self, channel: int) -> int:
        self.conversions += 1
        if channel == TEMPERATURE:
            value = round(self.values["celsius"] / DEGREES_PER_STEP)
        else:
            volts = self.inputs[channel] / self.values["volts"]
            value = min(max(int(volts * STEPS), 0), STEPS - 1)
        return channel << 12 | value & (STEPS - 1)

    def transfer(self, byte: int, bits: int) -> int:
        self.shift <<= bits
        out, self.shift = self.shift >> FRAME_BITS, self.shift & (1 << FRAME_BITS) - 1
        room = max(FRAME_BITS - self.bits, 0)
        if bits <= room:
            self.taken = self.taken << bits | byte
        else:  # only the first 16 bits count
            self.taken = self.taken << room | byte >> bits - room
        self.bits += bits
        return out

    def deselect(self) -> None:
        if self.bits < FRAME_BITS or not self.taken & WRITE:
            return
        self.repeat = bool(self.taken & REPEAT)
        chosen = (c for c in range(CHANNELS + 1) if self.taken >> FIRST_CHANNEL - c & 1)
        self.selected = list(chosen)
        self.waiting = list(self.selected)

    def summary(self) -> dict[str, Any]:
        return {"transfers": self.transactions, "conversions": self.conversions}
