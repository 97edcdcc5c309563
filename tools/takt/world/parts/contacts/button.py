"""A push button to ground (or to the supply), with contacts that bounce."""

from __future__ import annotations

from typing import Any, ClassVar

from takt.world.parts.base import Part, Wire
from takt.world.parts.contacts.contact import Chatter, Contact, contact_settings
from takt.world.parts.settings import Choice, Duration, Pin, Presses, Setting, SettingError, Whole

SHOWN = 50  # times listed in the summary


class Button(Part):
    """Connects its pin to one level while pressed; otherwise a resistor gives the other level.

    Presses come from a list (`press`) or at even distances (`every`, `hold`, `first`, `count`).
    With `bounce`, each press and release chatters for that long, each time differently but the
    same in every run.
    """

    kind = "button"
    settings: ClassVar[dict[str, Setting]] = {
        "pin": Pin("the pin it connects", required=True),
        "pressed": Choice("level while pressed", default="low", options=("low", "high")),
        "press": Presses('when and how long: [["1 s", "100 ms"]]'),
        "first": Duration("first press of a regular series"),
        "every": Duration("distance of presses"),
        "hold": Duration("how long each is held"),
        "count": Whole("how many presses at most", least=1),
        **contact_settings("the button"),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.pin = values["pin"]
        active = 1 if values["pressed"] == "high" else 0
        rest = 1 - active if values["pull"] == "resistor" else None
        self.contact = Contact(self.pin, active, rest, Chatter(name, values["bounce"]))
        self.presses: list[int] = []  # cycles
        self.releases: list[int] = []

    def pins(self) -> list[Wire]:
        return [Wire("pin", self.pin, drives=True)]

    def check(self) -> None:
        every, hold, bounce = self.values["every"], self.values["hold"], self.values["bounce"]
        if (every is None) != (hold is None):
            missing = 'hold = "100 ms"' if hold is None else 'every = "1 s"'
            raise SettingError("`every` and `hold` go together", f"add {missing}")
        if every is not None and hold + 2 * bounce >= every:
            raise SettingError("the button would never be released", "make `every` longer")
        if self.contact.closed and self.contact.rest is None:
            raise SettingError(
                "a button to the supply needs its own resistor", 'add pull = "resistor"'
            )

    def start(self, bench) -> None:
        self.contact.start(bench)
        for at, hold in self.values["press"] or []:
            self._schedule(at, hold)
        if self.values["every"] is not None:
            first = self.values["first"]
            self._series(self.values["every"] if first is None else first, 0)

    def _series(self, at: int, number: int) -> None:
        """The press at `at`, and then the next one: nothing is planned beyond the run's end."""
        if self.values["count"] is not None and number >= self.values["count"]:
            return
        self._schedule(at, self.values["hold"])
        following = at + self.values["every"]
        self.at(self.bench.cycles(at), lambda: self._series(following, number + 1))

    def _schedule(self, at: int, hold: int) -> None:
        self.at(self.bench.cycles(at), lambda: self._change(at, True))
        release = at + hold
        self.at(self.bench.cycles(release), lambda: self._change(release, False))

    def _change(self, at: int, pressed: bool) -> None:
        (self.presses if pressed else self.releases).append(self.bench.cycles(at))
        self.contact.turn(at, pressed)

    def summary(self) -> dict[str, Any]:
        return {
            "presses": len(self.presses),
            "press_ms": [self.bench.ms(c) for c in self.presses[:SHOWN]],
            "release_ms": [self.bench.ms(c) for c in self.releases[:SHOWN]],
        }
