"""DS18B20: a thermometer on a 1-Wire bus (Maxim, rev. 6), powered at its VDD pin.

    scratchpad   0, 1 temperature   2, 3 alarms TH, TL   4 configuration   5 FF  6 0C  7 10   8 CRC

A conversion measures when it begins and takes 750 ms at 12 bits, half of that for each bit less;
read slots meanwhile give 0. Until the first one the temperature reads 85 degC. TH, TL and the
configuration are also kept in EEPROM, which takes 10 ms to write.
"""

from __future__ import annotations

from typing import Any, ClassVar

from takt.world.parts.sensors.one_wire import OneWirePart, Talk, crc8, one_wire_settings
from takt.world.parts.settings import Setting, Signal, Track

CONVERT, WRITE_SCRATCHPAD, READ_SCRATCHPAD = 0x44, 0x4E, 0xBE
COPY_SCRATCHPAD, RECALL, READ_POWER = 0x48, 0xB8, 0xB4
CONVERSION_NS, COPY_NS = 750_000_000, 10_000_000  # at 12 bits
POWER_ON = 85 * 16
COLDEST, HOTTEST = -55.0, 125.0


class Ds18b20(OneWirePart):
    """Measures `temperature`, in steps of 1/16 degC. Several may be on one pin. Slots that no data
    sheet knows are counted. Quantity for other parts: `celsius`, what it has measured."""

    kind = "ds18b20"
    family = 0x28
    quantities = ("celsius",)
    settings: ClassVar[dict[str, Setting]] = {
        **one_wire_settings(),
        "temperature": Signal(
            "temperature, -55 to 125 degC",
            default=Track.of(21.0),
            family="temperature",
            least=COLDEST,
            most=HOTTEST,
        ),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.eeprom = bytes([75, 70, 0x7F])  # as delivered: TH, TL, 12 bits
        self.kept = self.eeprom
        self.raw = self.coming_raw = POWER_ON
        self.busy_until = 0
        self.conversions = 0

    def function(self, command: int) -> Talk:
        if command == CONVERT:
            self._convert()
            yield from self._until_ready()
        elif command == READ_SCRATCHPAD:
            yield from self.give(self._scratchpad())
        elif command == WRITE_SCRATCHPAD:
            for place in range(3):
                byte = yield from self.take(1)
                self.kept = self.kept[:place] + byte + self.kept[place + 1 :]
            self.kept = self.kept[:2] + bytes([self.kept[2] & 0x60 | 0x1F])
        elif command == COPY_SCRATCHPAD:
            self.eeprom = self.kept
            self._busy(COPY_NS)
            yield from self._until_ready()
        elif command == RECALL:
            self.kept = self.eeprom
            yield from self._until_ready()
        elif command == READ_POWER:
            yield lambda: 1
        else:
            self.unknown += 1

    @property
    def _bits_less(self) -> int:
        """Than 12."""
        return 3 - (self.kept[2] >> 5 & 3)

    def _convert(self) -> None:
        self._measured()
        celsius = self.bench.value(self.values["temperature"], self._now)
        steps = round(min(max(celsius, COLDEST), HOTTEST) * 16)
        self.coming_raw = steps >> self._bits_less << self._bits_less
        self.conversions += 1
        self._busy(CONVERSION_NS >> self._bits_less)

    @property
    def _now(self) -> int:
        return self.fell if self.fell is not None else self.bench.machine.now

    def _busy(self, ns: int) -> None:
        self.busy_until = self._now + self.bench.cycles(ns)

    def _measured(self) -> None:
        """Takes over what a conversion gave that is over."""
        if self._now >= self.busy_until:
            self.raw = self.coming_raw

    def _until_ready(self) -> Talk:
        while True:
            yield lambda: int(self._now >= self.busy_until)

    def _scratchpad(self) -> bytes:
        self._measured()
        data = (self.raw & 0xFFFF).to_bytes(2, "little") + self.kept + bytes([0xFF, 0x0C, 0x10])
        return data + bytes([crc8(data)])

    def alarmed(self) -> bool:
        """Whether the last temperature, in whole degrees, is at TH or above it, at TL or below."""
        self._measured()
        high, low = (int.from_bytes(self.kept[n : n + 1], "little", signed=True) for n in (0, 1))
        return not low < self.raw >> 4 < high

    def quantity(self, name: str, cycle: int) -> float:
        return self.raw / 16

    def summary(self) -> dict[str, Any]:
        return {
            "conversions": self.conversions,
            "last_degc": self.coming_raw / 16 if self.conversions else None,
            **super().summary(),
        }
