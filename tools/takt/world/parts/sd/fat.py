"""A card of 16 MB with one partition, FAT16, and files on it.

By Microsoft's description of FAT (fatgen103): a boot sector, two tables, the root, then clusters of
1 KB from number 2 on. Names are short ones, 8.3; dates are 1980-01-01.

    block 0     128      129        193        257     289
    +-----+-------+------+----------+----------+-------+-----------------+
    | MBR |       | boot | table 1  | table 2  | root  | clusters 2 ...  |
    +-----+-------+------+----------+----------+-------+-----------------+
"""

from __future__ import annotations

import re
import struct
from typing import Any

from takt.world.parts.sd.registers import BLOCK

Tree = dict[str, Any]  # name -> bytes of a file, or the Tree of a folder
CARD, FIRST = 32768, 128  # blocks
PARTITION = CARD - FIRST
RESERVED, TABLES, TABLE, ROOT_ENTRIES = 1, 2, 64, 512  # blocks, copies, blocks of each, entries
CLUSTER = 2  # blocks
ENTRY = 32  # bytes
DATA = FIRST + RESERVED + TABLES * TABLE + ROOT_ENTRIES * ENTRY // BLOCK  # block of cluster 2
CLUSTERS = (CARD - DATA) // CLUSTER
END = 0xFFFF
MEDIA, SERIAL = 0xF8, 0x54414B54
FILE, FOLDER = 0x20, 0x10
FAT16_TYPE = 0x06
FIRST_DAY = 0x0021  # 1980-01-01
NAME = re.compile(r"([A-Z0-9!#$%&'()@^_`{}~-]{1,8})(?:\.([A-Z0-9!#$%&'()@^_`{}~-]{1,3}))?")


class Full(Exception):
    """There is no room."""


def short(name: str) -> bytes | None:
    """A name as 11 bytes, or None if it is longer than that."""
    found = NAME.fullmatch(name.upper())
    return f"{found[1]:8}{found[2] or '':3}".encode() if found else None


def formatted(tree: Tree) -> bytearray:
    """The blocks of the card. Raises Full."""
    return _Volume().filled(tree)


class _Volume:
    def __init__(self) -> None:
        self.blocks = bytearray(CARD * BLOCK)
        self.table = [0xFF00 | MEDIA, END]
        self.blocks[446:462] = struct.pack(
            "<B3sB3sII", 0, b"\xfe\xff\xff", FAT16_TYPE, b"\xfe\xff\xff", FIRST, PARTITION
        )
        self.blocks[510:512] = b"\x55\xaa"
        at = FIRST * BLOCK
        self.blocks[at : at + 62] = struct.pack(
            "<3s8sHBHBHHBHHHIIBBBI11s8s",
            b"\xeb\x3c\x90", b"TAKT    ", BLOCK, CLUSTER, RESERVED, TABLES, ROOT_ENTRIES,
            PARTITION, MEDIA, TABLE, 63, 255, FIRST, 0, 0x80, 0, 0x29, SERIAL,
            b"NO NAME    ", b"FAT16   ",
        )  # fmt: skip
        self.blocks[at + 510 : at + 512] = b"\x55\xaa"

    def filled(self, tree: Tree) -> bytearray:
        root = b"".join(self._entry(name, held, 0) for name, held in sorted(tree.items()))
        if len(root) > ROOT_ENTRIES * ENTRY:
            raise Full
        at = (DATA * BLOCK) - ROOT_ENTRIES * ENTRY
        self.blocks[at : at + len(root)] = root
        table = struct.pack(f"<{len(self.table)}H", *self.table)
        for copy in range(TABLES):
            at = (FIRST + RESERVED + copy * TABLE) * BLOCK
            self.blocks[at : at + len(table)] = table
        return self.blocks

    def _entry(self, name: str, held: bytes | Tree, parent: int) -> bytes:
        """A file's or folder's entry, after what it holds is stored."""
        if isinstance(held, bytes):
            return _entry(short(name) or b"", FILE, self._store(held), len(held))
        first = self._chain(1 + (len(held) + 2) * ENTRY // (CLUSTER * BLOCK))
        dots = _entry(b".          ", FOLDER, first, 0) + _entry(b"..         ", FOLDER, parent, 0)
        inside = (self._entry(one, what, first) for one, what in sorted(held.items()))
        self._put(first, dots + b"".join(inside))
        return _entry(short(name) or b"", FOLDER, first, 0)

    def _store(self, data: bytes) -> int:
        if not data:
            return 0
        first = self._chain(-(-len(data) // (CLUSTER * BLOCK)))
        self._put(first, data)
        return first

    def _chain(self, count: int) -> int:
        """So many clusters in a row; the first."""
        first = len(self.table)
        if first + count > CLUSTERS + 2:
            raise Full
        self.table += [*range(first + 1, first + count), END]
        return first

    def _put(self, cluster: int, data: bytes) -> None:
        at = (DATA + (cluster - 2) * CLUSTER) * BLOCK
        self.blocks[at : at + len(data)] = data


def _entry(name: bytes, attribute: int, first: int, size: int) -> bytes:
    times = (0, 0, FIRST_DAY, FIRST_DAY, 0, 0, FIRST_DAY)
    return struct.pack("<11sBBBHHHHHHHI", name, attribute, 0, *times, first, size)
