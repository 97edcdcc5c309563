"""What the debugging information of a program says of types, as far as that tells calls through
pointers apart: prototypes, members of structures by their offset, bases of classes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from elftools.dwarf.die import DIE
from elftools.dwarf.dwarfinfo import DWARFInfo

from takt.code.pointers.leb import uleb

SAME = ("typedef", "const_type", "volatile_type", "restrict_type", "atomic_type")
RECORDS = ("structure_type", "class_type", "union_type")
POINTERS = ("pointer_type", "reference_type", "rvalue_reference_type")
CXX = (0x04, 0x1A, 0x21, 0x2A, 0x2B)  # DW_LANG_C_plus_plus, _11, _14, _17, _20
Prototype = tuple[object, ...] | None  # None: not told
GENERIC: Prototype = (("void", 0),)  # returns nothing, takes nothing
ANONYMOUS = "_GLOBAL__N_1"  # a namespace without a name


class At(NamedTuple):
    """A pointer to so far behind the start of something of that type."""

    type: DIE
    offset: int


class Table(NamedTuple):
    """A pointer to the table of virtual functions of an object of a class."""

    of: str


class Slot(NamedTuple):
    """A function of that."""

    of: str
    number: int


class Called(NamedTuple):
    """A pointer to a function."""

    prototype: Prototype


class Loop(NamedTuple):
    """What a register holds there: looking for it has come back to where it began."""

    back: bool = True


LOOP = Loop()
Value = At | Table | Slot | Called | Loop | None  # None: not known


def tag(die: DIE | None) -> str:
    return str(die.tag).removeprefix("DW_TAG_") if die is not None else "void"


def attribute(die: DIE, name: str) -> Any:
    found = die.attributes.get(f"DW_AT_{name}")
    return found.value if found else None


def text(die: DIE, name: str = "name") -> str:
    found = attribute(die, name)
    return found.decode(errors="replace") if found else ""


def refers(die: DIE, name: str) -> DIE | None:
    if f"DW_AT_{name}" not in die.attributes:
        return None
    found: DIE = die.get_DIE_from_attribute(f"DW_AT_{name}")
    return found


def declared(die: DIE) -> Iterator[DIE]:
    """It, and what it is an instance or the definition of."""
    at: DIE | None = die
    while at is not None:
        yield at
        at = refers(at, "abstract_origin") or refers(at, "specification")


def type_of(die: DIE) -> DIE | None:
    """Without names and qualifiers; None: void, or not told."""
    found = next((t for one in declared(die) if (t := refers(one, "type"))), None)
    return plain(found)


def plain(die: DIE | None) -> DIE | None:
    while die is not None and tag(die) in SAME:
        die = refers(die, "type")
    return die


class Types:
    """Of a program."""

    def __init__(self, dwarf: DWARFInfo) -> None:
        self.dwarf = dwarf
        self.prototypes: dict[int, Prototype] = {}  # by address of the function
        self.functions: dict[int, DIE] = {}
        self.variables: dict[int, DIE] = {}  # by address
        self.bases: dict[str, set[str]] = {}  # of classes, direct ones
        self.records: dict[str, DIE] = {}  # by name
        for unit in dwarf.iter_CUs():
            self._read(unit.get_top_DIE(), "")

    def _read(self, parent: DIE, scope: str) -> None:
        for die in parent.iter_children():
            kind = tag(die)
            name = f"{scope}{text(die) or (ANONYMOUS if kind == 'namespace' else '')}"
            if kind == "subprogram":
                self._function(die)
            elif kind == "variable":
                self._variable(die)
            elif kind in RECORDS and text(die) and not attribute(die, "declaration"):
                bases = (d for d in die.iter_children() if tag(d) == "inheritance")
                found = (type_of(base) for base in bases)
                self.bases.setdefault(name, set()).update(self.name(b) for b in found if b)
                if ANONYMOUS not in name:
                    self.records.setdefault(name, die)
                self._read(die, f"{name}::")
            elif kind == "namespace":
                self._read(die, f"{name}::")

    def _function(self, die: DIE) -> None:
        for variable in die.iter_children():
            if tag(variable) == "variable":  # a static one
                self._variable(variable)
        at = attribute(die, "low_pc")
        if at is None:
            return
        self.functions[at & ~1] = die
        self.prototypes[at & ~1] = prototype(die)

    def _variable(self, die: DIE) -> None:
        where = attribute(die, "location")
        if isinstance(where, list) and where and where[0] == 3:  # DW_OP_addr
            self.variables[int.from_bytes(bytes(where[1:]), "little")] = die

    @staticmethod
    def name(die: DIE) -> str:
        """With the namespaces and classes that it is in."""
        parts, at = [], die
        while at is not None and tag(at) != "compile_unit":
            if tag(at) in (*RECORDS, "namespace"):
                parts.append(text(at) or ANONYMOUS)
            at = at.get_parent()
        return "::".join(reversed(parts))

    @cached_property
    def _below(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for name, bases in self.bases.items():
            for base in bases:
                found.setdefault(base, set()).add(name)
        return found

    def derived(self, name: str) -> set[str]:
        """A class and all that have it among their bases."""
        found, work = {name}, [name]
        while work:
            new = self._below.get(work.pop(), set()) - found
            found |= new
            work += new
        return found

    def variable_at(self, address: int) -> Value:
        """A pointer to data there."""
        index = bisect_right(self._places, address) - 1
        base = self._places[index] if index >= 0 else address + 1
        found = type_of(self.variables[base]) if index >= 0 else None
        inside = found is not None and (address == base or address - base < size_of(found))
        return At(found, address - base) if inside else None

    @cached_property
    def _places(self) -> list[int]:
        return sorted(self.variables)

    def pointed(self, die: DIE | None) -> Value:
        """What a value of that type is."""
        die = plain(die)
        if tag(die) not in POINTERS:
            return None
        to = plain(refers(die, "type"))
        if tag(to) == "subroutine_type":
            return Called(prototype(to))
        return At(to, 0) if to is not None else None

    def loaded(self, base: Value, offset: int | None) -> Value:
        """What is read from so far behind where a pointer points to; None: from anywhere."""
        if base is LOOP:
            return LOOP
        if isinstance(base, Table):
            return None if offset is None else Slot(base.of, offset)
        if not isinstance(base, At):
            return None
        found = {*self._members(base.type, None if offset is None else base.offset + offset, "")}
        return found.pop() if len(found) == 1 else None

    def _whole(self, die: DIE | None) -> DIE | None:
        """A type, also one that its unit only declares."""
        die = plain(die)
        declared = die is not None and attribute(die, "declaration")
        return self.records.get(self.name(die)) if die is not None and declared else die

    def _members(self, die: DIE | None, offset: int | None, outer: str) -> Iterator[Value]:
        """Of whatever lies there; outer: the class that begins there, too."""
        die = self._whole(die)
        if tag(die) == "array_type":
            element = plain(refers(die, "type"))
            size = size_of(element)
            if element is not None and size and tag(element) in (*POINTERS, *RECORDS):
                inside = None if tag(element) in POINTERS else offset
                at = inside if inside is None else inside % size
                yield from self._members(element, at, "")
            else:
                yield None
        elif tag(die) in POINTERS:
            yield self.pointed(die) if offset in (0, None) else None
        elif tag(die) in RECORDS and offset is not None:
            yield from self._inside(die, offset, outer or self.name(die))
        else:
            yield None

    def _inside(self, die: DIE, offset: int, outer: str) -> Iterator[Value]:
        union, found = tag(die) == "union_type", False
        for member in die.iter_children():
            if tag(member) not in ("member", "inheritance") or attribute(member, "external"):
                continue
            start = attribute(member, "data_member_location")
            start = 0 if start is None and union else start
            of = self._whole(type_of(member))
            if not isinstance(start, int):
                if isinstance(start, list) and start and start[0] == 0x23:  # DW_OP_plus_uconst
                    start = uleb(start[1:])
                else:
                    yield None
                    continue
            if not start <= offset < start + max(1, size_of(of)):
                continue
            found = True
            if text(member).startswith("_vptr"):
                yield Table(outer) if offset == start else None
            else:
                same = outer if start == 0 and tag(member) == "inheritance" else ""
                yield from self._members(of, offset - start, same)
        if not found:
            yield None


def size_of(die: DIE | None) -> int:
    die = plain(die)
    if die is None:
        return 0
    if (size := attribute(die, "byte_size")) is not None:
        return int(size)
    if tag(die) != "array_type":
        return 0
    count = 1
    for part in die.iter_children():
        if tag(part) == "subrange_type":
            top, number = attribute(part, "upper_bound"), attribute(part, "count")
            count *= number if isinstance(number, int) else top + 1 if isinstance(top, int) else 0
    return count * size_of(refers(die, "type"))


def prototype(die: DIE) -> Prototype:
    """What a function returns and takes: integers of a size are alike, and pointers to data."""
    parts = ("formal_parameter", "unspecified_parameters")
    taken = [d for d in die.iter_children() if tag(d) in parts]
    if not any(attribute(d, "prototyped") for d in declared(die)) and not _is_cxx(die):
        return None  # C's f(), of whatever arguments, which are promoted
    kinds = (kind(type_of(d)) if tag(d) == parts[0] else "..." for d in taken)
    return (kind(type_of(die)), *kinds)


def _is_cxx(die: DIE) -> bool:
    return attribute(die.cu.get_top_DIE(), "language") in CXX


def kind(die: DIE | None) -> object:
    """Of a type: what it is to a caller."""
    die, word = plain(die), tag(plain(die))
    if word in POINTERS:
        return "pointer"
    if word == "base_type" and attribute(die, "encoding") == 4:  # DW_ATE_float
        return "float", size_of(die)
    if word in ("base_type", "enumeration_type"):
        return "integer", size_of(die)
    return (word, size_of(die))
