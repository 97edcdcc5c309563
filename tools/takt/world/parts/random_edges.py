"""A noisy pin: edges at pseudo-random distances."""

from __future__ import annotations

import zlib
from typing import Any, ClassVar

from takt.machine.wave import Random
from takt.world.parts.base import Part, Wire
from takt.world.parts.settings import Duration, Pin, Setting, SettingError, Whole


class RandomEdges(Part):
    """Changes a pin again and again, each time after another pause between `least` and `most`,
    all of them equally likely; the same in every run. Millions of edges per second are cheap."""

    kind = "random-edges"
    settings: ClassVar[dict[str, Setting]] = {
        "pin": Pin("the pin it drives", required=True),
        "least": Duration("shortest distance of two edges", required=True),
        "most": Duration("longest distance of two edges", required=True),
        "start": Duration("from when on", default=0),
        "stop": Duration("until when"),
        "seed": Whole("another number, other edges; without one the name decides", least=1),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.pin = values["pin"]
        self.edges = 0

    def check(self) -> None:
        if not 100 <= self.values["least"] <= self.values["most"]:
            raise SettingError("`least` must lie between 100 ns and `most`", 'write least = "1 us"')

    def pins(self) -> list[Wire]:
        return [Wire("pin", self.pin, drives=True)]

    def start(self, bench) -> None:
        super().start(bench)
        v = self.values
        least, most = bench.cycles(v["least"]), bench.cycles(v["most"])
        seed = v["seed"] or zlib.crc32(self.name.encode()) | 1
        stop = None if v["stop"] is None else bench.cycles(v["stop"])
        bench.wave(self.pin, Random(bench.cycles(v["start"]), least, most, seed, stop))

    def finish(self, cycle: int) -> None:
        self.edges = self.bench.wave_edges(self.pin)

    def summary(self) -> dict[str, Any]:
        return {"edges": self.edges}
