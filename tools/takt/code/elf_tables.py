"""Tables of a little-endian ELF file, each read as a whole: entry by entry, pyelftools takes a
large part of the time of a build."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import SymbolTableSection

from takt.errors import UserError
from takt.paths import shown

KINDS = ("NOTYPE", "OBJECT", "FUNC", "SECTION", "FILE")
SYMBOL = {32: "<IIIBBH", 64: "<IBBHQQ"}
RELOCATION = {(32, False): "<II", (32, True): "<IIi", (64, False): "<QQ", (64, True): "<QQq"}
SYMBOL_OF = {32: 8, 64: 32}  # r_info: bits of the kind below the symbol's index


class Entry(NamedTuple):
    """A symbol."""

    name: str
    value: int
    size: int
    kind: str  # KINDS, or ""
    local: bool
    weak: bool
    section: int  # index; 0: undefined; beyond the last: a special one, as that of absolute values


class Relocation(NamedTuple):
    offset: int
    kind: int
    symbol: int  # index
    addend: int


@contextmanager
def opened(path: Path) -> Iterator[ELFFile]:
    """A program, to be read within the context. Of a file that is damaged anything may be wrong,
    and pyelftools and what reads its tables may raise anything: it becomes one message."""
    try:
        stream = open(path, "rb")  # noqa: SIM115
    except OSError as error:
        raise UserError(f"cannot read the program: {error.strerror}", shown(path)) from error
    try:
        with stream:
            yield ELFFile(stream)
    except UserError:
        raise
    except Exception as error:
        why = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        what = f"the program is damaged, or none of Takt's ({why})"
        raise UserError(what, shown(path), "remove the file and build anew") from error


def symbols(elf: ELFFile, table: SymbolTableSection | None) -> list[Entry]:
    """All, in their order."""
    if table is None:
        return []
    names = elf.get_section(table["sh_link"]).data()
    found = []
    for entry in struct.iter_unpack(SYMBOL[elf.elfclass], table.data()):
        if elf.elfclass == 32:
            name, value, size, info, _, section = entry
        else:
            name, info, _, section, value, size = entry
        kind = KINDS[info & 15] if info & 15 < len(KINDS) else ""
        text = names[name : names.index(b"\0", name)].decode(errors="replace")
        found.append(Entry(text, value, size, kind, info >> 4 == 0, info >> 4 == 2, section))
    return found


def values(elf: ELFFile) -> dict[str, int]:
    """Of symbols that have a name."""
    table = elf.get_section_by_name(".symtab")
    return {entry.name: entry.value for entry in symbols(elf, table) if entry.name}


def relocations(elf: ELFFile, section: RelocationSection) -> Iterator[Relocation]:
    """All, in their order."""
    bits = SYMBOL_OF[elf.elfclass]
    for offset, info, *addend in struct.iter_unpack(
        RELOCATION[elf.elfclass, section.is_RELA()], section.data()
    ):
        yield Relocation(offset, info & (1 << bits) - 1, info >> bits, addend[0] if addend else 0)
