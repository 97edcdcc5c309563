"""Where calls through pointers go, by type: the value in the register is followed back to a
variable whose type the debugging information tells (dwarf_types.py), and from there to what is
called. A function is called with the type that it has, as C and C++ demand; integers of a size are
alike, and pointers to data. A virtual one is of the pointer's class or of one derived from it.

But a function may be kept as another type, and cast back where it is called. So a variable of
type void (*)(), which is often used for that, may hold any function; one that a variable of another
type than its own holds when the program begins may be in any; and the caller tells of others.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from io import BytesIO

from elftools.dwarf.die import DIE
from elftools.dwarf.locationlists import BaseAddressEntry, LocationParser
from elftools.elf.elffile import ELFFile

from takt.code.architecture import AVR
from takt.code.elf import Program
from takt.code.pointers import definitions
from takt.code.pointers.definitions import Code, Definition
from takt.code.pointers.dwarf_types import (
    GENERIC,
    LOOP,
    At,
    Called,
    Slot,
    Types,
    Value,
    attribute,
    tag,
    type_of,
)
from takt.code.pointers.leb import sleb
from takt.code.pointers.vtables import VTables, parts

REG0, REG31, BREG0, STACK_VALUE, PIECE = 0x50, 0x6F, 0x70, 0x9F, 0x93  # DW_OP_
MOST_STEPS = 4000  # back, for one call


class PointerTypes:
    """Of a program that has debugging information."""

    def __init__(self, program: Program, vtables: VTables, loose: set[int]) -> None:
        """loose: functions that may be kept as any type."""
        self.program, self.vtables = program, vtables
        stream = BytesIO(program.path.read_bytes())
        self._dwarf = ELFFile(stream).get_dwarf_info(relocate_dwarf_sections=False)
        self.types = Types(self._dwarf)
        self._codes: dict[int, Code] = {}
        self._holders: dict[int, list[tuple[DIE, list[tuple[int, int, list[int]]]]]] = {}
        lists = self._dwarf.location_lists()
        self._parser = LocationParser(lists) if lists else None
        self._loose = loose | self._cast_at_start()

    def targets(self, function: int, at: int, taken: set[int]) -> set[int] | None:
        """Functions that the call there may reach; None: not known. taken: those whose address
        is."""
        code = self._code(function)
        if code is None or at not in code.through:
            return None
        found = _Back(self, code).value(at, code.through[at])
        if isinstance(found, Slot):
            return self._virtual(found)
        if not isinstance(found, Called) or found.prototype in (None, GENERIC):
            return None
        known = self.types.prototypes
        same = {f for f in taken if known.get(f) in (None, found.prototype)}
        return same | (taken & self._loose)

    def _cast_at_start(self) -> set[int]:
        """Functions whose address is in a variable of another type."""
        known, found = self.types.prototypes, set()
        for at, to in self.program.pointers:
            if to in known:
                kept = self.types.loaded(self.types.variable_at(at), 0)
                if isinstance(kept, Called) and kept.prototype != known[to]:
                    found.add(to)
        return found

    def _virtual(self, slot: Slot) -> set[int]:
        number = slot.number // self.program.architecture.pointer
        classes = self.types.derived(slot.of)
        found = set()
        for symbol, tables in self.vtables.of_symbol.items():
            name = class_of(symbol)
            if not name or name in classes or name not in self.types.bases:
                found |= {t[number] for t in tables if number < len(t)} - {None}
        return found

    def _code(self, function: int) -> Code | None:
        if function not in self._codes:
            symbol = self.program.function_at(function)
            if symbol is None:
                return None
            self._codes[function] = definitions.read(self.program, symbol)
        return self._codes[function]

    def variable(self, function: int, at: int, register: int) -> Value:
        """What a variable of the source is that a register holds from an address on. Only there is
        it sure: between instructions that the compiler counts as one it does not say what is so."""
        for die, places in self._holders_in(function):
            for low, high, expression in places:
                if (
                    max(low, function) == at < high
                    and (by := _held(expression, register)) is not None
                ):
                    found = self.types.pointed(type_of(die))
                    return At(found.type, found.offset + by) if isinstance(found, At) else found
        return None

    def _holders_in(self, function: int) -> list[tuple[DIE, list[tuple[int, int, list[int]]]]]:
        """Variables and parameters of a function, and where they are when."""
        if function not in self._holders:
            top = self.types.functions.get(function)
            found = _below(top) if top is not None else ()
            self._holders[function] = [(die, list(self._places(die))) for die in found]
        return self._holders[function]

    def _places(self, die: DIE) -> Iterator[tuple[int, int, list[int]]]:
        where = die.attributes.get("DW_AT_location")
        if where is None or self._parser is None:
            return
        version, unit = die.cu["version"], die.cu.get_top_DIE()
        if not self._parser.attribute_has_location(where, version):
            return
        found = self._parser.parse_from_attribute(where, version, die)
        if not isinstance(found, list):
            yield 0, 1 << 32, found.loc_expr
            return
        base = attribute(unit, "low_pc") or 0
        for entry in found:
            if isinstance(entry, BaseAddressEntry):
                base = entry.base_address
            else:
                more = 0 if entry.is_absolute else base
                yield entry.begin_offset + more, entry.end_offset + more, entry.loc_expr

    def line(self, at: int) -> str:
        """File and line of an address; empty: not told."""
        index = bisect_right(self._lines, (at, "~")) - 1
        return self._lines[index][1] if index >= 0 else ""

    @cached_property
    def _lines(self) -> list[tuple[int, str]]:
        found = []
        for unit in self._dwarf.iter_CUs():
            program = self._dwarf.line_program_for_CU(unit)
            if program is None:
                continue
            first = 0 if program["version"] >= 5 else 1
            names = [e.name.decode(errors="replace") for e in program["file_entry"]]
            for entry in program.get_entries():
                state = entry.state
                if state and not state.end_sequence and state.file - first < len(names):
                    name = names[state.file - first].rpartition("/")[2]
                    found.append((state.address, f"{name}:{state.line}"))
        return sorted(found)


class _Back:
    """Back from one call. In a loop it comes to where it was: what the other ways say is taken for
    that, and must then come out of the loop, too."""

    def __init__(self, types: PointerTypes, code: Code) -> None:
        self._types, self._code = types, code
        self._open: dict[tuple[int, int], Value] = {}  # under way, and what is taken for it
        self._came_back: set[tuple[int, int]] = set()
        self._steps = 0

    def value(self, at: int, register: int) -> Value:
        """What a register holds before an instruction; all ways that lead there must agree."""
        while True:
            self._steps += 1
            if self._steps > MOST_STEPS:
                return None
            if (at, register) in self._open:
                self._came_back.add((at, register))
                return self._open[at, register]
            held = self._types.variable(self._code.start, at, register)
            ways = self._code.before.get(at, [])
            if held is not None or not ways or at == self._code.start:
                return held
            if len(ways) > 1:
                break
            if register in self._code.defines.get(ways[0], {}):
                return self._along(ways[0], register)
            at = ways[0]
        found = self._agreed(at, register, ways, LOOP)
        if found is not LOOP and (at, register) in self._came_back:
            found = self._agreed(at, register, ways, found)
        return found

    def _agreed(self, at: int, register: int, ways: list[int], taken: Value) -> Value:
        """taken: for what comes back to here."""
        self._open[at, register] = taken
        found = {self._along(way, register) for way in ways} - {LOOP}
        del self._open[at, register]
        return LOOP if not found else found.pop() if len(found) == 1 else None

    def _along(self, way: int, register: int) -> Value:
        known = self._code.defines.get(way, {}).get(register)
        return self.value(way, register) if known is None else self._defined(way, known)

    def _defined(self, at: int, by: Definition) -> Value:
        types = self._types.types
        if by.kind == "copy":
            found = self.value(at, by.register)
            if by.number == 0 or found is LOOP:
                return found
            return At(found.type, found.offset + by.number) if isinstance(found, At) else None
        if by.kind == "load":
            return types.loaded(self.value(at, by.register), by.number)
        if by.kind == "indexed":
            ways = [self.value(at, r) for r in (by.register, by.number)]
            known = [way for way in ways if way is not None]
            return types.loaded(known[0], None) if len(known) == 1 else None
        if by.kind in ("address", "stored"):
            avr = self._types.program.architecture is AVR
            data = self._types.program.architecture.data if avr else 0
            found = types.variable_at(by.number + data)
            return types.loaded(found, 0) if by.kind == "stored" else found
        if by.kind == "result" and by.number in types.functions:
            return types.pointed(type_of(types.functions[by.number]))
        return None


def _below(die: DIE) -> Iterator[DIE]:
    for child in die.iter_children():
        if tag(child) in ("variable", "formal_parameter"):
            yield child
        elif tag(child) in ("lexical_block", "inlined_subroutine"):
            yield from _below(child)


def _held(expression: list[int], register: int) -> int | None:
    """How far behind the variable's value a register points, if that holds it."""
    if not expression:
        return None
    first = expression[0]
    if REG0 <= first <= REG31:
        alone = len(expression) == 1 or expression[1] == PIECE
        return 0 if alone and first - REG0 == register else None
    if BREG0 <= first <= BREG0 + 31 and expression[-1] == STACK_VALUE:
        by = sleb(expression[1:-1])
        return -by if by is not None and first - BREG0 == register else None
    return None


def class_of(symbol: str) -> str:
    """The class of a table of virtual functions, by its symbol; empty: not told."""
    rest = symbol[4:]
    return "::".join(parts(f"_Z{rest}" if rest.startswith("N") else f"_ZN{rest}E"))
