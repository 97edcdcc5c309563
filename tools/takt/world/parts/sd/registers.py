"""CSD, CID, SCR and SD status: what a card says of itself.

Fields stand as in the Physical Layer Simplified Specification, version 2.00, chapter 5: by their
highest and lowest bit. A card of standard capacity has version 1 of the CSD, in which the size is a
product; one of high capacity version 2, in which it counts units of 512 KB.
"""

from __future__ import annotations

import zlib

from takt.world.parts.sd.crc import crc7

BLOCK = 512
HC_BLOCKS = 1024  # of which a high capacity card has a multiple: 512 KB
CLASSES = 0b0001_0011_0101  # basic, read, write, erase, application commands
MADE_IN = 26 << 4 | 11  # year - 2000, month

Fields = dict[tuple[int, int], int]  # (highest bit, lowest bit) -> value

CSD: Fields = {  # what both versions have
    (103, 96): 0x32,  # 25 MHz
    (95, 84): CLASSES,
    (83, 80): 9,  # blocks of 2^9 are read
    (46, 46): 1,  # single blocks can be erased
    (45, 39): 0x7F,
    (28, 26): 2,  # writing takes 4 times as long as reading
    (25, 22): 9,
    (0, 0): 1,
}


def _packed(fields: Fields, size: int) -> bytes:
    value = 0
    for (high, low), part in fields.items():
        assert part < 1 << high - low + 1
        value |= part << low
    return value.to_bytes(size, "big")


def _register(fields: Fields) -> bytes:
    """16 bytes, the last of which has the checksum of the others."""
    body = _packed(fields, 16)
    return body[:15] + bytes([crc7(body[:15]) << 1 | 1])


def standard_size(blocks: int) -> tuple[int, int] | None:
    """C_SIZE and C_SIZE_MULT of so many blocks; None: version 1 of the CSD cannot say it."""
    for multiplier in range(8):
        units, rest = divmod(blocks, 1 << multiplier + 2)
        if not rest and 1 <= units <= 4096:
            return units - 1, multiplier
    return None


def csd(blocks: int, high_capacity: bool) -> bytes:
    if high_capacity:
        own: Fields = {(127, 126): 1, (119, 112): 0x0E, (69, 48): blocks // HC_BLOCKS - 1}
    else:
        size = standard_size(blocks)
        assert size
        own = {(119, 112): 0x26, (79, 79): 1, (73, 62): size[0], (49, 47): size[1]}
    return _register(CSD | own)


def cid(name: str) -> bytes:
    """Of a maker that there is not; the serial number follows from the part's name."""
    letters = int.from_bytes(b"TKWORLD", "big")  # of the maker (2), of the product (5)
    serial = zlib.crc32(name.encode())
    fields: Fields = {(127, 120): 0xFF, (119, 64): letters, (63, 56): 0x10, (55, 24): serial}
    return _register(fields | {(19, 8): MADE_IN, (0, 0): 1})


def scr() -> bytes:
    """Version 2.00; erased blocks are zeros; one or four data lines."""
    return _packed({(59, 56): 2, (51, 48): 0b0101}, 8)


def status() -> bytes:
    """Speed class 0, and nothing said of units."""
    return bytes(64)
