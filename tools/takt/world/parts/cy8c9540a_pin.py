"""One pin of a CY8C9540A: what the chip, the world and the resistors make of its level."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from takt.machine.wave import Wave, level_at


class Drive(IntEnum):
    """Drive modes, in the order of their registers 1Dh-23h."""

    PULL_UP = 0
    PULL_DOWN = 1
    OPEN_HIGH = 2
    OPEN_LOW = 3
    STRONG = 4
    SLOW = 5
    HIGH_Z = 6


DRIVEN = {  # the output bits a mode drives strongly
    Drive.PULL_UP: (0,),
    Drive.PULL_DOWN: (1,),
    Drive.OPEN_HIGH: (1,),
    Drive.OPEN_LOW: (0,),
    Drive.STRONG: (0, 1),
    Drive.SLOW: (0, 1),
    Drive.HIGH_Z: (),
}
PULLED = {Drive.PULL_UP: 1, Drive.PULL_DOWN: 0}


@dataclass
class ExpanderPin:
    """State after power-on: an output that is high through a resistor, so an input with pull-up."""

    pwm: int | None = None  # the PWM that reaches it
    pin: int | None = None  # of the world; None: nothing is wired there
    out: int = 1
    is_input: bool = False
    mode: Drive = Drive.PULL_UP
    inverted: bool = False
    masked: bool = True
    uses_pwm: bool = False
    duty: float = 0.0  # of the PWM, while used
    outside: int | None = None
    wave: Wave | None = None
    changed: bool = False  # the status bit
    counted: int = 0  # edges of the wave up to the last look at the status

    def driven(self) -> int | None:
        """The level the chip forces on the wire. A PWM is seen by its mean."""
        out = self.out if not self.uses_pwm else int(self.duty >= 0.5)
        return out if not self.is_input and out in DRIVEN[self.mode] else None

    def level(self, cycle: int) -> int:
        """The level of the wire; one that nobody drives or pulls reads low."""
        driven = self.driven()
        if driven is not None:
            return driven
        if self.wave is not None:
            return level_at(self.wave, cycle)
        return PULLED.get(self.mode, 0) if self.outside is None else self.outside

    def status(self, cycle: int) -> bool:
        """Whether the wire has changed from outside since the status was last taken."""
        if self.wave is not None and self.driven() is None:
            self.changed |= self.wave.edges_until(cycle) > self.counted
        return self.changed

    def take_status(self, cycle: int) -> bool:
        """The status, which ends with this."""
        changed, self.changed = self.status(cycle), False
        if self.wave is not None:
            self.counted = self.wave.edges_until(cycle)
        return changed
