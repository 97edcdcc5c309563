"""World files: what surrounds a board. world.toml beside a sketch is read and checked here.

    [world]
    name = "rover"                      # optional

    [parts.sonar]                       # one table per part; its name is free
    type = "hc-sr04"                    # tools/takt/parts/
    trig = 11
    echo = 2
    distance = "wheels.distance_cm"     # a quantity of another part

    [[stimuli]]                         # what happens when, without a part
    at = "1 s"
    pin = 3
    level = "high"

Everything a world says is checked before anything runs; a mistake is named with file and line.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from takt.errors import UserError
from takt.parts import PARTS, Part
from takt.parts.settings import Context, Reference, Setting, SettingError
from takt.paths import shown
from takt.stimuli import SETTINGS as STIMULUS
from takt.stimuli import Stimulus

FILE = "world.toml"


class HasPins(Protocol):
    """What a world needs to know of a board."""

    @property
    def pins(self) -> Mapping[str, int]: ...


@dataclass
class World:
    """Parts and stimuli around a board, checked."""

    pins: Mapping[str, int]
    name: str = ""
    parts: dict[str, Part] = field(default_factory=dict)
    stimuli: list[Stimulus] = field(default_factory=list)

    def adc_channel(self, pin: int) -> int:
        """The ADC input behind a pin: A0 is input 0."""
        return analog_inputs(self.pins)[pin]

    def labels(self) -> dict[int, str]:
        """A word for every wired pin: "sonar.echo"."""
        found: dict[int, str] = {}
        for part in self.parts.values():
            for wire in part.pins():
                word = part.name if wire.role == "pin" else f"{part.name} {wire.role}"
                found.setdefault(wire.pin, word)
        return found


def analog_inputs(pins: Mapping[str, int]) -> dict[int, int]:
    """Pin -> ADC input, from the board's names A0, A1, ..."""
    return {pin: int(name[1:]) for name, pin in pins.items() if re.fullmatch(r"A\d", name)}


def load(folder: Path, board: HasPins) -> World:
    """The world of a sketch folder; without a world file nothing surrounds the board."""
    path = folder / FILE
    if not path.exists():
        return World(board.pins)
    try:
        text = path.read_text(encoding="utf-8")
        raw = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"not a TOML file: {error}", shown(path), "mend the line named") from None
    return _Reader(path, text, board).world(raw)


