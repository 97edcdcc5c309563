"""Stimuli of a world: what happens at given times without a part.

Each [[stimuli]] does one thing: drive a pin (`level`, or `pulse` for a short one), put a voltage
on an analog pin (`volts`), or type text on a serial port (`send`); once, or `every` so often.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from takt.world.parts.settings import (
    Choice,
    Duration,
    Pin,
    Quantity,
    Setting,
    SettingError,
    Text,
    Whole,
)

if TYPE_CHECKING:
    from takt.world.bench import Bench

LEVELS: dict[str, int | None] = {"low": 0, "high": 1, "release": None}
SETTINGS: dict[str, Setting] = {
    "at": Duration("when", required=True),
    "every": Duration("distance of repetitions"),
    "count": Whole("how often at most", least=1),
    "pin": Pin("the pin"),
    "level": Choice("what the pin is driven to", options=tuple(LEVELS)),
    "pulse": Duration("how long the level lasts before the opposite one returns"),
    "volts": Quantity("voltage on an analog pin", family="voltage", least=0.0, most=3.3),
    "send": Text("text typed on a serial port"),
    "port": Whole("the serial port", default=0, least=0, most=1),
}


class Stimulus:
    """One thing that happens, once or repeatedly."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values

    def check(self) -> None:
        """Raises SettingError when keys do not go together."""
        v = self.values
        deeds = [key for key in ("level", "volts", "send") if v[key] is not None]
        if len(deeds) != 1:
            raise SettingError(
                f"a stimulus does one thing; this one has {' and '.join(deeds) or 'none'}",
                "give one of level, volts, send",
            )
        if deeds[0] != "send" and v["pin"] is None:
            raise SettingError(f"`{deeds[0]}` needs a pin", "add pin = 3")
        if v["pulse"] is not None and v["level"] not in ("low", "high"):
            raise SettingError("a pulse needs level low or high", 'add level = "high"')
        if v["pulse"] is not None and v["every"] is not None and v["pulse"] >= v["every"]:
            raise SettingError("the pulse is longer than its distance", "make `every` longer")
        if v["every"] == 0:
            raise SettingError("`every` is zero", 'write every = "10 ms"')
        if v["count"] is not None and v["every"] is None:
            raise SettingError("`count` needs `every`", 'add every = "10 ms"')

    def driven_pins(self) -> list[int]:
        """Pins it drives with a level."""
        return [self.values["pin"]] if self.values["level"] is not None else []

    def start(self, bench: Bench) -> None:
        """Plans the first occurrence."""
        self.bench = bench
        bench.at(bench.cycles(self.values["at"]), lambda: self._occur(0))

    def _occur(self, number: int) -> None:
        v, bench = self.values, self.bench
        at = v["at"] + number * (v["every"] or 0)
        if v["level"] is not None:
            level = LEVELS[v["level"]]
            bench.drive(v["pin"], level, bench.cycles(at))
            if v["pulse"] is not None and level is not None:
                bench.drive(v["pin"], 1 - level, bench.cycles(at + v["pulse"]))
        elif v["volts"] is not None:
            bench.analog(v["pin"], v["volts"])
        else:
            bench.send(v["port"], v["send"].encode())
        more = v["count"] is None or number + 1 < v["count"]
        if v["every"] is not None and more:
            bench.at(bench.cycles(at + v["every"]), lambda: self._occur(number + 1))
