"""Structs in the memory of a linked program, by the names and types of their fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from takt.code.architecture import Architecture

SIZES = {"u8": 1, "u16": 2, "u32": 4, "i32": 4, "u64": 8}
POINTER = "pointer"  # to data
TABLE = "takt_table"  # of threads' descriptors by place, where it is in RAM: more may be created
Field = tuple[str, str]  # name, type


class Memory(Protocol):
    """Of a linked program (takt.code.elf.Program), or of one that runs."""

    architecture: Architecture

    def read(self, address: int, size: int) -> bytes: ...

    def data_at(self, address: int) -> int:
        """What the pointer there points to, as an address in the ELF file."""


class Running:
    """The memory of a machine."""

    def __init__(self, machine: Any, architecture: Architecture) -> None:
        self._machine, self.architecture = machine, architecture

    def read(self, address: int, size: int) -> bytes:
        return self._machine.read(address, size)

    def data_at(self, address: int) -> int:
        return self._machine.pointer(address)

    def text(self, address: int) -> str:
        held = self.read(address, 32)
        return held.split(b"\0")[0].decode("utf-8", "replace")


def read(program: Memory, address: int, fields: Sequence[Field]) -> dict[str, int]:
    """The values of the fields; pointers as addresses in the ELF file."""
    at, found = address, {}
    for name, kind in fields:
        size = _size(program, kind)
        at = -(-at // _alignment(program, size)) * _alignment(program, size)
        if kind == POINTER:
            found[name] = program.data_at(at)
        else:
            raw = program.read(at, size)
            found[name] = int.from_bytes(raw, "little", signed=kind.startswith("i"))
        at += size
    return found


def _size(program: Memory, kind: str) -> int:
    return program.architecture.pointer if kind == POINTER else SIZES[kind]


def _alignment(program: Memory, size: int) -> int:
    """As the compilers lay structs out: AVR has no alignment."""
    return 1 if program.architecture.pointer == 2 else size
