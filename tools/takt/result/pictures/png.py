"""PNG files of pictures that parts give, without matplotlib, which takes long to load."""

from __future__ import annotations

import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
BITS, RGB = 8, 2  # of a channel; colour type


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def encoded(width: int, height: int, rgb: bytes) -> bytes:
    """The bytes of a file, from rows of three bytes a dot."""
    size = 3 * width
    rows = b"".join(b"\0" + rgb[at : at + size] for at in range(0, size * height, size))
    header = struct.pack(">IIBBBBB", width, height, BITS, RGB, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return SIGNATURE + b"".join(_chunk(kind, data) for kind, data in chunks)
