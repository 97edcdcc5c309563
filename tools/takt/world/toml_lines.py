"""Where the keys of a TOML file stand: tomllib reads values, but keeps no lines.

A path is the keys from the top, with an index for each element of an array of tables:
("parts", "sonar", "trig"), ("stimuli", 0, "at"). The text is one that tomllib has read.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable

Path = tuple[str | int, ...]
BLANK = re.compile(r"(?:[ \t\r]|#[^\n]*)*")
BLANKS = re.compile(r"(?:\s|#[^\n]*)*")
KEY = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|[A-Za-z0-9_-]+")
STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|' r"'''.*?'{3,5}|" r'"(?:[^"\\\n]|\\.)*"|' r"'[^'\n]*'", re.DOTALL
)
SCALAR = re.compile(r"[^,\]}\n#]*")


def lines(text: str) -> dict[Path, int]:
    """The line, from 1, on which each key and table begins."""
    return _Scanner(text).found


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.found: dict[Path, int] = {}
        self._tables: dict[Path, int] = {}  # arrays of tables: how many elements so far
        table: Path = ()
        while self._skip(BLANKS) < len(text):
            if text[self.at] == "[":
                table = self._header()
            else:
                self._pair(table)

    def _skip(self, pattern: re.Pattern[str]) -> int:
        match = pattern.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return self.at

    def _note(self, path: Path, at: int) -> None:
        """Where it is named for the first time."""
        self.found.setdefault(path, self.text.count("\n", 0, at) + 1)

    def _note_all(self, path: Path, at: int) -> None:
        for length in range(1, len(path) + 1):
            self._note(path[:length], at)

    def _keys(self) -> Path:
        """A key with its dots."""
        found: list[str | int] = []
        while True:
            self._skip(BLANK)
            start = self.at
            self._skip(KEY)
            key = self.text[start : self.at]
            quoted = key.startswith(('"', "'"))
            found.append(tomllib.loads(f"key = {key}")["key"] if quoted else key)
            if self.text[self._skip(BLANK)] != ".":
                return tuple(found)
            self.at += 1

    def _header(self) -> Path:
        start = self.at
        array = self.text.startswith("[[", start)
        self.at += 1 + array
        path = self._within(self._keys(), array)
        self.at += 1 + array
        self._note_all(path, start)
        return path

    def _within(self, keys: Path, array: bool) -> Path:
        """The path that a header names: the last element of each array of tables on the way."""
        path: Path = ()
        for nth, key in enumerate(keys):
            path = (*path, key)
            if array and nth == len(keys) - 1:
                self._tables[path] = self._tables.get(path, -1) + 1
            if path in self._tables:
                path = (*path, self._tables[path])
        return path

    def _pair(self, table: Path) -> None:
        start = self.at
        path = (*table, *self._keys())
        self._note_all(path, start)
        self.at += 1  # =
        self._value(path)

    def _value(self, path: Path) -> None:
        self._skip(BLANK)
        first = self.text[self.at : self.at + 1]
        if first == "[":
            self._each("]", lambda nth: self._element((*path, nth)))
        elif first == "{":
            self._each("}", lambda _nth: self._pair(path))
        elif first in ('"', "'"):
            self._skip(STRING)
        else:
            self._skip(SCALAR)

    def _each(self, end: str, read: Callable[[int], None]) -> None:
        """What stands between brackets."""
        self.at += 1
        nth = 0
        while self.text[self._skip(BLANKS)] != end:
            read(nth)
            nth += 1
            if self.text[self._skip(BLANKS)] == ",":
                self.at += 1
        self.at += 1

    def _element(self, path: Path) -> None:
        self._note(path, self.at)
        self._value(path)
