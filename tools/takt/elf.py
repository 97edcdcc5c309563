"""A linked program for a 32-bit little-endian target: symbols, memory, threads, sections."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import SymbolTableSection

TAKT_THREAD_WORDS = 6  # entry, arg, stack, stack_end, vcpu, name
IO_VCPU_TAIL = (
    28  # struct takt_io_vcpu from its share on; before it is a server of the board's size
)
WORDS = (2, 38)  # R_ARM_ABS32, R_ARM_TARGET1
MOVW = 47  # R_ARM_THM_MOVW_ABS_NC; its upper half follows
IO_VCPU = 2  # TAKT_IO_VCPU


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
    arg: int
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
        with open(path, "rb") as stream:
            elf = ELFFile(stream)
            self.entry: int = elf["e_entry"]
            self.segments = [
                (s["p_paddr"], s["p_vaddr"], s.data())
                for s in elf.iter_segments("PT_LOAD")
                if s["p_filesz"]
            ]
            pins = elf.get_section_by_name(".takt.pins")
            self.attached = set(pins.data()) if pins else set()  # pins of attachInterrupt()
            self.sections = [_section(elf, s) for s in elf.iter_sections() if s["sh_flags"] & 2]
            table = elf.get_section_by_name(".symtab")
            assert isinstance(table, SymbolTableSection)
            self.symbols, self.mapping = _symbols(elf, table)
            self._relocations = list(_relocations(elf))

    @cached_property
    def by_name(self) -> dict[str, Symbol]:
        return {symbol.name: symbol for symbol in self.symbols}

    @cached_property
    def pointers(self) -> list[tuple[int, int]]:
        """Where an absolute address is written, in data and code, and which: aligned or not."""
        return [(at, self.word(at) if value is None else value) for at, value in self._relocations]

    @cached_property
    def functions(self) -> list[Symbol]:
        """One per address, in order of addresses."""
        unique = {s.address: s for s in self.symbols if s.kind == "FUNC"}
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

    def read(self, address: int, size: int) -> bytes:
        """Initial contents of memory; zeros where the program says nothing."""
        for section in self.sections:
            offset = address - section.address
            if offset >= 0 and offset + size <= len(section.data):
                return section.data[offset : offset + size]
        return bytes(size)

    def word(self, address: int) -> int:
        return int(struct.unpack("<I", self.read(address, 4))[0])

    def text(self, address: int) -> str:
        """The C string at an address."""
        result = bytearray()
        while (byte := self.read(address + len(result), 1)) != b"\0":
            result += byte
        return result.decode(errors="replace")

    def threads(self) -> list[Descriptor]:
        """The registered threads in order of place."""
        start = self.by_name.get("__takt_threads_start")
        end = self.by_name.get("__takt_threads_end")
        if start is None or end is None:
            return []
        addresses = range(start.address, end.address, 4)
        return [self._thread(place, self.word(at)) for place, at in enumerate(addresses)]

    def _thread(self, place: int, address: int) -> Descriptor:
        entry, arg, stack, stack_end, vcpu, name = struct.unpack(
            "<6I", self.read(address, 4 * TAKT_THREAD_WORDS)
        )
        symbol = next((s.name for s in self.symbols if s.address == address and s.size), "")
        facts = (place, symbol, self.text(name), entry & ~1, arg, stack, stack_end)
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
        share = self.read(vcpu + size - IO_VCPU_TAIL, 4)
        numerator, denominator = struct.unpack("<2H", share)
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


def _symbols(elf: ELFFile, table: SymbolTableSection) -> tuple[list[Symbol], list[tuple[int, str]]]:
    """Symbols, and the mapping symbols ($t, $d) that tell code from data, in order."""
    symbols, mapping = [], []
    names = [section.name for section in elf.iter_sections()]
    for symbol in table.iter_symbols():
        kind = symbol["st_info"]["type"].removeprefix("STT_")
        value, index = symbol["st_value"], symbol["st_shndx"]
        if symbol.name[:2] in ("$t", "$d", "$a"):
            mapping.append((value, symbol.name[1]))
        elif symbol.name and kind in ("FUNC", "OBJECT", "NOTYPE") and index != "SHN_UNDEF":
            section = names[index] if isinstance(index, int) else ""
            address = value & ~1 if kind == "FUNC" else value
            symbols.append(Symbol(symbol.name, address, symbol["st_size"], kind, section))
    return symbols, sorted(mapping)


def _relocations(elf: ELFFile) -> Iterator[tuple[int, int | None]]:
    """What the linker filled in (--emit-relocs), with the address where the word there is none."""
    loaded = [bool(section["sh_flags"] & 2) for section in elf.iter_sections()]
    for section in elf.iter_sections():
        if not isinstance(section, RelocationSection) or not loaded[section["sh_info"]]:
            continue
        symbols = elf.get_section(section["sh_link"])
        for entry in section.iter_relocations():
            if entry["r_info_type"] in WORDS:
                yield entry["r_offset"], None
            elif entry["r_info_type"] == MOVW:
                yield entry["r_offset"], symbols.get_symbol(entry["r_info_sym"])["st_value"]
