"""A linked program for a little-endian target: symbols, memory, threads, sections."""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from takt.code import elf_tables, relocations
from takt.code.architecture import ARCHITECTURES, AVR, Architecture
from takt.errors import UserError
from takt.paths import shown

THREAD_WORDS = 6  # entry, arg, stack, stack_end, vcpu, name
IO_VCPU = 2  # TAKT_IO_VCPU
IO_BEGINS = b"\0\1\xff"  # behind the two shares of a struct takt_io_vcpu: off, waiting, place
BORDER = re.compile(r"__\w+_(start|end)")  # of a part of memory: the link script's


@dataclass(frozen=True)
class Symbol:
    name: str
    address: int  # without the Thumb bit
    size: int
    kind: str  # "FUNC", "OBJECT", "NOTYPE"
    section: str


@dataclass(frozen=True)
class Section:
    name: str
    address: int
    load_address: int
    size: int
    in_image: bool  # takes space in the flash image
    executable: bool
    data: bytes  # empty for sections without contents


@dataclass(frozen=True)
class Descriptor:
    """A struct takt_thread as linked."""

    place: int
    symbol: str
    name: str
    entry: int
    called: int  # where the argument points to, if to a function; 0: there is none
    stack: int
    stack_end: int
    budget_us: int | None
    period_us: int | None
    vcpu: int = 0
    share: tuple[int, int] | None = None  # of a bottom half, instead of budget and period


