"""Who calls whom and with how much stack, read from the machine code of a linked program.

Reading the program itself covers everything that is linked, libraries included. A function's frame
is the sum of all that it pushes, or the most of it at a time (avr/reader.py). Where it goes on in
the function behind it, that counts as a call (assembler). Calls through pointers may reach:

- through the table of the object whose member the caller is: that slot in the tables that an object
  of that class may have (vtables.py);
- through a word loaded from a table: every function whose address is taken (written anywhere but
  in tables of virtual functions, the vectors and the descriptors of threads and tasks), and those
  in that slot of any table of virtual functions, for a table of functions looks the same;
- others: every function whose address is taken, and every virtual one;
- where the function states it (facts.py): those of a set, to which nothing else goes;
- of all these, where types are asked for, but for those of the same recursion that have another
  type than the call (pointer_types.py).

What is written in C reaches no virtual functions but those whose address is taken.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Protocol

from takt.code import owners, task_table, vectors
from takt.code.architecture import AVR
from takt.code.avr import reader as avr_reader
from takt.code.codeflow import Function
from takt.code.elf import THREAD_WORDS, Program, Symbol
from takt.code.facts import ISR_STACK, Facts
from takt.code.names import plain
from takt.code.pointers.pointer_types import PointerTypes
from takt.code.pointers.vtables import VTables
from takt.code.rings import rings
from takt.code.thumb import reader as thumb_reader
from takt.errors import UserError

NO_OBJECTS = re.compile(  # files that have none with virtual functions, or call them by name
    r"libtakt_(kernel|port|board|drivers)\.a|lib(c|m|gcc)(_nano)?\.a"
    r"|libtakt_arduino\.a\((?!Print|Stream|HardwareSerial|Serial)"
)
SAID = ".said"  # behind the name of an object: what the compiler said of it
CAST = "[-Wcast-function-type]"
# AVR's compiler does not tell; but it shows what it has read. A cast of what is not 0 to a pointer
# to a function: (void (*<T5>) (void)) name.
READ, POINTER = ".read", re.compile(r"\(\*[^()]*\) \(")
USERS, OURS = "/obj/", "libtakt_"  # in the names of files that are the sketch's and its libraries'
TABLES = ("__init_array", "__ctors")  # of constructors
CONSTRUCTS = "__do_global_ctors"  # libgcc's, of the second


class Reader(Protocol):
    """Of an instruction set."""

    def read(self, symbol: Symbol, member: bool) -> Function: ...


class CallGraph:
    def __init__(self, program: Program, before: CallGraph | None = None) -> None:
        """before: of the same objects, linked with other sizes of stacks, to save reading again
        what is as it was."""
        self.program = program
        self._files = _files(program)
        self.facts = Facts(program)
        self.types: PointerTypes | None = None
        self._by_type: dict[int, set[int] | None] = {}  # by where the call is
        self._ring_of: dict[int, set[int]] = {}  # that recur as far as pointers may lead anywhere
        self.vtables = VTables(program, (s.address for s in program.functions))
        avr = program.architecture is AVR
        self._reader: Reader = (avr_reader if avr else thumb_reader).Reader(program)
        same = before if before and before.program.functions == program.functions else None
        self._require_own_facts()
        self.functions = {
            s.address: self._known(s, same) or self._read(s) for s in program.functions
        }

    def _require_own_facts(self) -> None:
        """A fact is believed: only Takt's own code may state one."""
        for at, texts in self.facts.of.items():
            if self.is_users(at):
                function = self.program.function_at(at)
                name = plain(function.name) if function else hex(at)
                raise UserError(
                    f"{name}() states the fact {min(texts)!r}, which only Takt's own code may",
                    fix="state how long a section is by TAKT_SECTION_US() (takt/section.h), how "
                    "large a stack by loop(id, C, T, bytes)",
                )

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
        known = [*self.vtables.places, *self._called_at_start(), *self._tables()]
        known += [self._whole(f) for f in self.functions if self._is_start(f)]
        known.append(self._whole(self.program.entry))  # which is called by nothing
        found = {
            to
            for at, to in self.program.pointers
            if to in self.functions and not any(at in place for place in known)
        }
        return found - self.facts.members - self.facts.functions("switches") - {self.program.entry}

    def _tables(self) -> Iterable[range]:
        """What has functions that only the kernel or an interrupt calls."""
        size = THREAD_WORDS * self.program.architecture.pointer
        yield from (range(at, at + size) for at in self.program.descriptors())
        yield task_table.extent(self.program)
        yield from (range(s.address, s.address + s.size) for s in vectors.sections(self.program))

    def _is_start(self, function: int) -> bool:
        """Whether it is AVR's: what calls the constructors, or a vector that leads to a handler."""
        if self.functions[function].name == CONSTRUCTS:
            return True
        return function in self.handlers_of and bool(self.handlers_of[function])

    @cached_property
    def handlers_of(self) -> dict[int, set[int]]:
        """By vector: the functions that it has called on the stack of the interrupts. None: what is
        the vector's remains on the stack that it finds."""
        to_stack = self.facts.functions(f"calls {ISR_STACK}")
        found = {}
        for at in vectors.functions(self.program):
            leads = at in self.functions and self.functions[at].calls & to_stack
            place = self._whole(at) if leads else range(0)
            found[at] = {to for p, to in self.program.pointers if p in place} & set(self.functions)
        return found

    def _whole(self, function: int) -> range:
        symbol = self.program.function_at(function)
        return range(function, self.program.end_of(symbol)) if symbol else range(0)

    def _called_at_start(self) -> list[range]:
        """Tables of constructors, which only the start calls."""
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
        for at in function.sites:
            yield from self.called_at(function, at)

    def called_at(self, function: Function, at: int) -> set[int]:
        """What a call through a pointer, not to a function of the own object, may reach."""
        if sets := self.facts.said(function.address, "calls"):
            return self.facts.functions(*(f"called {one}" for one in sets if one != ISR_STACK))
        none = bool(NO_OBJECTS.search(self.file(function.address)))
        # A dispatcher of ours that is itself called by pointer does not dispatch to itself.
        ours = none and "libtakt" in self.file(function.address)
        taken = self.address_taken - ({function.address} if ours else set())
        slots = function.sites[at]
        if not none:
            virtual = (self.vtables.slot(slot) for slot in slots) if slots else [self.vtables.all]
            taken = taken.union(*virtual)
        ring = self._ring_of.get(function.address)
        told = self._told(function.address, at) if ring else None
        return taken - (ring - told) if ring and told is not None else taken

    def _told(self, function: int, at: int) -> set[int] | None:
        """By the types of what is called there."""
        if at not in self._by_type and self.types:
            self._by_type[at] = self.types.targets(function, at, self.address_taken)
        return self._by_type[at]

    def separate_by_type(self) -> None:
        """From here on, what looks like a recursion is none where the program tells types that
        exclude it."""
        if self.types:
            return
        loose, all_ = self._loose(), sorted(self.functions)
        called = {f: sorted(self.callees(self.functions[f])) for f in all_} | {-1: all_}
        for ring in rings(-1, called.__getitem__):
            if len(ring) > 1 or ring[0] in called[ring[0]]:
                self._ring_of |= {key: set(ring) for key in ring}
        self.types = PointerTypes(self.program, self.vtables, loose)

    def _loose(self) -> set[int]:
        """Functions that may be kept as another type than their own, and called as that: all, if
        the compiler tells of a cast; on AVR those of the user's, where a cast is shown or it cannot
        be seen."""
        if self.program.architecture is AVR:
            users = {f for f in self.functions if self.is_users(f)}
            files = {self.file(f) for f in users}
            return users if any(map(_may_cast, files)) else set()
        said = {Path(f"{file}{SAID}") for _, file in self._files if USERS in file}
        casts = any(CAST in path.read_text(errors="replace") for path in said if path.exists())
        return set(self.functions) if casts else set()

    def is_users(self, address: int) -> bool:
        """Is that the sketch's, or one of its libraries'?"""
        file = self.file(address)
        return USERS in file and OURS not in file

    def file(self, address: int) -> str:
        """What a function comes from; empty: not told."""
        index = bisect_right(self._files, (address, "~")) - 1
        return self._files[index][1] if index >= 0 else ""


def _may_cast(object_file: str) -> bool:
    """Does what it was compiled from?"""
    try:
        text = Path(f"{object_file}{READ}").read_text(errors="replace")
    except OSError:
        return True
    return any(_is_cast(text, found.end()) for found in POINTER.finditer(text))


def _is_cast(text: str, at: int) -> bool:
    """Is the type, of which the parameters begin there, all that is in a parenthesis, and something
    behind it that is not 0?"""
    depth = 1
    while depth and at < len(text):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return text.startswith(") ", at) and not text.startswith("0B", at + 2)


def _files(program: Program) -> list[tuple[int, str]]:
    """Where each piece begins, and the file it comes from, as the linker's map says."""
    maps = (program.path.with_suffix(".map"), program.path.parent / "obj" / "linked.map")
    found = next((path for path in maps if path.exists()), None)
    return sorted((piece.address, piece.file) for piece in owners.pieces(found)) if found else []
