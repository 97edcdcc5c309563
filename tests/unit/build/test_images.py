"""Image formats against their published layouts."""

from __future__ import annotations

import struct

from takt.build import images


def test_uf2_blocks() -> None:
    data = bytes(range(256)) * 2 + b"end"
    blocks = images.uf2(0x10000000, data, 0xE48BFF56)
    assert len(blocks) == 3 * 512
    for number in range(3):
        block = blocks[512 * number : 512 * number + 512]
        head = struct.unpack("<8I", block[:32])
        assert head == (
            0x0A324655, 0x9E5D5157, 0x2000, 0x10000000 + 256 * number, 256, number, 3, 0xE48BFF56,
        )  # fmt: skip
        assert block[32:288] == data[256 * number : 256 * number + 256].ljust(256, b"\0")
        assert block[508:] == struct.pack("<I", 0x0AB16F30)


def test_intel_hex_round_trip() -> None:
    data = bytes(range(40))
    memory: dict[int, int] = {}
    upper = 0
    lines = images.intel_hex(0x1000FFF0, data).splitlines()
    for line in lines:
        assert line[0] == ":"
        record = bytes.fromhex(line[1:])
        assert sum(record) & 0xFF == 0
        count, address, kind = record[0], record[1] << 8 | record[2], record[3]
        payload = record[4 : 4 + count]
        if kind == 4:
            upper = payload[0] << 24 | payload[1] << 16
        elif kind == 0:
            memory |= {upper + address + i: byte for i, byte in enumerate(payload)}
    assert lines[-1] == ":00000001FF"
    assert memory == {0x1000FFF0 + i: byte for i, byte in enumerate(data)}
