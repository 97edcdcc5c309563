"""A rotary encoder with detents and two contacts to ground, as the KY-040 and the EC11.

Four quarter steps lie between two detents, where both contacts are open. Clockwise:

         detent                          detent
    A    ------+               +--------------
               +---------------+
    B    --------------+               +------
                       +---------------+
    quarter   0    1       2       3       4
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any, ClassVar

from takt.world.parts.base import Part, Wire
from takt.world.parts.contacts.contact import PULLS, Chatter, Contact, contact_settings
from takt.world.parts.settings import (
    Pin,
    Presses,
    Reference,
    Setting,
    SettingError,
    Signal,
    Track,
    Whole,
)

QUARTERS, TURN = 4, 360.0
CLOSED = ((False, False), (True, False), (True, True), (False, True))  # A and B, by quarter


class RotaryEncoder(Part):
    """Turns as `angle` says, clockwise for rising angles, and is pressed at times. Quantity for
    other parts: `angle_deg`."""

    kind = "rotary-encoder"
    quantities = ("angle_deg",)
    settings: ClassVar[dict[str, Setting]] = {
        "a": Pin("contact that leads when it turns clockwise", required=True),
        "b": Pin("the other contact", required=True),
        "angle": Signal(
            'how far it is turned when: [["1 s", "0 deg"], ["3 s", "720 deg"]]',
            required=True,
            family="angle",
        ),
        "detents": Whole("detents in a turn", default=20, least=1, most=1000),
        "push": Pin("contact of the knob when it is pressed"),
        "press": Presses('when it is pressed, and how long: [["1 s", "100 ms"]]'),
        **contact_settings("the encoder"),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.angle: Track | Reference = values["angle"]
        self.per_degree = values["detents"] * QUARTERS / TURN
        self.quarter = self.quarters = self.presses = 0  # where it is; how many it has gone
        rest = PULLS[values["pull"]]
        pins = {key: values[key] for key in ("a", "b", "push") if values[key] is not None}
        self.contacts = {
            key: Contact(pin, 0, rest, Chatter(f"{name}.{key}", values["bounce"]))
            for key, pin in pins.items()
        }

    def pins(self) -> list[Wire]:
        return [Wire(key, contact.pin, drives=True) for key, contact in self.contacts.items()]

    def check(self) -> None:
        if (self.values["push"] is None) != (self.values["press"] is None):
            raise SettingError("`push` and `press` go together", 'add press = [["1 s", "100 ms"]]')
        if isinstance(self.angle, Reference):
            fix = 'write [["1 s", "0 deg"], ["3 s", "720 deg"]]'
            raise SettingError("the angle of an encoder cannot be another part's", fix)
        for (before, one), (after, other) in itertools.pairwise(self.angle.points):
            quarters = abs(other - one) * self.per_degree
            if quarters and (after - before) * 2 / quarters <= self.values["bounce"]:
                raise SettingError(
                    f"from {one:g} deg to {other:g} deg contacts change within their bounce",
                    "turn more slowly, or make `bounce` shorter",
                )

    def start(self, bench) -> None:
        for contact in self.contacts.values():
            contact.start(bench)
        self.quarter = self._nearest(self.angle.points[0][1])
        for key, closed in zip("ab", CLOSED[self.quarter % QUARTERS], strict=True):
            if closed:
                bench.drive(self.contacts[key].pin, 0, 0)
        self._next(self._crossings())
        for at, hold in self.values["press"] or []:
            self.at(bench.cycles(at), lambda at=at, hold=hold: self._pressed(at, hold))

    def _nearest(self, degrees: float) -> int:
        return math.floor(degrees * self.per_degree + 0.5)

    def _crossings(self) -> Iterator[tuple[int, int]]:
        """(ns, quarter) whenever the nearest quarter changes."""
        for (before, one), (after, other) in itertools.pairwise(self.angle.points):
            start, end = self._nearest(one), self._nearest(other)
            step = 1 if end > start else -1
            for quarter in range(start + step, end + step, step) if end != start else ():
                edge = (quarter - step / 2) / self.per_degree
                yield round(before + (edge - one) / (other - one) * (after - before)), quarter

    def _next(self, coming: Iterator[tuple[int, int]]) -> None:
        """Plans the next change, and nothing beyond it."""
        found = next(coming, None)
        if found is not None:
            at, quarter = found
            self.at(self.bench.cycles(at), lambda: self._turn(at, quarter, coming))

    def _turn(self, at: int, quarter: int, coming: Iterator[tuple[int, int]]) -> None:
        before, after = CLOSED[self.quarter % QUARTERS], CLOSED[quarter % QUARTERS]
        for key, was, closed in zip("ab", before, after, strict=True):
            if was != closed:
                self.contacts[key].turn(at, closed)
        self.quarter = quarter
        self.quarters += 1
        self._next(coming)

    def _pressed(self, at: int, hold: int) -> None:
        self.presses += 1
        self.contacts["push"].turn(at, True)
        release = at + hold
        self.at(self.bench.cycles(release), lambda: self.contacts["push"].turn(release, False))

    def quantity(self, name: str, cycle: int) -> float:
        return self.bench.value(self.angle, cycle)

    def summary(self) -> dict[str, Any]:
        return {
            "quarter_steps": self.quarters,
            "detents": self.quarter / QUARTERS,
            "presses": self.presses,
        }
