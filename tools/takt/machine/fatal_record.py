"""What a program has left of a fatal error: its code, its thread, and why; told or not."""

from __future__ import annotations

import re
import struct
from typing import NamedTuple

from takt.code import vectors
from takt.code.elf import Program
from takt.machine.machine import Machine

TOLD, CORE = "takt_fatal_record", "takt_core"
FLAG = 0x80  # TAKT_CORE_FATAL
ABOVE = re.compile(r"called above TAKT_IRQ_PRIORITY by exception (\d+)$")  # port/armv7m
MOST = 120  # characters; a text may lie at the end of RAM
UNTOLD = {
    1: "stack overflow",
    2: "no handler for an interrupt",
    4: "a call that is impossible there",
    5: "exit(), abort() or a failed assert()",
    6: "no threads, or too many",
    7: "main() returned without takt_start()",
    8: "stack overflow (of the interrupts)",
}


class Fatal(NamedTuple):
    code: int = 0  # enum takt_fatal; 0: none
    place: int = 0
    why: str = ""


def read(machine: Machine, program: Program) -> Fatal:
    """Programs that do not tell leave code and place in takt_core; those that do, why only if the
    code does not say it."""
    if machine.has_symbol(TOLD):
        fatal = told(machine)
        return fatal._replace(why=fatal.why + _handler(program, fatal.why))
    core = program.by_name.get(CORE)
    if core is None:
        return Fatal()
    *_, place, _, flags = machine.read(core.address, core.size)
    if not flags & FLAG:
        return Fatal()
    code = flags & ~FLAG
    return Fatal(code, place, _of_code(code))


def told(machine: Machine) -> Fatal:
    """Of a program that tells."""
    address = machine.symbol(TOLD)
    code, place = struct.unpack("<II", machine.read(address, 8))
    why = machine.pointer(address + 8) if code else 0
    return Fatal(code, place, _text(machine, why) if why else _of_code(code))


def _handler(program: Program, why: str) -> str:
    """The function that is called for the exception that a text names at its end."""
    found = ABOVE.search(why)
    numbers = vectors.functions(program).items() if found else ()
    at = next((to for to, served in numbers if found and int(found[1]) in served), None)
    names = [symbol.name for symbol in program.functions if symbol.address == at]
    return f" ({names[0]})" if names else ""


def _of_code(code: int) -> str:
    """What it says by itself; 0: nothing."""
    return UNTOLD.get(code, "fatal error") if code else ""


def _text(machine: Machine, address: int) -> str:
    text = b""
    while b"\0" not in text and len(text) < MOST:
        text += machine.read(address + len(text), 1)
    return text.split(b"\0")[0].decode("utf-8", "replace")
