"""Whom bottom halves work for beside a pipe's endpoint: struct takt_io_client in the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from takt.admit.layout import Thread
from takt.code import structs
from takt.code.elf import Program
from takt.code.structs import POINTER

if TYPE_CHECKING:
    from takt.admit.pipes import End

CLIENT = "takt_io_client_"  # their symbols
FIELDS = (("bottom", POINTER), ("thread", POINTER), ("work_ns", "u32"))


@dataclass(frozen=True)
class Client:
    """A thread that a bottom half works for, and how long that takes each time it looks."""

    bottom: Thread
    thread: Thread
    work_ns: int


def find_clients(program: Program, threads: Mapping[int, Thread]) -> tuple[Client, ...]:
    """Those of a program. threads: by the address of their descriptors."""
    found = [
        structs.read(program, symbol.address, FIELDS)
        for symbol in program.symbols
        if symbol.name.startswith(CLIENT) and symbol.kind == "OBJECT"
    ]
    return tuple(
        Client(threads[one["bottom"]], threads[one["thread"]], one["work_ns"])
        for one in found
        if one["bottom"] in threads and one["thread"] in threads
    )


def others_ns(clients: Sequence[Client], ends: Sequence[End], end: End) -> int:
    """CPU time of an endpoint's bottom half, each time it looks, for all others."""
    if end.bottom is None:
        return 0
    mine = [one for one in clients if one.bottom == end.bottom]
    named = {one.thread.name for one in mine}
    beside = [
        one.attrs.bottom_ns
        for one in ends
        if one.bottom == end.bottom
        and one.address != end.address
        and not (one.thread and one.thread.name in named)
    ]
    served = end.thread.name if end.thread else None
    return sum(one.work_ns for one in mine if one.thread.name != served) + sum(beside)
