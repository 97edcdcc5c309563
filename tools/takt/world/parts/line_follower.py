"""A robot on a floor with a dark line: two motors, reflectance sensors in front, wheel encoders.

The speed of a wheel follows the duty of its PWM with the delay of a real motor. Sensors look at
the floor before the wheels; each sees the share of its spot that the line covers. Encoders give
`slots` pulses per turn of the wheel. Motion is integrated on a grid of 1 ms; the edges of the
encoders lie between the grid's points where the wheel passes them.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from takt.world.parts.base import Part, Wire
from takt.world.parts.line import Line
from takt.world.parts.settings import (
    Choice,
    Duration,
    PinList,
    PinPair,
    Points,
    Quantity,
    Setting,
    SettingError,
    Whole,
)
from takt.world.pictures import Floor, Picture

STEP_NS = 1_000_000
PATH_EVERY = 50  # steps between recorded points of the path
SPOT_CM = 1.0  # a sensor's field of view
WHITE_V, BLACK_V = 0.4, 2.9  # voltage of an analog sensor
SENSORS = 3
OVAL = [(40.0, 40.0), (200.0, 40.0), (260.0, 80.0), (200.0, 160.0), (120.0, 110.0), (40.0, 160.0)]


class _Wheel:
    """A motor with its wheel: speed, way, encoder."""

    def __init__(self, pin: int, encoder: int | None) -> None:
        self.pin, self.encoder = pin, encoder
        self.level = 0  # of the motor's pin, while it has no PWM
        self.speed = self.way = 0.0
        self.edges = 0

    def edges_within(self, before: float, pitch: float) -> list[float]:
        """Shares of the last step at which the encoder changed."""
        moved = self.way - before
        first = math.floor(before / pitch) + 1
        last = math.floor(self.way / pitch)
        return [(n * pitch - before) / moved for n in range(first, last + 1)]


class LineFollower(Part):
    """Drives as its motor pins say, forwards only; reports how well it kept to the line.
    Quantities for other parts: `x_cm`, `y_cm`, `deviation_cm`."""

    kind = "line-follower"
    quantities = ("x_cm", "y_cm", "deviation_cm")
    settings: ClassVar[dict[str, Setting]] = {
        "motors": PinPair("PWM of the left and of the right motor", required=True),
        "sensors": PinList(
            "reflectance sensors: left, middle, right", required=True, count=SENSORS
        ),
        "output": Choice(
            "what the sensors give: a voltage, or a level that is high on the line",
            default="analog",
            options=("analog", "digital"),
        ),
        "encoders": PinPair("wheel encoders, left and right"),
        "slots": Whole("encoder pulses per turn of a wheel", default=40, least=1),
        "line": Points("corners of the line, which is closed and rounded", default=OVAL),
        "bend": Quantity("how far from its end a corner begins", default=30.0, least=1.0),
        "width": Quantity("width of the line", default=2.0, least=0.5),
        "speed": Quantity("speed of a wheel at full duty", default=60.0, family="speed", least=1.0),
        "weak": Quantity("how much slower the right motor is", default=0.05, family="share"),
        "lag": Duration("time constant of the motors", default=60_000_000),
        "wheel": Quantity("diameter of a wheel", default=6.5, least=1.0),
        "track": Quantity("distance of the wheels", default=12.0, least=1.0),
        "reach": Quantity("from the wheels' axle to the sensors", default=8.0, least=0.0),
        "spacing": Quantity("distance of the sensors", default=1.6, least=0.1),
        "settle": Duration("beginning that figures leave out", default=1_000_000_000),
        "lost": Quantity("deviation beyond which the line is lost", default=5.0, least=0.5),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        encoders = values["encoders"] or (None, None)
        pairs = zip(values["motors"], encoders, strict=True)
        self.wheels = [_Wheel(pin, encoder) for pin, encoder in pairs]
        self.pitch = math.pi * values["wheel"] / (2 * values["slots"])  # cm between edges
        self.line = Line(values["line"], values["bend"])
        (self.x, self.y), self.heading = self.line.start()
        self.steps = 0
        self.shown: list[int | None] = [None] * SENSORS
        self.deviation = self.worst = self.total = 0.0
        self.counted = self.lost_steps = 0
        self.done, self.last_nearest = 0, 0  # points of the line passed
        self.path: list[list[float]] = []

    def check(self) -> None:
        pins = [wire.pin for wire in self.pins()]
        if len(set(pins)) < len(pins):
            raise SettingError("two of its wires share a pin", "use different pins")
        if len(self.values["line"]) < 3:
            raise SettingError("a closed line needs three corners", "add points to `line`")

    def pins(self) -> list[Wire]:
        sides = ("left", "right")
        analog = self.values["output"] == "analog"
        wires = [Wire(f"{side} motor", w.pin) for side, w in zip(sides, self.wheels, strict=True)]
        wires += [
            Wire(f"{place} sensor", pin, drives=True, analog=analog)
            for place, pin in zip(("left", "middle", "right"), self.values["sensors"], strict=True)
        ]
        if self.values["encoders"]:
            wires += [
                Wire(f"{side} encoder", w.encoder, drives=True)
                for side, w in zip(sides, self.wheels, strict=True)
            ]
        return wires

    def start(self, bench) -> None:
        super().start(bench)
        for wheel in self.wheels:
            if wheel.encoder is not None:
                bench.drive(wheel.encoder, 0, 0)
        self._sense()
        self.at(0, self._step)

    def on_pin(self, pin: int, level: int, cycle: int) -> None:
        for wheel in self.wheels:
            if wheel.pin == pin:
                wheel.level = level

    # Motion.

    def _duty(self, wheel: _Wheel) -> float:
        pwm = self.bench.pwm(wheel.pin)
        return pwm[1] if pwm else float(wheel.level)

    def _step(self) -> None:
        """From one point of the grid to the next; edges on the way are planned."""
        seconds, lag = STEP_NS / 1e9, self.values["lag"] / 1e9
        begin = self.steps * STEP_NS
        strength = (1.0, 1.0 - self.values["weak"])
        for wheel, share in zip(self.wheels, strength, strict=True):
            wanted = self._duty(wheel) * self.values["speed"] * share
            wheel.speed += (wanted - wheel.speed) * min(1.0, seconds / max(lag, seconds))
            before, wheel.way = wheel.way, wheel.way + wheel.speed * seconds
            for part in wheel.edges_within(before, self.pitch) if wheel.way > before else ():
                self._edge(wheel, begin + part * STEP_NS)
        self._move(seconds)
        self.steps += 1
        self.at(self.bench.cycles(self.steps * STEP_NS), self._arrive)

    def _edge(self, wheel: _Wheel, ns: float) -> None:
        wheel.edges += 1
        if wheel.encoder is not None:
            self.bench.drive(wheel.encoder, wheel.edges % 2, self.bench.cycles(ns))

    def _move(self, seconds: float) -> None:
        left, right = (wheel.speed for wheel in self.wheels)
        turn = (right - left) / self.values["track"] * seconds
        middle, forward = self.heading + turn / 2, (left + right) / 2 * seconds
        self.x += forward * math.cos(middle)
        self.y += forward * math.sin(middle)
        self.heading = math.remainder(self.heading + turn, math.tau)

    def _arrive(self) -> None:
        """At a point of the grid: what the robot sees, and how it does."""
        if self.steps % PATH_EVERY == 1:
            self.path.append([round(self.x, 1), round(self.y, 1)])
        self._sense()
        self._judge()
        self._step()

    def _sense(self) -> None:
        reach, spacing = self.values["reach"], self.values["spacing"]
        ahead = math.cos(self.heading), math.sin(self.heading)
        self.line.offset((self.x, self.y))
        for n, pin in enumerate(self.values["sensors"]):
            side = (1 - n) * spacing  # to the left
            x = self.x + reach * ahead[0] - side * ahead[1]
            y = self.y + reach * ahead[1] + side * ahead[0]
            self._show(n, pin, self._dark((x, y)))

    def _dark(self, place: tuple[float, float]) -> float:
        """The share of a sensor's spot that the line covers."""
        nearest = self.line.nearest
        away = abs(self.line.offset(place))
        self.line.nearest = nearest
        share = ((self.values["width"] + SPOT_CM) / 2 - away) / SPOT_CM
        return min(max(share, 0.0), 1.0)

    def _show(self, number: int, pin: int, dark: float) -> None:
        if self.values["output"] == "analog":
            self.bench.analog(pin, WHITE_V + dark * (BLACK_V - WHITE_V))
        elif self.shown[number] != (level := int(dark >= 0.5)):
            self.shown[number] = level
            self.bench.drive(pin, level, self.bench.machine.now)

    def _judge(self) -> None:
        count = len(self.line.points)
        self.deviation = self.line.offset((self.x, self.y))
        went = (self.line.nearest - self.last_nearest + count // 2) % count - count // 2
        self.done, self.last_nearest = self.done + went, self.line.nearest
        if self.steps * STEP_NS > self.values["settle"]:
            away = abs(self.deviation)
            self.worst = max(self.worst, away)
            self.total += away
            self.counted += 1
            self.lost_steps += away > self.values["lost"]

    def quantity(self, name: str, cycle: int) -> float:
        return {"x_cm": self.x, "y_cm": self.y}.get(name, self.deviation)

    # Report.

    def pictures(self) -> list[Picture]:
        edge = self.values["track"]
        length, width = (max(p[axis] for p in self.line.points) + 2 * edge for axis in range(2))
        line = [[round(x, 1), round(y, 1)] for x, y in self.line.points[::3]]
        path = [*self.path, [round(self.x, 1), round(self.y, 1)]]
        radius = self.values["track"] / 2
        return [Floor((length, width), radius, path, [*line, line[0]])]

    def summary(self) -> dict[str, Any]:
        way = sum(wheel.way for wheel in self.wheels) / 2
        edges = [wheel.edges for wheel in self.wheels]
        return {
            "laps": round(self.done / len(self.line.points), 2),
            "distance_cm": round(way, 1),
            "deviation_mean_cm": round(self.total / max(self.counted, 1), 2),
            "deviation_max_cm": round(self.worst, 2),
            "lost_ms": self.lost_steps,
            "left_edges": edges[0],
            "right_edges": edges[1],
        }
