"""Facts that a program states about its functions (include/takt/fact.h): what the machine code does
not show. A record is an address inside the function and a text. And how long sections last, where
the program says it (include/takt/section.h)."""

from __future__ import annotations

import struct
from functools import cached_property

from takt.code.elf import Program
from takt.code.names import plain
from takt.errors import UserError

SECTION = ".debug_takt_facts"
WITHIN = ".debug_takt_sections"  # records of TAKT_SECTION_US(): a word where, a word how long
OF_FUNCTIONS = ".debug_takt_sections_in"  # of TAKT_SECTION_IN(): a word how long, and the name
KINDS = ("calls", "called", "entry", "only", "takes")  # a word follows
ALONE = (
    "locked", "preempts", "idle", "switches", "last", "too deep",
    "locks", "unlocks", "relocks", "masks", "unmasks",
)  # fmt: skip
ISR_STACK = "isr stack"  # a set of functions: they run on the stack of the interrupts
SKETCHS = ("loop", "job", "pipe", "handler")  # entries whose argument is what they call
TASKS, IN_TURN = "tasks", "tasks in turn"


class Facts:
    """Of a linked program."""

    def __init__(self, program: Program) -> None:
        self.of: dict[int, set[str]] = {}  # by address of the function
        self.unplaced: list[str] = []  # that are in no function
        for at, text in _records(program):
            function = program.function_at(at)
            if function is None:
                self.unplaced.append(text)
                continue
            _require_known(text, function.name)
            self.of.setdefault(function.address, set()).add(text)

    def has(self, function: int, text: str) -> bool:
        return text in self.of.get(function, ())

    def functions(self, *texts: str) -> set[int]:
        """Those that state one of these."""
        return {function for function, said in self.of.items() if said.intersection(texts)}

    def said(self, function: int, kind: str) -> list[str]:
        """What a function says with that word."""
        words = (text.partition(" ") for text in sorted(self.of.get(function, ())))
        return [more for word, _, more in words if word == kind]

    def entry(self, function: int) -> str:
        """What threads that begin there are; empty: it is not stated."""
        return next(iter(self.said(function, "entry")), "")

    @cached_property
    def members(self) -> set[int]:
        """Functions that one set of callers calls through pointers, and nothing else."""
        return {function for function in self.of if self.said(function, "called")}


def _records(program: Program) -> list[tuple[int, str]]:
    """Without those of functions that the linker has dropped."""
    data, size = program.note(SECTION), program.architecture.record
    found = []
    while data:
        at = int.from_bytes(data[:size], "little")
        text, _, data = data[size:].partition(b"\0")
        found.append((at & ~1, text.decode(errors="replace")))
    return [(at, text) for at, text in found if at]


def _require_known(text: str, function: str) -> None:
    word, _, more = text.partition(" ")
    if (word in KINDS and more) or text in ALONE:
        return
    raise UserError(
        f"{plain(function)}() states the fact {text!r}, which the tools do not know",
        fix="state one of those in include/takt/fact.h",
    )


def stated(program: Program) -> dict[int, int]:
    """TAKT_SECTION_US(): where, and us."""
    data = program.note(WITHIN)
    return {at & ~1: us for at, us in struct.iter_unpack("<2I", data[: len(data) // 8 * 8])}


def stated_in(program: Program) -> dict[str, int]:
    """TAKT_SECTION_IN(): by function, us."""
    data, found = program.note(OF_FUNCTIONS), {}
    while data:
        name, _, rest = data[4:].partition(b"\0")
        found[name.decode(errors="replace")] = int.from_bytes(data[:4], "little")
        data = rest
    return found
