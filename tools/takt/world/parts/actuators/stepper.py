"""A stepper motor: its rotor follows the field of two coils, as fast as it can.

The field has eight places in an electrical turn, which is four full steps. The coils' wires are
named around it, as the inputs of a ULN2003 with a 28BYJ-48 and as A+ B+ A- B- of a bipolar motor:

    place    0    1    2    3    4    5    6    7       half steps
    on       1    1,2  2    2,3  3    3,4  4    4,1

The rotor turns the short way to where the field is, so it loses four steps (or gains them) when it
is more than half an electrical turn behind. A field opposite to it, or none, does not turn it; the
first one only says where it stands. What is there for less than SETTLED_NS, as between two
digitalWrite(), moves it next to nothing and is no place of the sequence.
"""

from __future__ import annotations

from typing import Any, ClassVar

from takt.world.parts.base import Part, Wire
from takt.world.parts.settings import Pin, PinList, Quantity, Setting, SettingError, Whole

PLACES, HALVES = 8, 2  # half steps in an electrical turn, and in a step
SETTLED_NS = 100_000
AROUND = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
FIELDS = {field: place for place, field in enumerate(AROUND)}  # currents of both coils


def _short_way(half_steps: float) -> float:
    """-4 <= x < 4, as far from a multiple of an electrical turn."""
    return (half_steps + PLACES / 2) % PLACES - PLACES / 2


class _Rotor:
    """Where the rotor is, in half steps; it goes to `goal`."""

    def __init__(self, half_steps_per_cycle: float) -> None:
        self.rate = half_steps_per_cycle
        self.at = 0.0
        self.goal: float | None = None  # None: nothing pulls
        self.moved = 0  # the cycle up to which it has

    def move(self, cycle: int) -> None:
        way, self.moved = self.rate * max(cycle - self.moved, 0), cycle
        if self.goal is not None:
            self.at += min(max(self.goal - self.at, -way), way)

    def pull(self, place: float | None, cycle: int) -> None:
        """The field is at a place of the electrical turn, or there is none."""
        self.move(cycle)
        way = None if place is None else _short_way(place - self.at)
        self.goal = None if way is None or way == -PLACES / 2 else self.at + way

    @property
    def bound_for(self) -> float:
        """Where it comes to rest."""
        return self.at if self.goal is None else self.goal


