"""What is on wires outside, beside what parts drive: resistors to the supply, switches between two
pins, and wires that several parts pull low. Our own platform can do that, other machines cannot."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from takt.errors import UserError
from takt.world.clock import Clock

if TYPE_CHECKING:
    from takt.world.world import World


class OpenDrain:
    """A wire with a resistor: low while one part or another pulls."""

    def __init__(self, bench: Wires, pin: int) -> None:
        self.bench, self.pin = bench, pin
        self.pulling = 0  # parts

    def low(self, start: int, end: int) -> None:
        """A part pulls from one cycle to another."""
        self.bench.at(start, lambda: self._pull(1, start))
        self.bench.at(end, lambda: self._pull(-1, end))

    def _pull(self, parts: int, cycle: int) -> None:
        before = self.pulling > 0
        self.pulling += parts
        if before != (self.pulling > 0):
            self.bench.drive(self.pin, None if before else 0, cycle)


class Wires(Clock):
    """The part of Bench that deals with them."""

    machine: Any
    world: World
    at: Callable[[int, Callable[[], None]], None]
    drive: Callable[[int, int | None, int], None]
    level: Callable[[int], int]
    _keep: Callable[[int, int, int], None]

    def __init__(self, hz: int) -> None:
        super().__init__(hz)
        self._open_drains: dict[int, OpenDrain] = {}
        self.starting = ""  # a part, for messages

    def pull_up(self, pin: int) -> None:
        """A resistor to the supply, on a pin of the chip."""
        self.able("pin_pull_up")(self.world.chip[pin])

    def open_drain(self, pin: int) -> OpenDrain:
        """The wire of a bus whose parts pull it low, with its resistor: one for all of them."""
        if pin not in self._open_drains:
            self._open_drains[pin] = OpenDrain(self, pin)
            self.pull_up(pin)
        return self._open_drains[pin]

    def switch(self, a: int, b: int, closed: bool) -> None:
        """Joins two pins of the chip, or parts them, from now on."""
        before = [self.level(pin) for pin in (a, b)]
        self.able("pin_switch")(self.world.chip[a], self.world.chip[b], closed)
        for pin, level in zip((a, b), before, strict=True):
            if self.level(pin) != level:
                self._keep(self.machine.now, pin, 1 - level)

    def able(self, name: str) -> Any:
        """A method that not every machine has."""
        if not hasattr(self.machine, name):
            what = f"{self.starting!r} needs more of pins than this board's machine can do"
            raise UserError(what, fix="use the pico, the uno, stm32f051 or atmega324p")
        return getattr(self.machine, name)