class _Reader:
    """Reads one file; every complaint names the line."""

    def __init__(self, path: Path, text: str, board: HasPins) -> None:
        self.path, self.lines = path, text.splitlines()
        self.context = Context(board.pins)

    def _where(self, table: str, key: str = "", nth: int = 0) -> str:
        """file:line of a key in a table (the nth of that name), as near as can be found."""
        headers = [i for i, line in enumerate(self.lines) if line.strip().startswith(table)]
        line = headers[nth] if nth < len(headers) else 0
        if key:
            for i in range(line + 1, len(self.lines)):
                if self.lines[i].strip().startswith("["):
                    break
                if re.match(rf"\s*\"?{re.escape(key)}\"?\s*=", self.lines[i]):
                    line = i
                    break
        return f"{shown(self.path)}:{line + 1}"

    def _unknown(self, key: str, known: Iterable[str], where: str, whose: str) -> UserError:
        near = difflib.get_close_matches(key, list(known), 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        return UserError(
            f"unknown key {key!r} in {whose}", where, f"{hint}known keys: {', '.join(known)}"
        )

    def world(self, raw: dict[str, Any]) -> World:
        known = ("world", "parts", "stimuli")
        for key, value in raw.items():
            if key not in known:
                line = self._where(f"[{key}") if isinstance(value, dict) else self._top(key)
                raise self._unknown(key, known, line, "a world file")
        about = self._table(raw.get("world", {}), "[world]", "world")
        for key, value in about.items():
            if key != "name":
                raise self._unknown(key, ["name"], self._where("[world]", key), "[world]")
            if not isinstance(value, str):
                raise UserError(
                    "the name is not text", self._where("[world]", key), "write it in quotes"
                )
        world = World(self.context.pins, about.get("name", ""))
        for name, table in self._table(raw.get("parts", {}), "[parts]", "parts").items():
            world.parts[name] = self._part(name, self._table(table, "[parts", f"parts.{name}"))
        self._stimuli(raw.get("stimuli", []), world)
        self._check_references(world)
        self._check_wires(world)
        return world

    def _top(self, key: str) -> str:
        found = (
            i for i, line in enumerate(self.lines) if re.match(rf"\s*{re.escape(key)}\b", line)
        )
        return f"{shown(self.path)}:{next(found, 0) + 1}"

    def _table(self, value: Any, header: str, name: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise UserError(f"{name!r} is not a table", self._where(header), f"write [{name}]")
        return value

    def _part(self, name: str, table: dict[str, Any]) -> Part:
        header = f"[parts.{name}]"
        kind = table.get("type")
        if kind not in PARTS:
            near = difflib.get_close_matches(str(kind), PARTS, 1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            what = f"unknown part {kind!r}" if "type" in table else f"part {name!r} has no type"
            raise UserError(
                what, self._where(header, "type"), f"{hint}known parts: {', '.join(PARTS)}"
            )
        given = {key: value for key, value in table.items() if key != "type"}
        cls = PARTS[kind]
        values = self._values(given, cls.settings, header, f"a {kind}")
        part = cls(name, values)
        self._said(part.check, header)
        return part

    def _values(
        self,
        given: dict[str, Any],
        settings: Mapping[str, Setting],
        header: str,
        whose: str,
        nth: int = 0,
    ) -> dict[str, Any]:
        for key in given:
            if key not in settings:
                raise self._unknown(key, settings, self._where(header, key, nth), whose)
        values: dict[str, Any] = {}
        for key, setting in settings.items():
            if key in given:
                values[key] = self._said(
                    lambda s=setting, k=key: s.read(given[k], self.context), header, key, nth
                )
            elif setting.required:
                raise UserError(
                    f"{whose} needs {key!r} ({setting.help})",
                    self._where(header, "", nth),
                    f"add a line {key} = ...",
                )
            else:
                values[key] = setting.default
        return values

    def _said(self, action: Any, header: str, key: str = "", nth: int = 0) -> Any:
        """Runs action; its SettingError becomes a UserError that names the line."""
        try:
            return action()
        except SettingError as error:
            what = f"{key}: {error.what}" if key else error.what
            raise UserError(what, self._where(header, key, nth), error.fix) from None

    def _stimuli(self, raw: Any, world: World) -> None:
        if not isinstance(raw, list):
            raise UserError(
                "'stimuli' is not a list of tables", self._where("[stimuli"), "write [[stimuli]]"
            )
        for nth, table in enumerate(raw):
            values = self._values(table, STIMULUS, "[[stimuli]]", "a stimulus", nth)
            stimulus = Stimulus(values)
            self._said(stimulus.check, "[[stimuli]]", "", nth)
            world.stimuli.append(stimulus)

    def _check_references(self, world: World) -> None:
        for part in world.parts.values():
            for key, value in part.values.items():
                if isinstance(value, Reference):
                    self._check_reference(world, part, key, value)

    def _check_reference(self, world: World, part: Part, key: str, ref: Reference) -> None:
        where = self._where(f"[parts.{part.name}]", key)
        if ref.part not in world.parts or ref.part == part.name:
            others = [name for name in world.parts if name != part.name]
            raise UserError(
                f"{key}: there is no other part {ref.part!r}",
                where,
                f"parts here: {', '.join(others) or 'none'}",
            )
        offered = world.parts[ref.part].quantities
        if ref.quantity not in offered:
            raise UserError(
                f"{key}: part {ref.part!r} has no quantity {ref.quantity!r}",
                where,
                f"it has: {', '.join(offered) or 'none'}",
            )

    def _check_wires(self, world: World) -> None:
        analog = analog_inputs(world.pins)
        drivers: dict[int, str] = {}
        for part in world.parts.values():
            for wire in part.pins():
                where = self._where(f"[parts.{part.name}]", wire.role)
                if wire.drives:
                    self._claim(drivers, wire.pin, f"part {part.name!r}", where)
                if part.kind == "potentiometer" and wire.pin not in analog:
                    names = ", ".join(f"A{channel}" for channel in sorted(analog.values()))
                    raise UserError(f"pin {wire.pin} has no analog input", where, f"use {names}")
        for nth, stimulus in enumerate(world.stimuli):
            where = self._where("[[stimuli]]", "pin", nth)
            for pin in stimulus.driven_pins():
                if drivers.get(pin, "").startswith("part"):
                    self._claim(drivers, pin, "a stimulus", where)

    def _claim(self, drivers: dict[int, str], pin: int, who: str, where: str) -> None:
        if pin in drivers:
            raise UserError(
                f"two outputs on one wire: {drivers[pin]} and {who} both drive pin {pin}",
                where,
                "move one of them to another pin",
            )
        drivers[pin] = who
