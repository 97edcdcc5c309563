"""A world: the parts and stimuli around a board, and what is behind the board's pins."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from takt import boards
from takt.boards import Board
from takt.build import sketch
from takt.errors import UserError
from takt.paths import shown
from takt.world import toml_lines
from takt.world.onboard import board_wiring
from takt.world.parts import Carrier, Part
from takt.world.stimuli import Stimulus

FILE = "world.toml"
USUAL_BOARD = "pico"
USUAL_VOLTS = 3.3
USUAL_BUSES = {"i2c": 2, "spi": 2}
USUAL_PORTS = ("Serial", "Serial1")
ANALOG = re.compile(r"A\d")


class HasPins(Protocol):
    """What a world needs to know of a board; `raw`, where it has that, is its board.toml."""

    @property
    def pins(self) -> Mapping[str, int]: ...


@dataclass
class World:
    """Parts and stimuli around a board, checked."""

    pins: Mapping[str, int]
    name: str = ""
    parts: dict[str, Part] = field(default_factory=dict)
    stimuli: list[Stimulus] = field(default_factory=list)
    chip: dict[int, int] = field(default_factory=dict)  # pin -> pin of the chip
    onboard: dict[str, Carrier] = field(default_factory=dict)  # parts the board has
    carriers: dict[int, Carrier] = field(default_factory=dict)  # pin -> who has it; levels
    converters: dict[int, Carrier] = field(default_factory=dict)  # pin -> who has it; voltages
    channels: dict[int, int] = field(default_factory=dict)  # pin -> input of the chip's ADC
    serial: tuple[str, ...] = USUAL_PORTS  # names of the board's ports
    volts: float = USUAL_VOLTS  # what analog pins take at most
    buses: Mapping[str, int] = field(default_factory=lambda: USUAL_BUSES)  # how many of a kind

    def everything(self) -> dict[str, Part]:
        """The board's parts and the world's, by name."""
        return {**self.onboard, **self.parts}

    def carry(self, part: Carrier) -> None:
        """The pins a part has been attached to are its pins."""
        mine = self.converters if part.analog else self.carriers
        mine.update(dict.fromkeys(part.carried, part))

    def carrier(self, pin: int) -> Carrier | None:
        """The part behind a pin, for levels."""
        return self.carriers.get(pin)

    def converter(self, pin: int) -> Carrier | None:
        """The part behind a pin, for voltages."""
        return self.converters.get(pin)

    def adc_channel(self, pin: int) -> int:
        """The chip's ADC input behind a pin."""
        return self.channels[pin]

    def is_analog(self, pin: int) -> bool:
        """Whether a voltage on the pin is seen by anybody."""
        return pin in self.converters or (pin in self.chip and pin in self.channels)

    def is_digital(self, pin: int) -> bool:
        """Whether a level on the pin is seen by anybody."""
        return pin in self.carriers or pin in self.chip

    def name_of(self, pin: int) -> int | str:
        """How a world file names a pin: terminals of parts have no numbers there."""
        return next((n for n, p in self.pins.items() if p == pin and "." in n), pin)

    def terminal(self, pin: int) -> str:
        """The terminal of a part that a pin is; empty: none."""
        name = self.name_of(pin)
        return name if isinstance(name, str) else ""

    def analog_names(self) -> list[str]:
        """Names of the analog pins."""
        found: dict[int, str] = {}
        for name, pin in self.pins.items():
            if self.is_analog(pin) and (pin not in found or ANALOG.fullmatch(name)):
                found[pin] = name
        return [name for _, name in sorted(found.items())]

    def labels(self) -> dict[int, str]:
        """A word for every wired pin: "sonar.echo"."""
        found: dict[int, str] = {}
        for part in self.everything().values():
            for wire in part.pins():
                name = part.name.removeprefix("board.")
                word = wire.bus or (name if wire.role == "pin" else f"{name} {wire.role}")
                found.setdefault(wire.pin, word)
        return found


def analog_inputs(board: HasPins) -> dict[int, int]:
    """Pin -> ADC input; where board.toml does not say, A0 is input 0."""
    named = {name: int(name[1:]) for name in board.pins if ANALOG.fullmatch(name)}
    channels = getattr(board, "raw", {}).get("adc", {}).get("channels", named)
    return {board.pins[name]: channel for name, channel in channels.items()}


def empty(board: HasPins) -> World:
    """Nothing but the board."""
    wiring = board_wiring(board.pins, getattr(board, "raw", {}))
    world = World(board.pins, chip=wiring.chip, onboard=wiring.parts, channels=analog_inputs(board))
    ports = getattr(board, "raw", {}).get("serial", {}).get("ports", ())
    world.serial = tuple(port["name"] for port in ports) or USUAL_PORTS
    world.volts = getattr(board, "raw", {}).get("adc", {}).get("volts", USUAL_VOLTS)
    if hasattr(board, "raw"):
        world.buses = board.raw.get("buses", {})
    for part in wiring.parts.values():
        world.carry(part)
    return world


def load(folder: Path, board: HasPins) -> World:
    """The world of a sketch folder; without a world file nothing surrounds the board."""
    from takt.world import own_parts
    from takt.world.world_file import Reader

    text, raw = _read(folder)
    with own_parts.told():
        return Reader(folder / FILE, text, empty(board), own_parts.kinds(folder)).world(raw)


def look_at(path: Path, board: Board) -> None:
    """Says what is wrong with a sketch's own parts, and with its world if that is for the board."""
    from takt.world import own_parts

    folder = sketch.find(path).folder
    if (_board_in(_read(folder)[1]) or USUAL_BOARD) == board.name:
        load(folder, board)
    else:
        own_parts.kinds(folder)


def board_for(path: Path, named: str | None) -> Board:
    """The board named, or else the one that the world file of the sketch says."""
    folder = sketch.find(path).folder
    text, contents = _read(folder)
    told = _board_in(contents)
    if named or told is None:
        return boards.load(named or USUAL_BOARD)
    line = toml_lines.lines(text)[("world", "board")]
    return boards.load(told, f"{shown(folder / FILE)}:{line}", folder)


def _board_in(contents: dict[str, Any]) -> str | None:
    """What a world file says of the board."""
    about = contents.get("world")
    told = about.get("board") if isinstance(about, dict) else None
    return told if isinstance(told, str) else None


def _read(folder: Path) -> tuple[str, dict[str, Any]]:
    """Text and contents of the world file, if there is one."""
    path = folder / FILE
    if not path.exists():
        return "", {}
    try:
        text = path.read_text(encoding="utf-8")
        return text, tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        what = f"not a TOML file: {error}"
        fix = "mend the line named" if "line" in str(error) else "write it as UTF-8 text"
        raise UserError(what, shown(path), fix) from None
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", shown(path)) from None
