"""World files: what surrounds a board. world.toml beside a sketch is read and checked here.

    [world]
    name = "rover"                      # optional
    board = "galileo"                   # what the sketch is for unless --board says; else pico

    [parts.sonar]                       # one table per part; its name is free
    type = "hc-sr04"                    # tools/takt/world/parts/
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
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from takt.errors import UserError
from takt.paths import shown
from takt.world import own_parts, toml_lines
from takt.world.onboard import terminals
from takt.world.parts import Carrier, Part, Wire
from takt.world.parts.settings import Context, Reference, Setting, SettingError
from takt.world.stimuli import SETTINGS as STIMULUS
from takt.world.stimuli import Stimulus
from takt.world.world import World


class Reader:
    """Reads one file; every complaint names the line."""

    def __init__(
        self, path: Path, text: str, world: World, kinds: Mapping[str, type[Part]]
    ) -> None:
        self.path, self.lines, self.kinds = path, toml_lines.lines(text), kinds
        self.empty, self.context = world, Context(world.pins, path.parent)

    def _where(self, *path: str | int) -> str:
        """file:line of what a path names (toml_lines), or of the table that would hold it."""
        while path and path not in self.lines:
            path = path[:-1]
        return f"{shown(self.path)}:{self.lines.get(path, 1)}"

    def _unknown(self, key: str, known: Iterable[str], where: str, whose: str) -> UserError:
        near = difflib.get_close_matches(key, list(known), 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        return UserError(
            f"unknown key {key!r} in {whose}", where, f"{hint}known keys: {', '.join(known)}"
        )

    def world(self, raw: dict[str, Any]) -> World:
        known = ("world", "parts", "stimuli")
        for key in raw:
            if key not in known:
                raise self._unknown(key, known, self._where(key), "a world file")
        about = self._table(raw.get("world", {}), "world")
        for key, value in about.items():
            if key not in ("name", "board"):
                raise self._unknown(key, ["name", "board"], self._where("world", key), "[world]")
            if not isinstance(value, str):
                raise UserError(
                    f"the {key} is not text", self._where("world", key), "write it in quotes"
                )
        world = self.empty
        world.name = about.get("name", "")
        tables = self._table(raw.get("parts", {}), "parts")
        self._offer(world, terminals(tables))
        for name, table in tables.items():
            world.parts[name] = self._part(name, self._table(table, "parts", name))
        self._attach(world, terminals(tables))
        self._stimuli(raw.get("stimuli", []), world)
        self._check_references(world)
        self._check_wires(world)
        self._check_buses(world)
        self._check_ports(world)
        self._check_claims(world)
        return world

    def _offer(self, world: World, offered: dict[str, dict[str, int]]) -> None:
        """Makes the terminals of carriers pins of the world."""
        named = {f"{part}.{t}": pin for part, ts in offered.items() for t, pin in ts.items()}
        world.pins = {**world.pins, **named}
        self.context = Context(world.pins, self.path.parent)

    def _attach(self, world: World, offered: dict[str, dict[str, int]]) -> None:
        for name, numbers in offered.items():
            part = world.parts[name]
            assert isinstance(part, Carrier)
            part.attach({pin: terminal for terminal, pin in numbers.items()})
            world.carry(part)

    def _table(self, value: Any, *path: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            name = ".".join(path)
            raise UserError(f"{name!r} is not a table", self._where(*path), f"write [{name}]")
        return value

    def _part(self, name: str, table: dict[str, Any]) -> Part:
        path = ("parts", name)
        kind = table.get("type")
        if not isinstance(kind, str) or kind not in self.kinds:
            raise self._unknown_part(name, table)
        given = {key: value for key, value in table.items() if key != "type"}
        cls = self.kinds[kind]
        values = self._values(given, cls.settings, path, f"a {kind}")
        part = self._said(lambda: cls(name, values), path)
        if getattr(part, "name", None) != name:
            raise own_parts.forgot_super(cls)
        self._said(part.check, path)
        return part

    def _unknown_part(self, name: str, table: dict[str, Any]) -> UserError:
        where, kind = self._where("parts", name, "type"), table.get("type")
        known = f"known parts: {', '.join(self.kinds)}"
        if "type" not in table:
            return UserError(f"part {name!r} has no type", where, known)
        if not isinstance(kind, str):
            example = (
                next((k for k in kind if k in self.kinds), "led") if _is_texts(kind) else "led"
            )
            what = f"the type of part {name!r} is not text: {kind!r}"
            return UserError(what, where, f'write one in quotes: type = "{example}"; {known}')
        near = difflib.get_close_matches(kind, self.kinds, 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        return UserError(f"unknown part {kind!r}", where, f"{hint}{known}")

    def _values(
        self,
        given: dict[str, Any],
        settings: Mapping[str, Setting],
        path: toml_lines.Path,
        whose: str,
    ) -> dict[str, Any]:
        for key in given:
            if key not in settings:
                raise self._unknown(key, settings, self._where(*path, key), whose)
        values: dict[str, Any] = {}
        for key, setting in settings.items():
            if key in given:
                values[key] = self._said(
                    lambda s=setting, k=key: s.read(given[k], self.context), path, key
                )
            elif setting.required:
                what = f"{whose} needs {key!r} ({setting.help})"
                raise UserError(what, self._where(*path), f"add a line {key} = ...")
            else:
                values[key] = self._default(setting, path, key)
        return values

    def _default(self, setting: Setting, path: toml_lines.Path, key: str) -> Any:
        """Text may stand there as in a world file: "20 ms"."""
        if not isinstance(setting.default, str):
            return setting.default
        return self._said(lambda: setting.read(setting.default, self.context), path, key)

    def _said(self, action: Any, path: toml_lines.Path, key: str = "") -> Any:
        """Runs action; its SettingError becomes a UserError that names the line."""
        try:
            return action()
        except SettingError as error:
            what = f"{key}: {error.what}" if key else error.what
            raise UserError(what, self._where(*path, key), error.fix) from None

    def _stimuli(self, raw: Any, world: World) -> None:
        if not isinstance(raw, list) or not all(isinstance(table, dict) for table in raw):
            what = "'stimuli' is not a list of tables"
            raise UserError(what, self._where("stimuli"), "write [[stimuli]]")
        for nth, table in enumerate(raw):
            path = ("stimuli", nth)
            stimulus = Stimulus(self._values(table, STIMULUS, path, "a stimulus"))
            self._said(stimulus.check, path)
            world.stimuli.append(stimulus)

    def _check_references(self, world: World) -> None:
        for part in world.parts.values():
            for key, value in part.values.items():
                if isinstance(value, Reference):
                    self._check_reference(world, part, key, value)

    def _check_reference(self, world: World, part: Part, key: str, ref: Reference) -> None:
        where = self._where("parts", part.name, key)
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
        drivers: dict[int, str] = {}
        buses: set[tuple[int, str]] = set()
        for part in world.parts.values():
            for wire in part.pins():
                where = self._where("parts", part.name, wire.role)
                if wire.drives and (wire.pin, wire.bus) not in buses:
                    self._claim(drivers, wire.pin, f"part {part.name!r}", where)
                if wire.bus:
                    buses.add((wire.pin, wire.bus))
                self._check_end(world, wire, where)
        for nth, stimulus in enumerate(world.stimuli):
            where = self._where("stimuli", nth, "pin")
            for pin in stimulus.driven_pins():
                if drivers.get(pin, "").startswith("part"):
                    self._claim(drivers, pin, "a stimulus", where)

    def _check_end(self, world: World, wire: Wire, where: str) -> None:
        """Whether what is behind a pin is of the kind the wire needs."""
        pin = world.name_of(wire.pin)
        if wire.analog and not world.is_analog(wire.pin):
            names = ", ".join(world.analog_names())
            raise UserError(
                f"pin {pin} has no analog input", where, f"use {names or 'a converter'}"
            )
        if wire.chip and (wire.pin not in world.chip or world.carrier(wire.pin)):
            behind = world.carrier(wire.pin)
            what = f"pin {pin} is not a pin of the chip"
            if behind is not None:
                what += f" alone: {behind.name} drives it"
            raise UserError(what, where, "use one that is, or another board: pico, uno")
        if not wire.analog and not world.is_digital(wire.pin):
            raise UserError(f"pin {pin!r} is a voltage only", where, "use another pin")

    def _check_ports(self, world: World) -> None:
        """Whether the board has the serial ports that are named."""
        asked = [(p.serial_port(), ("parts", p.name, "port")) for p in world.parts.values()]
        typed = [(nth, s.values) for nth, s in enumerate(world.stimuli) if s.values["send"]]
        asked += [(values["port"], ("stimuli", nth, "port")) for nth, values in typed]
        for port, path in asked:
            if port is not None and port >= len(world.serial):
                has = ", ".join(f"{n} ({name})" for n, name in enumerate(world.serial))
                fix = f"it has {has}"
                fix += "; a part may be wired to two pins instead: tx and rx" * (path[0] == "parts")
                what = f"the board has no serial port {port}"
                raise UserError(what, self._where(*path), fix)

    def _claim(self, drivers: dict[int, str], pin: int, who: str, where: str) -> None:
        if pin in drivers:
            raise UserError(
                f"two outputs on one wire: {drivers[pin]} and {who} both drive pin {pin}",
                where,
                "move one of them to another pin",
            )
        drivers[pin] = who

    def _check_buses(self, world: World) -> None:
        for part in world.parts.values():
            key, number = part.on_bus() or ("", 0)
            count = world.buses.get(key, 0)
            if key and number >= count:
                kind = key.upper()
                what = f"part {part.name!r} is on {kind} {number}, which the board does not have"
                only = f"use the one that it has: {key} = 0"
                fix = only if count else f"use a board with {kind}: pico, uno"
                raise UserError(what, self._where("parts", part.name, key), fix)

    def _check_claims(self, world: World) -> None:
        """What only one part may have: an address on a bus, a chip select."""
        owners: dict[str, str] = {}
        for part in world.everything().values():
            for what, key in part.claims().items():
                if what in owners:
                    raise UserError(
                        f"{what} belongs to {owners[what]!r} and to {part.name!r}",
                        self._where("parts", part.name, key),
                        "change one of them",
                    )
                owners[what] = part.name


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
