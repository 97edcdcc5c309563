"""The tables of virtual functions in a program, and which of them an object of a class may have.

A class with several bases has several tables in one _ZTV, each headed by the offset to the top and
the type information (Itanium C++ ABI). Slots may be empty, too, so each place after two words that
are no functions counts as the start of a table, which goes on to the end of all. What overrides a
function has the same name, so a table with other names is none of the class.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from takt.code.elf import Program, Symbol

Table = Sequence[int | None]  # functions by slot; None: nothing
THUNK = re.compile(r"_ZT(hn?\d+_|vn?\d+_n?\d+_|c.*?_.*?_)")
PRINT = ("write", "write", "availableForWrite", "flush")  # arduino/Print.h
API = {"Print": PRINT, "Stream": (*PRINT, "available", "read", "peek")}
HEAD = 2  # words


def parts(name: str) -> list[str]:
    """Of the mangled name of a member: its classes and itself; empty: not told."""
    rest = re.sub(THUNK, "_Z", name)
    if not rest.startswith("_ZN"):
        return []
    rest, found = rest[3:].lstrip("VKrRO"), []
    while rest and rest[0].isdigit():
        digits = re.match(r"\d+", rest)
        assert digits
        size = int(digits[0])
        rest = rest[len(digits[0]) :]
        found.append(rest[:size])
        rest = rest[size:]
    special = re.match(r"[CD]\d(?=E)", rest)
    if special:
        found.append(special[0])
        rest = rest[2:]
    return found if rest.startswith("E") else []


class VTables:
    def __init__(self, program: Program, functions: Iterable[int]) -> None:
        self.program, self.functions = program, set(functions)
        self.names: dict[int, set[str]] = {}
        for symbol in program.symbols:
            if symbol.kind == "FUNC":
                self.names.setdefault(symbol.address, set()).add(symbol.name)
        self.places: list[range] = []
        self.tables: list[Table] = []
        self.of_symbol: dict[str, list[Table]] = {}
        self.classes: dict[str, Table] = {}  # the first of a class, as far as it has no gap
        for symbol in program.symbols:
            if symbol.kind == "OBJECT" and symbol.name.startswith(("_ZTV", "_ZTC")):
                self._read(symbol)

    @cached_property
    def all(self) -> set[int]:
        """Virtual functions."""
        return {f for table in self.tables for f in table if f is not None}

    def slot(self, number: int) -> set[int]:
        """Functions in that slot of any table."""
        found = (table[number] for table in self.tables if number < len(table))
        return {f for f in found if f is not None}

    def of_member(self, name: str, number: int) -> set[int]:
        """What a member function may call by that slot of its own object."""
        wanted = self._wanted(parts(name)[:-1])
        found = (t[number] for t in self.tables if number < len(t) and self._fits(t, wanted))
        return {f for f in found if f is not None}

    def has_object(self, address: int, name: str, ours: bool) -> bool:
        """Whether a function is a member, not a static one, of a class with virtual functions."""
        if address in self.all:
            return not any(THUNK.match(alias) for alias in self.names.get(address, {name}))
        classes = parts(name)[:-1]
        return ours and len(classes) == 1 and classes[0] in API

    def _wanted(self, classes: list[str]) -> list[set[str]]:
        """Names that the first table of a class has, slot by slot; empty: any."""
        if len(classes) == 1 and classes[0] in API:
            return [{name} for name in API[classes[0]]]
        mangled = "".join(f"{len(c)}{c}" for c in classes)
        mangled = mangled if len(classes) == 1 else f"N{mangled}E"
        return [self._called(f) for f in self.classes.get(f"_ZTV{mangled}", [])]

    def _fits(self, table: Table, wanted: list[set[str]]) -> bool:
        if len(table) < len(wanted):
            return False
        pairs = [(self._called(f), names) for f, names in zip(table, wanted, strict=False)]
        return all(not have or not names or have & names for have, names in pairs)

    def _called(self, address: int | None) -> set[str]:
        """What the function of a slot is called, without its class; empty: not told."""
        if address is None:
            return set()
        told = [parts(name) for name in self.names.get(address, ())]
        return set() if [] in told else {t[-1] for t in told}

    def _read(self, symbol: Symbol) -> None:
        self.places.append(range(symbol.address, symbol.address + symbol.size))
        step = self.program.architecture.pointer
        places = range(symbol.address, symbol.address + symbol.size - step + 1, step)
        functions = [self._function(at) for at in places]
        starts = [
            at for at in range(HEAD, len(functions)) if functions[at - HEAD : at] == [None] * HEAD
        ]
        self.of_symbol[symbol.name] = [functions[at:] for at in starts]
        self.tables += self.of_symbol[symbol.name]
        if starts:
            first = functions[starts[0] :]
            self.classes[symbol.name] = first[: first.index(None)] if None in first else first

    def _function(self, at: int) -> int | None:
        """Which one a slot points to."""
        code = self.program.architecture.is_code(self.program.pointer(at))
        function = self.program.code_at(at)
        return function if code and function in self.functions else None
