"""Who owns which piece of flash and RAM, from the linker's map.

A piece is what one input section contributes. Its owner follows from the file it comes from (the
layers are archives) or, for what the kernel has others define for it, from its section's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from takt.boards import Memory
from takt.code.elf import Program

SKETCH, LIBRARIES, API, DRIVERS = "sketch", "libraries", "Arduino API", "drivers"
KERNEL, BUDGETS, TRACE, BOARD = "kernel", "budgets", "trace", "board"
STACKS, HANDLERS, C_LIBRARY, FILL = "stacks of threads", "stack of interrupts", "C library", "gaps"
FREE = "free"
OWNERS = (
    *(HANDLERS, STACKS, KERNEL, BUDGETS, TRACE, DRIVERS, BOARD, API, SKETCH, LIBRARIES),
    *(C_LIBRARY, FILL, FREE),
)

# Section of a piece -> owner, whatever file it comes from; the first that fits.
BY_SECTION = (
    (r"\.takt\.stacks\.takt_stack_isr$", HANDLERS),
    (r"\.takt\.stacks", STACKS),
    (r"\.takt\.(tcb|thread)", KERNEL),
    (r"\.(data|bss)\..*takt_(vcpu|io)_", BUDGETS),
    (r"\.data\..*9?takt_vcpu$", BUDGETS),
    (r"\.(data|bss)\.(ring|_SEGGER_RTT|lost)$", TRACE),
)
BY_FILE = (
    (r"libtakt_kernel\.a\((trace)\.", TRACE),
    (r"libtakt_kernel\.a\((vcpu|server|pibs|admi|rebudget|periodic|releases|reference)", BUDGETS),
    (r"libtakt_(kernel|port)\.a", KERNEL),
    (r"libtakt_drivers\.a", DRIVERS),
    (r"libtakt_board\.a", BOARD),
    (r"libtakt_arduino\.a", API),
    (r"/obj/libraries/", LIBRARIES),
    # ltrans: optimised at link time, where the kernel's calls are part of it, too
    (r"/obj/|\.ltrans\d+\.ltrans\.o", SKETCH),
    (r"\.(a|o)\b", C_LIBRARY),
)
PIECE = re.compile(
    r"^ (?P<section>[.\w*]\S*)\s+0x(?P<at>[0-9a-f]{8,16})\s+0x(?P<size>[0-9a-f]+)( (?P<file>.+))?$"
)

SAID = re.compile(r"^ +0x(?P<at>[0-9a-f]{8,16})\s+0x(?P<size>\d+) (BYTE|SHORT|LONG) ")
NOT_LOADED = (".debug_", ".stab", ".comment", ".ARM.attributes", ".note")  # in the map at 0


@dataclass(frozen=True)
class Piece:
    """A stretch of memory with one owner."""

    address: int
    size: int
    owner: str
    name: str  # of what is there, as far as the section tells
    file: str = ""  # which it comes from
    section: str = ""  # of that file


def _owner(section: str, file: str) -> str:
    for pattern, owner in BY_SECTION:
        if re.search(pattern, section):
            return owner
    return next((owner for pattern, owner in BY_FILE if re.search(pattern, file)), FILL)


def _name(section: str, file: str) -> str:
    """cpu, of .bss.takt_cpu; else the file."""
    last = re.sub(r"^\.(takt\.stacks|takt|text|rodata|data|bss)\.?", "", section)
    last = "strings" if last.endswith("str1.1") else re.sub(r"^_ZL?\d+", "", last)
    last = last.removeprefix("takt_stack_").removeprefix("takt_")
    return last or re.sub(r".*[/(]|\.c\.obj|\.o|\)", "", file)


def pieces(map_file: Path) -> Iterator[Piece]:
    """All pieces that were linked, in order of the map."""
    text = map_file.read_text(errors="replace").partition("\nLinker script and memory map")[2]
    joined = re.sub(r"\n( \.\S+)\n +(0x[0-9a-f]{8,16} )", r"\n\1 \2", text)  # long names
    for line in joined.splitlines():
        if said := SAID.match(line):  # by the link script: vectors
            yield Piece(int(said["at"], 16), int(said["size"], 16), BOARD, "vectors")
        found = PIECE.match(line)
        if found is None or int(found["size"], 16) == 0 or found["section"].startswith(NOT_LOADED):
            continue
        section, file = found["section"], found["file"] or ""
        if section == "*fill*":
            owner, name = FILL, ""
        else:
            owner, name = _owner(section, file), _name(section, file)
        yield Piece(int(found["at"], 16), int(found["size"], 16), owner, name, file, section)


def in_memory(found: list[Piece], memory: Memory) -> list[Piece]:
    """Those in a memory, in order of addresses, gaps and what is free included."""
    end = memory.origin + memory.size
    inside = sorted((p for p in found if memory.origin <= p.address < end), key=lambda p: p.address)
    result: list[Piece] = []
    at = memory.origin
    for piece in inside:
        if piece.address > at:
            result.append(Piece(at, piece.address - at, FILL, ""))
        if piece.address >= at:
            result.append(piece)
            at = piece.address + piece.size
    if at < end:
        result.append(Piece(at, end - at, FREE, ""))
    return result


def _wakes(program: Program) -> list[Piece]:
    """What the link script itself adds behind the control blocks of threads: when sleepers wake."""
    ends = [program.by_name.get(name) for name in ("__takt_wakes", "__takt_bss_end")]
    if None in ends:
        return []
    start, end = (symbol.address for symbol in ends if symbol)
    return [Piece(start, end - start, KERNEL, "wakes")] if start < end else []


@dataclass(frozen=True)
class Owned:
    """What belongs to whom."""

    flash: dict[str, int]
    ram: dict[str, int]
    map: list[Piece]  # of RAM
    origin: int = 0  # of addresses, as programs know them


def owned(program: Program, map_file: Path, flash: Memory, ram: Memory) -> Owned:
    """Bytes by owner; initial values of variables count in flash, too."""
    found = [*_wakes(program), *pieces(map_file)]
    in_flash = in_memory(found, flash)
    in_ram = in_memory(found, ram)
    for section in program.sections:
        if section.in_image and section.load_address != section.address:  # .data
            span = range(section.address, section.address + section.size)
            in_flash += [p for p in in_ram if p.address in span]
            rest = section.size - sum(p.size for p in in_ram if p.address in span)
            in_flash.append(Piece(section.load_address, rest, FILL, ""))
    return Owned(_sums(in_flash), _sums(in_ram), in_ram, program.architecture.data)


def _sums(found: list[Piece]) -> dict[str, int]:
    sums = {owner: sum(p.size for p in found if p.owner == owner) for owner in OWNERS}
    return {owner: size for owner, size in sums.items() if size and owner != FREE}
