"""Where addresses are written in a linked program, and which: what the linker filled in."""

from __future__ import annotations

from collections.abc import Iterator

from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection

from takt.code import elf_tables

WORDS = (2, 38)  # R_ARM_ABS32, R_ARM_TARGET1
MOVW = 47  # R_ARM_THM_MOVW_ABS_NC; its upper half follows
RELATIVE = {"EM_X86_64": 8, "EM_AARCH64": 1027}  # of a shared library, filled in when it is loaded
AVR_DATA = (4,)  # R_AVR_16
AVR_CODE = (5, 12, 24)  # R_AVR_16_PM, R_AVR_LO8_LDI_PM, R_AVR_LO8_LDI_GS; the upper half follows


def filled_in(elf: ELFFile) -> Iterator[elf_tables.Relocation]:
    """What the linker filled in of what is loaded (--emit-relocs)."""
    loaded = [bool(section["sh_flags"] & 2) for section in elf.iter_sections()]
    for section in elf.iter_sections():
        if isinstance(section, RelocationSection) and loaded[section["sh_info"]]:
            yield from elf_tables.relocations(elf, section)


def addresses(elf: ELFFile, symbols: list[elf_tables.Entry]) -> Iterator[tuple[int, int | None]]:
    """Addresses in Thumb programs; None: the word there."""
    for entry in filled_in(elf):
        if entry.kind in WORDS:
            yield entry.offset, None
        elif entry.kind == MOVW:
            yield entry.offset, symbols[entry.symbol].value


def targets(elf: ELFFile, symbols: list[elf_tables.Entry]) -> dict[int, tuple[int, int]]:
    """Of AVR programs, whose pointers do not tell flash from RAM: kind and what is pointed to, by
    where the pointer is."""
    return {
        entry.offset: (entry.kind, symbols[entry.symbol].value + entry.addend)
        for entry in filled_in(elf)
        if entry.kind in AVR_DATA + AVR_CODE
    }


def when_loaded(elf: ELFFile) -> dict[int, int]:
    """Pointers of a shared library that are written when it is loaded, by where they are."""
    section = elf.get_section_by_name(".rela.dyn")
    kind = RELATIVE.get(elf["e_machine"])
    if kind is None or section is None:
        return {}
    return {
        entry.offset: entry.addend
        for entry in elf_tables.relocations(elf, section)
        if entry.kind == kind
    }
