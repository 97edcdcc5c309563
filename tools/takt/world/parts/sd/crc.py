"""The checksums of SD cards: CRC7 of commands and registers, CRC16 of data."""

from __future__ import annotations

POLYNOMIAL7, POLYNOMIAL16 = 0x09, 0x1021


def _table16() -> list[int]:
    table = []
    for byte in range(256):
        crc = byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ (POLYNOMIAL16 if crc & 0x8000 else 0)) & 0xFFFF
        table.append(crc)
    return table


TABLE16 = _table16()


def crc7(data: bytes) -> int:
    """x^7 + x^3 + 1, from 0."""
    crc = 0
    for byte in data:
        for bit in range(7, -1, -1):
            out = (crc >> 6 ^ byte >> bit) & 1
            crc = (crc << 1 & 0x7F) ^ (POLYNOMIAL7 if out else 0)
    return crc


def crc16(data: bytes) -> int:
    """x^16 + x^12 + x^5 + 1, from 0."""
    crc = 0
    for byte in data:
        crc = (crc << 8 & 0xFFFF) ^ TABLE16[crc >> 8 ^ byte]
    return crc


def with_crc7(data: bytes) -> bytes:
    """A command or register with its last byte: the checksum and the end bit."""
    return data + bytes([crc7(data) << 1 | 1])
