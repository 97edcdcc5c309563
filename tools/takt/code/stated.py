"""How long sections last, where the program says it (include/takt/section.h)."""

from __future__ import annotations

import struct

from takt.code.elf import Program

WITHIN = ".debug_takt_sections"  # records of TAKT_SECTION_US(): a word where, a word how long
OF_FUNCTIONS = ".debug_takt_sections_in"  # of TAKT_SECTION_IN(): a word how long, and the name


def stated(program: Program) -> dict[int, int]:
    """TAKT_SECTION_US(): where, and us."""
    data = program.note(WITHIN)
    return {at & ~1: us for at, us in struct.iter_unpack("<2I", data[: len(data) // 8 * 8])}


def stated_in(program: Program) -> dict[str, int]:
    """TAKT_SECTION_IN(): by function, us."""
    data, found = program.note(OF_FUNCTIONS), {}
    while data:
        name, _, rest = data[4:].partition(b"\0")
        found[name.decode(errors="replace")] = int.from_bytes(data[:4], "little")
        data = rest
    return found
