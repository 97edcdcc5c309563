"""Writes to the registers of Timer1, which is the kernel's clock on an AVR, and writes that stop it
or change its speed, in what is the sketch's and its libraries'. Seen are those whose address is in
the instruction, or in a pointer that the function itself makes of a constant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from takt.code.avr.flow import pair
from takt.code.avr.instructions import ONLY_READ, POINTERS, Instruction
from takt.code.avr.reader import Path, Reader
from takt.code.callgraph import CallGraph
from takt.code.codeflow import State
from takt.code.elf import Symbol
from takt.code.lines import Lines
from takt.code.names import plain
from takt.code.stacks import Stacks
from takt.errors import UserError

REGISTERS = {  # of all ATmega; those of 16 bits have two addresses
    0x36: "TIFR1", 0x6F: "TIMSK1", 0x80: "TCCR1A", 0x81: "TCCR1B", 0x82: "TCCR1C",
    **dict.fromkeys((0x84, 0x85), "TCNT1"), **dict.fromkeys((0x86, 0x87), "ICR1"),
    **dict.fromkeys((0x88, 0x89), "OCR1A"), **dict.fromkeys((0x8A, 0x8B), "OCR1B"),
}  # fmt: skip
# With one of these bits set they act on Timer1; other bits are of other devices.
SHARED = {0x43: ("GTCCR", 0x81), 0x61: ("CLKPR", 0x0F), 0x64: ("PRR", 0x08)}
TIMER1 = (
    "use Timer2 instead (TCCR2A, OCR2A, TIMSK2), or what needs no timer: micros(), "
    "periodic(id, C, T), tone(), Servo, analogWrite()"
)
RUNNING = "leave Timer1 running at its speed: stop other devices only (power_adc_disable())"
IO = 0x20  # what in, out, sbi and cbi count from
REACH = 63  # of a displacement


class Write(NamedTuple):
    function: str
    register: str
    at: int


def require_none(stacks: object, lines: Lines) -> None:
    """Raises for the first."""
    found = find(stacks.graph) if isinstance(stacks, Stacks) else ()
    for write in sorted(found, key=lambda one: one.at):
        raise UserError(
            f"{write.function}() writes {write.register}: Timer1 is the clock that all of Takt's "
            "time comes from",
            lines.where(write.at),
            RUNNING if write.register in dict(SHARED.values()) else TIMER1,
        )


def find(graph: CallGraph) -> Iterator[Write]:
    """Of a linked program; none where it is not an AVR's."""
    if graph.program.architecture.name != "avr":
        return
    reader = Reader(graph.program)
    for symbol in graph.program.functions:
        if graph.is_users(symbol.address):
            for at, register in _of(reader, symbol):
                yield Write(plain(symbol.name), register, at)


def _of(reader: Reader, symbol: Symbol) -> Iterator[tuple[int, str]]:
    places = [reader.at(at) for at in reader.places(symbol)]
    states: dict[int, State] = Path(reader, symbol).states(False) if _points(places) else {}
    for n, here in enumerate(places):
        for address in _written(here, states.get(here.at, {})):
            name, acts = SHARED.get(address, (REGISTERS.get(address), None))
            if name and (acts is None or acts & _bits_set(places[:n], here.r)):
                yield here.at, name


def _bits_set(before: list[Instruction], register: int | None) -> int:
    """Bits that a register is known to have set, by the instructions just before."""
    bits, kept = 0, 0xFF
    for here in reversed(before):
        if here.ends or here.target is not None:
            break
        if here.d != register or here.name in ONLY_READ:
            continue
        if here.name in ("ldi", "ori"):
            bits |= here.k & kept
        elif here.name == "andi":
            kept &= here.k
        if here.name not in ("ori", "andi"):
            break
    return bits


def _points(places: list[Instruction]) -> bool:
    """Whether a pointer to a register may be made here."""
    loads = {(here.d, here.k & 0xFF) for here in places if here.name == "ldi"}
    near = range(min(REGISTERS) - REACH, max(REGISTERS) + 1)
    return any(k in near and ((d or 0) + 1, 0) in loads for d, k in loads)


def _written(here: Instruction, before: State) -> Iterator[int]:
    """Addresses, as far as they are known."""
    if here.name == "sts":
        yield here.k
    elif here.name in ("out", "sbi", "cbi"):
        yield here.k + IO
    elif here.name in ("st", "std"):
        base = pair(before, POINTERS[here.pointer.strip("+-")])
        if base and base.kind == "const":
            before_it = here.pointer.startswith("-")
            yield from (number + here.k - before_it for number in base.numbers)
