"""Flashable images of a linked program: .bin, .hex and, if the board has it in [images], .uf2."""

from __future__ import annotations

import io
import os
import struct
from pathlib import Path

from elftools.elf.elffile import ELFFile

from takt.boards import Board
from takt.code.elf import Program
from takt.errors import UserError

UF2_MAGIC = (0x0A324655, 0x9E5D5157, 0x0AB16F30)
UF2_FAMILY_PRESENT = 0x2000
UF2_PAYLOAD = 256


def kinds(board: Board) -> list[str]:
    """Suffixes of the board's images; what is not flashed has none."""
    if board.core in ("host", "x86_64"):
        return []
    return [*(["uf2"] if "uf2" in board.raw.get("images", {}) else []), "bin", "hex"]


def outputs(out: Path, name: str, board: Board) -> dict[str, Path]:
    """The files a build publishes, by kind."""
    return {kind: out / f"{name}.{kind}" for kind in ("elf", *kinds(board))}


def withdraw(out: Path, name: str, board: Board) -> None:
    """Removes what a build has published, and what was made of that."""
    for path in (*outputs(out, name, board).values(), out / f"{name}.iso"):
        path.unlink(missing_ok=True)


def made(board: Board, start: int, image: bytes) -> dict[str, bytes]:
    """The board's images by suffix."""
    if not kinds(board):
        return {}
    found = {"bin": image, "hex": intel_hex(start, image).encode()}
    if "uf2" in kinds(board):
        found["uf2"] = uf2(start, image, board.raw["images"]["uf2"]["family"])
    return found


def flat(program: Program, elf: bytes | None = None) -> tuple[int, bytes]:
    """Address and contents of the flash image, gaps filled with 0xFF as erased flash has them. elf:
    the file, if it is not the program's."""
    elf = program.path.read_bytes() if elf is None else elf
    segments = ELFFile(io.BytesIO(elf)).iter_segments("PT_LOAD")
    parts = [(s["p_paddr"], s.data()) for s in segments if s["p_filesz"]]
    if not parts:
        raise UserError("the program is empty", str(program.path))
    start = min(load for load, _ in parts)
    end = max(load + len(data) for load, data in parts)
    image = bytearray(b"\xff" * (end - start))
    for load, data in parts:
        image[load - start : load - start + len(data)] = data
    return start, bytes(image)


def with_bytes(elf: bytes, values: dict[int, int]) -> bytes:
    """An ELF file with other initial values, bytes by address."""
    data = bytearray(elf)
    segments = list(ELFFile(io.BytesIO(elf)).iter_segments("PT_LOAD")) if values else []
    for address, value in values.items():
        spans = ((address - s["p_vaddr"], s) for s in segments)
        at, segment = next((at, s) for at, s in spans if 0 <= at < s["p_filesz"])
        data[segment["p_offset"] + at] = value
    return bytes(data)


def uf2(start: int, image: bytes, family: int) -> bytes:
    """USB Flashing Format: 512-byte blocks of 256 bytes each."""
    count = -(-len(image) // UF2_PAYLOAD)
    blocks = []
    for number in range(count):
        offset = number * UF2_PAYLOAD
        payload = image[offset : offset + UF2_PAYLOAD].ljust(476, b"\0")
        head = struct.pack(
            "<8I", *UF2_MAGIC[:2], UF2_FAMILY_PRESENT, start + offset, UF2_PAYLOAD, number,
            count, family,
        )  # fmt: skip
        blocks.append(head + payload + struct.pack("<I", UF2_MAGIC[2]))
    return b"".join(blocks)


def intel_hex(start: int, image: bytes) -> str:
    """Intel HEX with extended linear addresses."""
    lines, upper = [], -1
    for offset in range(0, len(image), 16):
        address = start + offset
        if address >> 16 != upper:
            upper = address >> 16
            lines.append(_record(0, 4, struct.pack(">H", upper)))
        lines.append(_record(address & 0xFFFF, 0, image[offset : offset + 16]))
    return "\n".join([*lines, _record(0, 1, b""), ""])


def _record(address: int, kind: int, data: bytes) -> str:
    body = struct.pack(">BHB", len(data), address, kind) + data
    return f":{body.hex()}{-sum(body) & 0xFF:02x}".upper()


def publish(files: dict[Path, bytes]) -> None:
    """All files under their names, or none."""
    new = {path: path.with_name(f".{path.name}.new") for path in files}
    try:
        for path, content in files.items():
            new[path].write_bytes(content)
        for path in files:
            os.replace(new[path], path)
    except BaseException:
        for path in [*new.values(), *files]:
            path.unlink(missing_ok=True)
        raise
