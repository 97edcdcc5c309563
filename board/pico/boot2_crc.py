#!/usr/bin/env python3
"""Writes boot2_crc.h: the CRC the boot ROM demands in the last word of boot2.

Run after a change to boot2.S. The header is checked in, so that no build depends on this step;
a test compares the two.
"""

import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def crc32(data: bytes) -> int:
    """CRC-32 as the boot ROM computes it: polynomial 04C11DB7h, not reflected, not inverted."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ (0x04C11DB7 if crc & 0x80000000 else 0)) & 0xFFFFFFFF
    return crc


def assemble() -> bytes:
    """The 252 bytes of boot2 that the CRC covers."""
    with tempfile.TemporaryDirectory() as folder:
        obj, raw = Path(folder, "boot2.o"), Path(folder, "boot2.bin")
        subprocess.run(
            [
                *("arm-none-eabi-gcc", "-mcpu=cortex-m0plus", "-mthumb", "-DBOOT2_CRC=0", "-c"),
                *("-o", str(obj), str(HERE / "boot2.S")),
            ],
            check=True,
        )
        subprocess.run(
            ["arm-none-eabi-objcopy", "-O", "binary", "-j", ".boot2", str(obj), str(raw)],
            check=True,
        )
        return raw.read_bytes()[:252]


def main() -> None:
    text = (
        "/* SPDX-License-Identifier: MIT */\n"
        "/* Written by boot2_crc.py from boot2.S. */\n"
        "#ifndef BOOT2_CRC\n"
        f"#define BOOT2_CRC 0x{crc32(assemble()):08X}\n"
        "#endif\n"
    )
    (HERE / "boot2_crc.h").write_text(text)


if __name__ == "__main__":
    main()
