"""What every part of a world is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from takt.parts.settings import Setting

if TYPE_CHECKING:
    from takt.bench import Bench


@dataclass(frozen=True)
class Wire:
    """One connection of a part to the board.

    role: the part's name for it ("trig"). drives: the part sets the level (else it only looks).
    prompt: the part must know of a change at that very cycle, because it answers.
    """

    role: str
    pin: int
    drives: bool = False
    prompt: bool = False


class Part:
    """A thing wired to the board. Subclasses: one small class, one file.

    A part acts when a pin it looks at changes (`on_pin`) and at times it asked for (`at`).
    All times are cycles of the board's clock since reset.
    """

    kind: ClassVar[str]
    settings: ClassVar[dict[str, Setting]]
    quantities: ClassVar[tuple[str, ...]] = ()  # what other parts may refer to

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        self.name, self.values = name, values
        self.bench: Bench

    def pins(self) -> list[Wire]:
        """The wires."""
        return []

    def check(self) -> None:
        """Raises SettingError when values do not go together."""

    def start(self, bench: Bench) -> None:
        """Once, before the first instruction. Overriders call it first."""
        self.bench = bench

    def on_pin(self, pin: int, level: int, cycle: int) -> None:
        """A pin the part looks at changed at a cycle."""

    def on_byte(self, port: int, byte: int, cycle: int) -> None:
        """A byte came out of a serial port."""

    def quantity(self, name: str, cycle: int) -> float:
        """The value of one of `quantities` at a cycle."""
        raise NotImplementedError

    def finish(self, cycle: int) -> None:
        """Once, at the end of the run."""

    def summary(self) -> dict[str, Any]:
        """What the report says of the part."""
        return {}

    def picture(self) -> dict[str, Any] | None:
        """A drawing for the page: {"room": [length, width], "radius": r, "path": [[x, y], ...]}."""
        return None

    def at(self, cycle: int, action: Callable[[], None]) -> None:
        """Calls action at a cycle."""
        self.bench.at(cycle, action)
