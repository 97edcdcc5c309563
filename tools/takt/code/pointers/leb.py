"""Numbers of variable length (LEB128), as DWARF has them."""

from __future__ import annotations


def uleb(data: list[int]) -> int:
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            break
    return value


def sleb(data: list[int]) -> int | None:
    value = 0
    for n, byte in enumerate(data):
        value |= (byte & 0x7F) << 7 * n
        if not byte & 0x80:
            sign = 1 << 7 * n + 6
            return (value ^ sign) - sign if n == len(data) - 1 else None
    return None