class Stepper(Part):
    """Turns as four pins of coils say (`coils`), or the inputs of a driver (`step`, `dir`). Reports
    steps it was told and steps it lost. Quantities for other parts: `steps`, `angle_deg`."""

    kind = "stepper"
    quantities = ("steps", "angle_deg")
    settings: ClassVar[dict[str, Setting]] = {
        "coils": PinList("IN1 to IN4 of a ULN2003, or A+, B+, A-, B- of two bridges", count=4),
        "step": Pin("a driver's STEP: each rise is a step"),
        "dir": Pin("a driver's DIR: high is forwards"),
        "enable": Pin("a driver's ENABLE, active low"),
        "microsteps": Whole("rises of STEP for a full step", default=1, least=1, most=256),
        "steps": Whole("full steps in a turn; a 28BYJ-48 has 2048", default=200, least=4),
        "fastest": Quantity(
            "full steps a second that it can follow",
            default=1000.0,
            family="frequency",
            least=1.0,
            most=1e6,
        ),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.levels: dict[int, int] = {}
        self.home = self.told = 0.0  # half steps, by the sequence or the driver
        self.place: float | None = None  # of the field now
        self.since = 0  # the cycle it has been there from
        self.settled: float | None = None  # the last place that was there for long enough
        self.without_torque = self.jumps = self.while_off = 0
        self.shortest: int | None = None  # cycles between two steps
        self.last_step: int | None = None

    def check(self) -> None:
        driver = [key for key in ("step", "dir") if self.values[key] is not None]
        if (self.values["coils"] is None) == (not driver):
            what = "a stepper has either coils or a driver"
            raise SettingError(what, "write coils = [8, 9, 10, 11], or step = 3 and dir = 4")
        if driver and len(driver) < 2:
            raise SettingError("`step` and `dir` go together", "add the other one")
        if not driver and (self.values["enable"] is not None or self.values["microsteps"] != 1):
            fix = "leave them out: sequences with half steps are understood"
            raise SettingError("`enable` and `microsteps` are of a driver", fix)

    def pins(self) -> list[Wire]:
        coils = self.values["coils"]
        if coils is not None:
            return [Wire("coils", pin) for pin in coils]
        keys = ("step", "dir", "enable")
        return [Wire(key, self.values[key]) for key in keys if self.values[key] is not None]

    def start(self, bench) -> None:
        self.rotor = _Rotor(self.values["fastest"] * HALVES / bench.hz)
        if self.values["step"] is not None and self.values["enable"] is None:
            self.rotor.pull(0.0, 0)

    def on_pin(self, pin: int, level: int, cycle: int) -> None:
        if self.values["coils"] is not None:
            self._settle(cycle)
            self.levels[pin] = level
            self._coils(cycle)
            return
        self.levels[pin] = level
        if pin == self.values["step"] and level:
            self._step(cycle)
        elif pin == self.values["enable"]:
            self.rotor.pull(None if level else self.told % PLACES, cycle)

    def _coils(self, cycle: int) -> None:
        on = [self.levels.get(pin, 0) for pin in self.values["coils"]]
        self.place = FIELDS.get((on[0] - on[2], on[1] - on[3]))
        self.since = cycle
        self.rotor.pull(self.place, cycle)

    def _settle(self, cycle: int) -> None:
        """Counts the place of the field that is over, if it was there for long enough."""
        if cycle - self.since < self.bench.cycles(SETTLED_NS):
            return
        if self.place is None:
            self.without_torque += any(self.levels.values())
            return
        if self.settled is None:  # it stands where the field begins
            self.home = self.told = self.settled = self.place
            self.rotor.at = self.rotor.goal = self.place
            return
        way = _short_way(self.place - self.settled)
        if way == -PLACES / 2:
            self.jumps += 1
            way = 0.0
        elif way:
            self._stepped(self.since)
        self.told += way
        self.settled = self.place

    def _step(self, cycle: int) -> None:
        if self.values["enable"] is not None and self.levels.get(self.values["enable"], 0):
            self.while_off += 1
            return
        forwards = self.levels.get(self.values["dir"], 0)
        self.told += (HALVES if forwards else -HALVES) / self.values["microsteps"]
        self._stepped(cycle)
        self.rotor.pull(self.told % PLACES, cycle)

    def _stepped(self, cycle: int) -> None:
        if self.last_step is not None:
            between = cycle - self.last_step
            self.shortest = min(between, between if self.shortest is None else self.shortest)
        self.last_step = cycle

    def quantity(self, name: str, cycle: int) -> float:
        self.rotor.move(cycle)
        steps = (self.rotor.at - self.home) / HALVES
        return steps if name == "steps" else steps * 360 / self.values["steps"]

    def finish(self, cycle: int) -> None:
        if self.values["coils"] is not None:
            self._settle(cycle)
        self.rotor.move(cycle)

    def summary(self) -> dict[str, Any]:
        bench, shortest = self.bench, self.shortest
        steps = (self.rotor.at - self.home) / HALVES
        told = (self.told - self.home) / HALVES
        found = {
            "steps": round(steps, 2),
            "told_steps": round(told, 2),
            "lost_steps": round((self.told - self.rotor.bound_for) / HALVES, 2),
            "turned_deg": round(steps * 360 / self.values["steps"], 2),
            "fastest_hz": None if not shortest else round(bench.hz / shortest, 1),
        }
        if self.values["coils"] is not None:
            found |= {"jumps": self.jumps, "without_torque": self.without_torque}
        elif self.values["enable"] is not None:
            found["steps_while_off"] = self.while_off
        return found
