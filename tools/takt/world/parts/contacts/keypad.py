"""A matrix keypad: a key joins its row and its column. There are no diodes, so three keys pressed
in the corners of a rectangle look like all four."""

from __future__ import annotations

from typing import Any, ClassVar

from takt.world.parts.base import Part, Wire
from takt.world.parts.contacts.contact import Chatter
from takt.world.parts.settings import Duration, PinList, Script, Setting, SettingError, Texts

MOST = 8  # rows and columns
SHOWN = 50  # keys in the summary


class Keypad(Part):
    """Keys in rows and columns, pressed at times. The program drives the columns and reads
    the rows, or the other way round; what keeps an open line high is the board's INPUT_PULLUP."""

    kind = "keypad"
    settings: ClassVar[dict[str, Setting]] = {
        "rows": PinList("pins of the rows", required=True, count=1, more=range(2, MOST + 1)),
        "columns": PinList("pins of the columns", required=True, count=1, more=range(2, MOST + 1)),
        "keys": Texts(
            "characters on the keys, row by row", default=["123A", "456B", "789C", "*0#D"]
        ),
        "press": Script('which key is pressed when: [["1 s", "5"]]', required=True),
        "hold": Duration("how long each is held", default=100_000_000),
        "bounce": Duration("how long the contacts chatter", default=0),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.rows, self.columns = values["rows"], values["columns"]
        self.places = {
            key: (row, column)
            for row, keys in zip(self.rows, values["keys"], strict=False)
            for column, key in zip(self.columns, keys, strict=False)
        }
        self.chatter = Chatter(name, values["bounce"])
        self.pressed: list[str] = []

    def pins(self) -> list[Wire]:
        named = {"rows": self.rows, "columns": self.columns}
        return [Wire(role, pin, chip=True) for role, pins in named.items() for pin in pins]

    def check(self) -> None:
        keys, rows, columns = self.values["keys"], len(self.rows), len(self.columns)
        if set(self.rows) & set(self.columns):
            raise SettingError("a pin is both row and column", "use different pins")
        if len(keys) != rows or any(len(row) != columns for row in keys):
            example = ", ".join(f'"{"123456789"[:columns]}"' for _ in range(rows))
            what = f"`keys` are not {rows} rows of {columns} keys"
            raise SettingError(what, f"write one text for each row: [{example}]")
        if len(self.places) < rows * columns:
            raise SettingError("a key is there twice", "give each another character")
        hold, until = self.values["hold"], dict[str, int]()
        if hold <= self.values["bounce"]:
            raise SettingError("`hold` is not longer than `bounce`", "make it longer")
        for at, key in self.values["press"]:
            if key not in self.places:
                raise SettingError(f"there is no key {key!r}", f"use {' '.join(self.places)}")
            if at <= until.get(key, -1):
                what = f"key {key!r} is still held when it is pressed at {at / 1e9:g} s"
                raise SettingError(what, "press it later, or make `hold` shorter")
            until[key] = at + hold + self.values["bounce"]

    def start(self, bench) -> None:
        for at, key in self.values["press"]:
            self._turn(at, key, True)
            self._turn(at + self.values["hold"], key, False)

    def _turn(self, at: int, key: str, closed: bool) -> None:
        """Closes or opens a key at a time, in ns."""
        row, column = self.places[key]
        for ns, final in self.chatter.changes(at):
            joined = closed == final
            cycle = self.bench.cycles(ns)
            self.at(cycle, lambda joined=joined: self.bench.switch(row, column, joined))
        if closed:
            self.at(self.bench.cycles(at), lambda: self.pressed.append(key))

    def summary(self) -> dict[str, Any]:
        return {"presses": len(self.pressed), "keys": " ".join(self.pressed[:SHOWN])}
