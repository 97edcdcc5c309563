"""HC-SR501: a passive infrared sensor of motion.

Its output rises when something warm moves and falls when nothing has moved for `hold`; after that
it is blind for `blind`. (Its jumper is at H: motion meanwhile keeps the output high. The minute it
needs after power-on is over.)
"""

from __future__ import annotations

from typing import Any, ClassVar

from takt.world.parts.base import Part, Wire
from takt.world.parts.settings import Duration, Pin, Presses, Setting

SHOWN = 50  # detections in the summary


class Pir(Part):
    """High while it sees motion, and for `hold` after it."""

    kind = "pir"
    settings: ClassVar[dict[str, Setting]] = {
        "pin": Pin("the pin it drives", required=True),
        "motion": Presses('when something moves, and how long: [["5 s", "2 s"]]', required=True),
        "hold": Duration("how long its output stays high after motion", default=3_000_000_000),
        "blind": Duration("how long it sees nothing after that", default=2_500_000_000),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.pin = values["pin"]
        self.missed = 0
        self.detections = self._detections()
        self.seen: list[int] = []  # cycles

    def pins(self) -> list[Wire]:
        return [Wire("pin", self.pin, drives=True)]

    def _detections(self) -> list[tuple[int, int]]:
        """(rise, fall) of the output, in ns."""
        found: list[tuple[int, int]] = []
        for at, length in self.values["motion"]:
            end = at + length
            if found and at <= found[-1][1]:
                found[-1] = found[-1][0], end + self.values["hold"]
                continue
            begin = max(at, found[-1][1] + self.values["blind"]) if found else at
            if begin > end:
                self.missed += 1
            else:
                found.append((begin, end + self.values["hold"]))
        return found

    def start(self, bench) -> None:
        bench.drive(self.pin, 0, 0)
        for rise, fall in self.detections:
            self.at(bench.cycles(rise), lambda rise=rise: self._rise(bench.cycles(rise)))
            bench.drive(self.pin, 0, bench.cycles(fall))

    def _rise(self, cycle: int) -> None:
        self.seen.append(cycle)
        self.bench.drive(self.pin, 1, cycle)

    def summary(self) -> dict[str, Any]:
        return {
            "detections": len(self.seen),
            "detected_ms": [self.bench.ms(cycle) for cycle in self.seen[:SHOWN]],
            "missed_while_blind": self.missed,
        }