class Program:
    """Reads everything at once and closes the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with elf_tables.opened(path) as elf:
            self.architecture: Architecture = ARCHITECTURES[elf["e_machine"]]
            self.entry: int = elf["e_entry"] & ~1
            self.segments = [
                (s["p_paddr"], s["p_vaddr"], s.data())
                for s in elf.iter_segments("PT_LOAD")
                if s["p_filesz"]
            ]
            notes = (s for s in elf.iter_sections() if "takt" in s.name and not s["sh_flags"] & 2)
            self._notes = {section.name: section.data() for section in notes}
            self.sections = [_section(elf, s) for s in elf.iter_sections() if s["sh_flags"] & 2]
            table = elf.get_section_by_name(".symtab")
            assert isinstance(table, SymbolTableSection)
            entries = elf_tables.symbols(elf, table)
            self.symbols, self.mapping = _symbols(elf, entries)
            self._relocations = list(relocations.addresses(elf, entries))
            self._targets = relocations.targets(elf, entries) if self.architecture is AVR else {}
            self._loaded = relocations.when_loaded(elf)

    def note(self, name: str) -> bytes:
        """What the sources leave for the tools in a section that is not loaded."""
        return self._notes.get(name, b"")

    @cached_property
    def by_name(self) -> dict[str, Symbol]:
        return {symbol.name: symbol for symbol in self.symbols}

    @cached_property
    def references(self) -> list[tuple[int, int]]:
        """Of Thumb programs: where an address is written, in data and code, and which."""
        return [(at, self.word(at) if value is None else value) for at, value in self._relocations]

    @cached_property
    def pointers(self) -> list[tuple[int, int]]:
        """Where the address of code is written, in data and code, and which: aligned or not."""
        if self.architecture is AVR:
            return [
                (at, to) for at, (kind, to) in self._targets.items() if kind in relocations.AVR_CODE
            ]
        return [(at, to & ~1) for at, to in self.references if self.architecture.is_code(to)]

    @cached_property
    def functions(self) -> list[Symbol]:
        """One per address, in order of addresses."""
        found = sorted((s for s in self.symbols if s.kind == "FUNC"), key=lambda s: s.size > 0)
        unique = {s.address: s for s in found}
        return [unique[address] for address in sorted(unique)]

    @cached_property
    def _starts(self) -> list[int]:
        return [function.address for function in self.functions]

    def function_at(self, address: int) -> Symbol | None:
        """The function that contains an address."""
        index = bisect_right(self._starts, address & ~1) - 1
        if index < 0:
            return None
        found = self.functions[index]
        inside = (address & ~1) < found.address + max(found.size, 2)
        return found if inside else None

    def end_of(self, function: Symbol) -> int:
        """Assembler functions may not say their size: they end where the next begins."""
        if function.size:
            return function.address + function.size
        index = bisect_right(self._starts, function.address)
        section = next((s for s in self.sections if s.name == function.section), None)
        if section is None:
            raise UserError(f"a function is in no section, {function.section}", shown(self.path))
        return min([*self._starts[index : index + 1], section.address + section.size])

    def read(self, address: int, size: int) -> bytes:
        """Initial contents of memory; zeros where the program says nothing."""
        for section in self.sections:
            offset = address - section.address
            if offset >= 0 and offset + size <= len(section.data):
                return section.data[offset : offset + size]
        return bytes(size)

    def code(self, address: int) -> bytes:
        """What an instruction there is read from: up to four bytes."""
        for section in self.sections:
            offset = address - section.address
            if 0 <= offset < len(section.data):
                return section.data[offset : offset + 4]
        return b""

    def word(self, address: int) -> int:
        return int(struct.unpack("<I", self.read(address, 4))[0])

    def pointer(self, address: int) -> int:
        """As it is written in memory."""
        if address in self._loaded:
            return self._loaded[address]
        return int.from_bytes(self.read(address, self.architecture.pointer), "little")

    def data_at(self, address: int) -> int:
        """Where the pointer there points to, if to data."""
        _, to = self._targets.get(address, (0, None))
        return self.architecture.data_address(self.pointer(address)) if to is None else to

    def code_at(self, address: int) -> int:
        """Where the pointer there points to, if to code."""
        return self.architecture.code_address(self.pointer(address))

    def text(self, address: int) -> str:
        """The C string at an address."""
        result = bytearray()
        while (byte := self.read(address + len(result), 1)) != b"\0":
            result += byte
        return result.decode(errors="replace")

    def descriptors(self) -> list[int]:
        """Where the registered threads are described, in order of place."""
        start = self.by_name.get("__takt_threads_start")
        end = self.by_name.get("__takt_threads_end")
        if start is None or end is None:
            return []
        addresses = range(start.address, end.address, self.architecture.pointer)
        return [self.data_at(at) for at in addresses]

    def threads(self) -> list[Descriptor]:
        """The registered threads in order of place."""
        return [self._thread(place, at) for place, at in enumerate(self.descriptors())]

    def _thread(self, place: int, address: int) -> Descriptor:
        step = self.architecture.pointer
        entry, arg, *rest = range(address, address + THREAD_WORDS * step, step)
        stack, stack_end, vcpu, name = map(self.data_at, rest)
        symbol = next((s.name for s in self.symbols if s.address == address and s.size), "")
        called = self.code_at(arg) if self.architecture.is_code(self.pointer(arg)) else 0
        facts = (place, symbol, self.text(name), self.code_at(entry), called, stack, stack_end)
        return Descriptor(*facts, *self._budget(vcpu), vcpu, self._share(vcpu))

    def _is_io(self, vcpu: int) -> bool:
        return bool(vcpu) and bool(self.read(vcpu + 8, 1)[0] & IO_VCPU)

    def _budget(self, vcpu: int) -> tuple[int | None, int | None]:
        if not vcpu or self._is_io(vcpu):
            return None, None
        budget, period = struct.unpack("<2I", self.read(vcpu, 8))
        return budget, period

    def _share(self, vcpu: int) -> tuple[int, int] | None:
        if not self._is_io(vcpu):
            return None
        size = next(s.size for s in self.symbols if s.address == vcpu and s.size)
        found = (vcpu + size - tail for tail in self.architecture.io_tails)
        at = next(at for at in found if self.read(at + 8, len(IO_BEGINS)) == IO_BEGINS)
        numerator, denominator = struct.unpack("<2H", self.read(at, 4))
        return numerator, denominator


def _section(elf: ELFFile, section: object) -> Section:
    address, size = section["sh_addr"], section["sh_size"]
    load = address
    for segment in elf.iter_segments("PT_LOAD"):
        offset = address - segment["p_vaddr"]
        if offset >= 0 and offset + size <= segment["p_memsz"]:
            load = segment["p_paddr"] + offset
            break
    filled = section["sh_type"] != "SHT_NOBITS"
    executable = bool(section["sh_flags"] & 4)
    data = section.data() if filled else b""
    return Section(section.name, address, load, size, filled, executable, data)


def _symbols(
    elf: ELFFile, entries: list[elf_tables.Entry]
) -> tuple[list[Symbol], list[tuple[int, str]]]:
    """Symbols, and the mapping symbols ($t, $d) that tell code from data, in order."""
    symbols, mapping = [], []
    sections = list(elf.iter_sections())
    for entry in entries:
        kind = entry.kind
        if entry.name[:2] in ("$t", "$d", "$a"):
            mapping.append((entry.value, entry.name[1]))
        elif entry.name and kind in ("FUNC", "OBJECT", "NOTYPE") and entry.section:
            section = sections[entry.section] if entry.section < len(sections) else None
            if elf["e_machine"] == "EM_AVR" and section and _entry(entry, section):
                kind = "FUNC"
            thumb = kind == "FUNC" and elf["e_machine"] == "EM_ARM"
            address = entry.value & ~1 if thumb else entry.value
            name = section.name if section else ""
            symbols.append(Symbol(entry.name, address, entry.size, kind, name))
    return symbols, sorted(mapping)


def _entry(entry: elf_tables.Entry, section: object) -> bool:
    """Whether a label in assembler can be called from elsewhere: libgcc's have no type."""
    end = section["sh_addr"] + section["sh_size"]
    bound = not entry.local and entry.kind == "NOTYPE"
    code = section["sh_flags"] & 4 and entry.value < end
    return bool(bound and code and not BORDER.fullmatch(entry.name))
