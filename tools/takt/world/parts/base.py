"""What every part of a world is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from takt.world.parts.settings import Setting
from takt.world.pictures import Picture

if TYPE_CHECKING:
    from takt.machine.wave import Wave
    from takt.world.bench import Bench

Held = str | bytes | Callable[[Path], None]  # what a file holds, or what writes it


@dataclass(frozen=True)
class Wire:
    """One connection of a part to the board.

    role: the part's name for it ("trig"). drives: the part sets the level (else it only looks).
    prompt: the part must know of a change at that very cycle, because it answers. analog: a
    voltage, for which the pin must have an analog input. chip: only a pin of the chip alone will
    do. bus: parts of one bus share its wire, which each of them only pulls low.
    """

    role: str
    pin: int
    drives: bool = False
    prompt: bool = False
    analog: bool = False
    chip: bool = False
    bus: str = ""


class Part:
    """A thing wired to the board. Subclasses: one small class, one file.

    A part acts when a pin it looks at changes (`on_pin`) and at times it asked for (`at`).
    All times are cycles of the board's clock since reset.
    """

    kind: ClassVar[str]
    settings: ClassVar[dict[str, Setting]] = {}
    quantities: ClassVar[tuple[str, ...]] = ()  # what other parts may refer to

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        self.name, self.values = name, values
        self.bench: Bench

    def pins(self) -> list[Wire]:
        """The wires."""
        return []

    def ports(self) -> list[int]:
        """Serial ports whose bytes the part must know of at that very cycle, because it answers."""
        return []

    def serial_port(self) -> int | None:
        """The serial port of the board that it is wired to."""
        return None

    def check(self) -> None:
        """Raises SettingError when values do not go together."""

    def claims(self) -> dict[str, str]:
        """What only one part may have, and the setting that says so: {"address 0x20 ...": key}."""
        return {}

    def on_bus(self) -> tuple[str, int] | None:
        """The bus of the chip that it is on, by the setting that says so: ("i2c", 0)."""
        if "spi" in self.values and self.values.get("select") is not None:
            return "spi", self.values["spi"] or 0
        return ("i2c", self.values["i2c"] or 0) if "i2c" in self.values else None

    def connect(self, bench: Bench) -> None:
        """The part is on the bench. Overriders call it first."""
        self.bench = bench

    def start(self, bench: Bench) -> None:
        """Once, before the first instruction."""

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

    def files(self) -> dict[str, Held]:
        """Files for the folder of the report, by name."""
        return {}

    def pictures(self) -> list[Picture]:
        """What the part looks like at the end of the run."""
        return []

    def at(self, cycle: int, action: Callable[[], None]) -> None:
        """Calls action at a cycle."""
        self.bench.at(cycle, action)


class Carrier(Part):
    """A part behind a bus that has pins of its own, to which other parts are wired.

    Its terminals are pins of the world like those of the chip: the bench asks the carrier of a
    pin instead of the machine. A carrier tells the bench what it drives with `bench.changed()`.
    """

    terminals: ClassVar[tuple[str, ...]] = ()  # their names: "expander.2.3" is 2.3 of expander
    analog: ClassVar[bool] = False  # voltages come in, else levels go both ways

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.carried: dict[int, str] = {}  # pin of the world -> terminal

    def attach(self, carried: dict[int, str]) -> None:
        """Says which pins of the world are at which terminals, before start()."""
        self.carried = carried

    def outside(self, pin: int, level: int | None, cycle: int) -> None:
        """The world drives a pin from now on, or lets it go."""

    def level(self, pin: int) -> int:
        """The level at a pin now."""
        return 0

    def wave(self, pin: int, wave: Wave) -> None:
        """The world drives a pin with a wave, from its start on."""

    def volts(self, pin: int, volts: float) -> None:
        """The world puts a voltage on a pin."""

    def pwm(self, pin: int) -> tuple[float, float] | None:
        """Frequency in Hz and duty 0..1, where the part drives a pin with PWM."""
        return None
