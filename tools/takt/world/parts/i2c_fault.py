"""A fault of an I2C bus: a line that somebody holds low."""

from __future__ import annotations

from typing import Any, ClassVar

from takt.world.parts.base import Part
from takt.world.parts.settings import Choice, Duration, Setting, SettingError, Whole


class I2cFault(Part):
    """Holds one line of a bus low from a time on: for so long, until so many clock pulses have
    passed (data only: what a target does that was interrupted within a byte), or for ever."""

    kind = "i2c-fault"
    settings: ClassVar[dict[str, Setting]] = {
        "i2c": Whole("the I2C block of the chip: 0 is Wire", default=0, least=0, most=1),
        "line": Choice("the line held low: data or clock", default="sda", options=("sda", "scl")),
        "at": Duration("when it begins", required=True),
        "lasts": Duration("how long it lasts"),
        "clocks": Whole("clock pulses after which the data line is let go", least=1),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.begun: float | None = None  # ms
        self.ended: float | None = None

    def check(self) -> None:
        v = self.values
        if v["clocks"] is not None and (v["line"] == "scl" or v["lasts"] is not None):
            raise SettingError(
                "`clocks` is for the data line, without `lasts`", 'write line = "sda"'
            )

    def start(self, bench) -> None:
        super().start(bench)
        at, lasts = self.values["at"], self.values["lasts"]
        self.at(bench.cycles(at), self._begin)
        if lasts is not None:
            self.at(bench.cycles(at + lasts), self._end)

    def _hold(self, low: bool, clocks: int | None = None) -> None:
        lines = {"sda": None, "scl": None} | {self.values["line"]: low}
        self.bench.machine.i2c_hold(self.values["i2c"], lines["sda"], lines["scl"], clocks)

    def _begin(self) -> None:
        self.begun = self.bench.ms(self.bench.machine.now)
        self._hold(True, self.values["clocks"])

    def _end(self) -> None:
        self.ended = self.bench.ms(self.bench.machine.now)
        self._hold(False)

    def summary(self) -> dict[str, Any]:
        return {"line": self.values["line"], "begun_ms": self.begun, "ended_ms": self.ended}
