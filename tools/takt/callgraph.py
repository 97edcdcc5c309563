"""Who calls whom and with how much stack, read from the machine code of a linked program.

Reading the program itself covers everything that is linked, libraries included. A function's frame
is the sum of all that it pushes, or the most of it at a time (avr_reader.py). Where it goes on in
the function behind it, that counts as a call (assembler). Calls through pointers may reach:

- through the table of the object whose member the caller is: that slot in the tables that an object
  of that class may have (vtables.py);
- through a word loaded from a table: every function whose address is taken (written anywhere but in
  tables of virtual functions, in the vectors, in the descriptors of threads), and those in that
  slot of any table of virtual functions, for a table of functions looks the same;
- others: every function whose address is taken, and every virtual one.

What is written in C reaches no virtual functions but those whose address is taken.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property
from typing import Protocol

from takt import avr_reader, owners, thumb_reader
from takt.architecture import AVR
from takt.codeflow import Function
from takt.elf import Program, Symbol
from takt.vtables import VTables

NO_OBJECTS = re.compile(  # files that have none with virtual functions, or call them by name
    r"libtakt_(kernel|port|board|drivers)\.a|lib(c|m|gcc)(_nano)?\.a"
    r"|libtakt_arduino\.a\((?!Print|Stream|HardwareSerial|Serial)"
)
TABLES = ("__init_array", "__ctors")  # of constructors
CONSTRUCTS = "__do_global_ctors"  # libgcc's, of the second
ALARM, CALLS_ALARMS = "alarm_", "libtakt_drivers.a(alarm.c"  # what an alarm of drivers/avr calls
START_CODE = ("__vector_", CONSTRUCTS)  # AVR's: what addresses it has are its own business


class Reader(Protocol):
    """Of an instruction set."""

    def read(self, symbol: Symbol, member: bool) -> Function: ...


class CallGraph:
    def __init__(self, program: Program, before: CallGraph | None = None) -> None:
        """before: of the same objects, linked with other sizes of stacks, to save reading again
        what is as it was."""
        self.program = program
        self._files = _files(program)
        self.vtables = VTables(program, (s.address for s in program.functions))
        avr = program.architecture is AVR
        self._reader: Reader = (avr_reader if avr else thumb_reader).Reader(program)
        same = before if before and before.program.functions == program.functions else None
        self.functions = {
            s.address: self._known(s, same) or self._read(s) for s in program.functions
        }

    def _known(self, symbol: Symbol, before: CallGraph | None) -> Function | None:
        """What was read of it, if it has the same bytes, addresses that it loads among them."""
        if before is None:
            return None
        start, size = symbol.address, self.program.end_of(symbol) - symbol.address
        same = self.program.read(start, size) == before.program.read(start, size)
        return before.functions[start] if same else None

    def _read(self, symbol: Symbol) -> Function:
        ours = "libtakt_arduino.a" in self.file(symbol.address)
        return self._reader.read(symbol, self.vtables.has_object(symbol.address, symbol.name, ours))

    @cached_property
    def address_taken(self) -> set[int]:
        """Functions that a pointer may point to."""
        known = [*self.vtables.places, *self._called_at_start()]
        known += [
            range(s.address, s.address + s.size)
            for s in self.program.symbols
            if s.kind == "OBJECT" and s.name.startswith(("takt_thread_", "takt_task_"))
        ]
        known += [
            range(s.address, s.address + s.size)
            for s in self.program.sections
            if s.name == ".vectors"
        ]
        known += [
            range(s.address, self.program.end_of(s))
            for s in self.program.functions
            if s.name.startswith(START_CODE)
        ]
        found = {
            to
            for at, to in self.program.pointers
            if to in self.functions and not any(at in place for place in known)
        }
        return {f for f in found if not self.functions[f].name.startswith("port_")}

    def _called_at_start(self) -> list[range]:
        """Tables of constructors: the start calls them, and nobody else."""
        symbols = self.program.by_name
        tables = [[symbols.get(f"{name}_{end}") for end in ("start", "end")] for name in TABLES]
        return [range(one.address, two.address) for one, two in tables if one and two]

    @cached_property
    def constructors(self) -> set[int] | None:
        """What the start calls by pointer; None: not told."""
        tables, step = self._called_at_start(), self.program.architecture.pointer
        places = (at for table in tables for at in table[::step])
        return {self.program.code_at(at) for at in places} if tables else None

    def callees(self, function: Function) -> Iterable[int]:
        """Direct, virtual and pointer calls."""
        yield from function.calls
        if function.name == CONSTRUCTS:
            yield from self.constructors or ()
            return
        for slot in function.own:
            yield from self.vtables.of_member(function.name, slot)
        if not function.slots and not function.pointer_calls:
            return
        plain = bool(NO_OBJECTS.search(self.file(function.address)))
        # A dispatcher of ours that is itself called by pointer does not dispatch to itself.
        ours = plain and "libtakt" in self.file(function.address)
        taken = self.address_taken - ({function.address} if ours else set())
        alarms = {f for f in taken if self.functions[f].name.startswith(ALARM)}
        yield from alarms if CALLS_ALARMS in self.file(function.address) else taken - alarms
        if not plain:
            for slot in function.slots:
                yield from self.vtables.slot(slot)
            if function.pointer_calls:
                yield from self.vtables.all

    def file(self, address: int) -> str:
        """What a function comes from; empty: not told."""
        index = bisect_right(self._files, (address, "~")) - 1
        return self._files[index][1] if index >= 0 else ""


def _files(program: Program) -> list[tuple[int, str]]:
    """Where each piece begins, and the file it comes from, as the linker's map says."""
    maps = (program.path.with_suffix(".map"), program.path.parent / "obj" / "linked.map")
    found = next((path for path in maps if path.exists()), None)
    return sorted((piece.address, piece.file) for piece in owners.pieces(found)) if found else []
