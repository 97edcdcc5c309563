"""A rover with two driven wheels in a rectangular room.

Each wheel hangs on an H-bridge with two inputs: high/low is forward, low/high backward, equal
levels stop it. Wheels reach their speed at once. The body is a disc; touching a wall stops it
there and counts as a collision. `distance_cm` is what a sensor at the front of the body sees:
the nearest point of a wall within its beam.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, ClassVar

from takt.world.parts.base import Part, Wire
from takt.world.parts.settings import (
    Context,
    PinPair,
    Quantity,
    Setting,
    SettingError,
    pairs_of,
    with_unit,
)
from takt.world.pictures import Floor, Picture

STEP_NS = 1_000_000  # motion is integrated on this grid
ACTUATION_GAP_NS = 10_000_000  # writes closer together belong to one call of the motor code
PATH_EVERY = 100  # steps between recorded points of the path


class Lengths(Setting):
    """Two lengths: ["4 m", "3 m"]."""

    def read(self, value: Any, context: Context) -> tuple[float, float]:
        ((first, second),) = pairs_of([value], '["4 m", "3 m"]')
        return float(with_unit(first, "distance")), float(with_unit(second, "distance"))


class Rover(Part):
    """Drives as its motor pins say; reports where it went and how it was steered. Quantities for
    other parts: `distance_cm`, `x_cm`, `y_cm`."""

    kind = "rover"
    quantities = ("distance_cm", "x_cm", "y_cm")
    settings: ClassVar[dict[str, Setting]] = {
        "left": PinPair("H-bridge inputs of the left motor: forward, backward", required=True),
        "right": PinPair("H-bridge inputs of the right motor", required=True),
        "room": Lengths("length and width of the room", default=(400.0, 300.0)),
        "start": Lengths("where the rover starts, from the room's corner", default=(200.0, 150.0)),
        "heading": Quantity(
            "where it looks; 0 is along the length, 90 deg to its left", default=0.0, family="angle"
        ),
        "speed": Quantity("speed of a wheel", default=50.0, family="speed", least=0.1),
        "track": Quantity("distance of the wheels", default=14.0, least=1.0),
        "radius": Quantity("radius of the body", default=10.0, least=1.0),
        "beam": Quantity(
            "half angle of the sensor's beam", default=15.0, family="angle", least=0.0, most=60.0
        ),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.left, self.right = values["left"], values["right"]
        self.size = values["room"]
        self.x, self.y = values["start"]
        self.heading = math.radians(values["heading"])
        self.levels = dict.fromkeys((*self.left, *self.right), 0)
        self.steps = 0  # motion is known up to steps * STEP_NS
        self.touching = False
        self.collisions, self.travelled = 0, 0.0
        self.collision_ms: list[int] = []
        self.clearance_min = self._clearance()
        self.path: list[tuple[int, float, float]] = []
        self.calls: list[int] = []  # cycles at which the motor code was called
        self.last_write: int | None = None
        self.burst: set[int] = set()  # pins written in this burst
        self.counted = False

    def check(self) -> None:
        if len({*self.left, *self.right}) < 4:
            raise SettingError("left and right share a pin", "use four different pins")
        if self._clearance() < 0:
            raise SettingError("the rover starts inside a wall", "move `start` or widen `room`")

    def pins(self) -> list[Wire]:
        roles = ("left forward", "left backward", "right forward", "right backward")
        pins = (*self.left, *self.right)
        return [Wire(role, pin) for role, pin in zip(roles, pins, strict=True)]

    def start(self, bench) -> None:
        super().start(bench)
        bench.want_writes(self)

    # What the board does.

    def on_pin(self, pin: int, level: int, cycle: int) -> None:
        self._advance(cycle)
        self.levels[pin] = level

    def on_write(self, pin: int, cycle: int, sure: bool) -> None:
        """The firmware wrote a motor pin, whether or not that changed it. A burst of writes is a
        call of the motor code, from its first write on. Where pins are written in groups, one
        that changes nothing may have meant another pin: then it takes all four to be sure."""
        last, self.last_write = self.last_write, cycle
        if last is None or cycle - last > self.bench.cycles(ACTUATION_GAP_NS):
            self.burst, self.counted = set(), False
        self.burst.add(pin)
        if not self.counted and (sure or len(self.burst) == len(self.levels)):
            self.counted = True
            self.calls.append(cycle)

    # Motion.

    def _wheel(self, pins: tuple[int, int]) -> float:
        return (self.levels[pins[0]] - self.levels[pins[1]]) * self.values["speed"]

    def _advance(self, cycle: int) -> None:
        """Moves on to the last grid point not after the cycle."""
        target = self.bench.ns(cycle) // STEP_NS
        left, right = self._wheel(self.left), self._wheel(self.right)
        while self.steps < target:
            if self.steps % PATH_EVERY == 0:
                self.path.append((self.steps, self.x, self.y))
            self.steps += 1
            if left or right:
                self._step(left, right, STEP_NS / 1e9)

    def _step(self, left: float, right: float, seconds: float) -> None:
        forward = (left + right) / 2 * seconds
        turn = (right - left) / self.values["track"] * seconds
        middle = self.heading + turn / 2
        self.heading = math.remainder(self.heading + turn, math.tau)
        self.x += forward * math.cos(middle)
        self.y += forward * math.sin(middle)
        self.travelled += abs(forward)
        self._touch()

    def _clearance(self) -> float:
        length, width = self.size
        nearest = min(self.x, length - self.x, self.y, width - self.y)
        return nearest - self.values["radius"]

    def _touch(self) -> None:
        clearance, radius = self._clearance(), self.values["radius"]
        self.clearance_min = min(self.clearance_min, max(clearance, 0.0))
        if clearance < 0:
            self.x = min(max(self.x, radius), self.size[0] - radius)
            self.y = min(max(self.y, radius), self.size[1] - radius)
            if not self.touching:
                self.collisions += 1
                self.collision_ms.append(self.steps)
        self.touching = clearance < 0

    # What sensors see.

    def quantity(self, name: str, cycle: int) -> float:
        self._advance(cycle)
        if name == "distance_cm":
            return self._seen()
        return self.x if name == "x_cm" else self.y

    def _seen(self) -> float:
        """Nearest wall within the beam, from the front of the body."""
        radius, beam = self.values["radius"], math.radians(self.values["beam"])
        x = self.x + radius * math.cos(self.heading)
        y = self.y + radius * math.sin(self.heading)
        walls = ((0.0, self.size[0] - x), (90.0, self.size[1] - y), (180.0, x), (-90.0, y))
        nearest = math.inf
        for direction, away in walls:
            off = abs(math.remainder(math.radians(direction) - self.heading, math.tau)) - beam
            if off < math.pi / 2 - 1e-6:
                nearest = min(nearest, max(away, 0.0) / math.cos(max(off, 0.0)))
        return nearest

    # Report.

    def pictures(self) -> list[Picture]:
        points = [[round(x, 1), round(y, 1)] for _, x, y in self.path]
        points.append([round(self.x, 1), round(self.y, 1)])
        return [Floor(self.size, self.values["radius"], points)]

    def finish(self, cycle: int) -> None:
        self._advance(cycle)

    def summary(self) -> dict[str, Any]:
        calls = self.calls
        gaps = [self.bench.ms(b - a) for a, b in itertools.pairwise(calls)]
        return {
            "collisions": self.collisions,
            "collision_ms": self.collision_ms[:20],
            "min_clearance_cm": round(self.clearance_min, 2),
            "travelled_cm": round(self.travelled, 1),
            "position_cm": [round(self.x, 1), round(self.y, 1)],
            "heading_deg": round(math.degrees(self.heading), 1),
            "actuations": len(calls),
            "actuation_interval_ms": {
                "min": min(gaps),
                "mean": round(sum(gaps) / len(gaps), 3),
                "max": max(gaps),
            }
            if gaps
            else None,
        }
