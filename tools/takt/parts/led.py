"""A light-emitting diode."""

from __future__ import annotations

import itertools
from typing import Any, ClassVar

from takt.parts.base import Part, Wire
from takt.parts.settings import Choice, Pin, Setting


class Led(Part):
    """Lit while its pin is at the active level. Reports when it was lit, and how often."""

    kind = "led"
    settings: ClassVar[dict[str, Setting]] = {
        "pin": Pin("the pin it hangs on", required=True),
        "active": Choice("level that lights it", default="high", options=("high", "low")),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.pin = values["pin"]
        self.active = 1 if values["active"] == "high" else 0
        self.changes: list[tuple[int, bool]] = []  # cycle, lit
        self.lit = False
        self.end = 0

    def pins(self) -> list[Wire]:
        return [Wire("pin", self.pin)]

    def on_pin(self, pin: int, level: int, cycle: int) -> None:
        lit = level == self.active
        if lit != self.lit:
            self.lit = lit
            self.changes.append((cycle, lit))

    def finish(self, cycle: int) -> None:
        self.end = cycle
        self.pwm = self.bench.machine.pin_pwm(self.pin)

    def _lit_cycles(self) -> int:
        spans = itertools.pairwise([*self.changes, (self.end, False)])
        return sum(following - cycle for (cycle, lit), (following, _) in spans if lit)

    def summary(self) -> dict[str, Any]:
        ms = self.bench.ms
        spans = [(lit, ms(b - a)) for (a, lit), (b, _) in itertools.pairwise(self.changes)]
        on = [length for lit, length in spans if lit]
        off = [length for lit, length in spans if not lit]
        share = self._lit_cycles() / self.end if self.end else 0.0
        found = {
            "lit": self.lit,
            "toggles": len(self.changes),
            "first_ms": ms(self.changes[0][0]) if self.changes else None,
            "lit_share": round(share, 4),
            "on_ms": {"min": min(on), "max": max(on)} if on else None,
            "off_ms": {"min": min(off), "max": max(off)} if off else None,
        }
        if self.pwm:
            found["pwm_hz"], found["pwm_duty"] = round(self.pwm[0], 3), round(self.pwm[1], 4)
        return found
