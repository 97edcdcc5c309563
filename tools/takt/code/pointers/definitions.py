"""Where the value in a register comes from: what single instructions say, for looking backwards
from a call through a pointer (pointer_types.py). On AVR a register is the lower one of a pair."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from takt.code.architecture import AVR
from takt.code.avr import reader as avr_reader
from takt.code.avr.instructions import BRANCHES, ONLY_READ, POINTERS, SKIPS, Y, Z
from takt.code.avr.instructions import Instruction as AvrInstruction
from takt.code.elf import Program, Symbol
from takt.code.thumb import reader as thumb_reader
from takt.code.thumb.instructions import LOAD, SCRATCH, WRITES_MORE, Instruction, following
from takt.code.thumb.instructions import ONLY_READ as ONLY_READ_BY_THUMB

NAMES = {"sb": 9, "sl": 10, "fp": 11, "ip": 12, "sp": 13, "lr": 14, "pc": 15}  # of registers
ADDED = re.compile(r"(\w+), (?:(\w+), )?#(-?(?:0x)?[0-9a-f]+)")
INDEXED = re.compile(r"(\w+), \[(\w+), (\w+)(?:, lsl #2)?\]")
LOADS = ("ld", "ldd")
AVR_CALLS, AVR_JUMPS = ("call", "rcall", "icall"), ("jmp", "rjmp")
AVR_SCRATCH = {0, *range(18, 28), 30, 31}


class Definition(NamedTuple):
    """kind: copy, of another register and a number more; load, from so far behind where a register
    points to; indexed, from anywhere in what one of two registers points to; address, of data;
    stored, at an address; result, of the function there; unknown."""

    kind: str
    register: int = 0
    number: int = 0


UNKNOWN = Definition("unknown")


@dataclass
class Code:
    """Of a function, instruction by instruction: by address, where one comes from, and what each
    defines."""

    start: int
    before: dict[int, list[int]] = field(default_factory=dict)
    defines: dict[int, dict[int, Definition]] = field(default_factory=dict)
    through: dict[int, int] = field(default_factory=dict)  # calls: the register with the address

    def comes(self, at: int, to: int) -> None:
        self.before.setdefault(to, []).append(at)


def read(program: Program, symbol: Symbol) -> Code:
    return (_avr if program.architecture is AVR else _thumb)(program, symbol)


def _thumb(program: Program, symbol: Symbol) -> Code:
    code, literals, jumps = thumb_reader.Reader(program).decoded(symbol)
    index = {here.at: n for n, here in enumerate(code)}
    result = Code(symbol.address)
    for n, here in enumerate(code):
        result.defines[here.at] = _thumb_defines(here, literals.get(here.at))
        if here.name in ("blx", "bx") and here.operands != "lr":
            result.through[here.at] = _number(here.operands)
        for to in following(code, n, index, jumps):
            result.comes(here.at, code[to].at)
    return result


def _number(register: str) -> int:
    return NAMES[register] if register in NAMES else int(register[1:])


def _thumb_defines(here: Instruction, literal: int | None) -> dict[int, Definition]:
    operands, names = here.operands, here.registers
    if here.name in ("bl", "blx"):
        found = dict.fromkeys((_number(r) for r in SCRATCH), UNKNOWN)
        if here.target is not None:
            found[0] = Definition("result", number=here.target)
        return found
    if not names or here.conditional:
        return dict.fromkeys((_number(r) for r in names), UNKNOWN)
    first = _number(names[0])
    if here.name == "ldr" and literal is not None:
        return {first: Definition("address", number=literal)}
    if here.name == "ldr" and (found_ := LOAD.fullmatch(operands)):
        return {first: Definition("load", _number(found_[2]), int(found_[3] or "0", 0))}
    if here.name == "ldr" and (found_ := INDEXED.fullmatch(operands)):
        return {first: Definition("indexed", _number(found_[2]), _number(found_[3]))}
    if here.name in ("mov", "movs") and operands == ", ".join(names) and len(names) == 2:
        return {first: Definition("copy", _number(names[1]))}
    if here.name in ("add", "adds", "sub", "subs") and (found_ := ADDED.fullmatch(operands)):
        by = int(found_[3], 0) * (1 if here.name.startswith("add") else -1)
        return {first: Definition("copy", _number(found_[2] or found_[1]), by)}
    if here.name == "pop" or "!" in operands or "], " in operands or WRITES_MORE.match(here.name):
        return dict.fromkeys((_number(r) for r in names), UNKNOWN)
    return {} if ONLY_READ_BY_THUMB.fullmatch(here.name) else {first: UNKNOWN}


def _avr(program: Program, symbol: Symbol) -> Code:
    reader = avr_reader.Reader(program)
    places = list(reader.places(symbol))
    result = Code(symbol.address)
    for n, at in enumerate(places):
        here = reader.at(at)
        behind = reader.at(places[n + 1]) if n + 1 < len(places) else None
        result.defines[at] = _avr_defines(here, behind)
        if here.name in ("icall", "ijmp"):
            result.through[at] = Z
        if here.name in (*AVR_JUMPS, *BRANCHES) and here.target is not None:
            result.comes(at, here.target)
        if behind and here.target in reader.saves:  # it comes back behind the jump
            result.comes(at, behind.at)
            result.defines[at] = {Y: UNKNOWN, Y + 1: UNKNOWN}
        if not here.ends and behind:
            result.comes(at, behind.at)
            if here.name in SKIPS:
                result.comes(at, behind.at + behind.size)
    return result


def _avr_defines(here: AvrInstruction, behind: AvrInstruction | None) -> dict[int, Definition]:
    """behind: the next one, which does to the upper register of a pair what this does to the
    lower."""
    d, pair = here.d, behind.d if behind and here.d is not None else None
    both = behind is not None and pair == (-1 if d is None else d) + 1
    if here.name in AVR_CALLS:
        found = dict.fromkeys(AVR_SCRATCH, UNKNOWN)
        if here.target is not None:
            found[24] = Definition("result", number=here.target)
        return found
    found = {}
    if here.pointer and (here.pointer.startswith("-") or here.pointer.endswith("+")):
        pointer = POINTERS[here.pointer.strip("+-")]
        found[pointer] = Definition("copy", pointer, 1 if here.pointer.endswith("+") else -1)
    if here.name.startswith(("mul", "fmul")):
        return {0: UNKNOWN}
    if d is None or here.name in ONLY_READ:
        return found
    if here.name in LOADS and not here.pointer.startswith("-"):
        found[d] = Definition("load", POINTERS[here.pointer.strip("+-")], here.k or 0)
    elif here.name == "movw" and here.r is not None:
        found |= {d: Definition("copy", here.r), d + 1: UNKNOWN}
    elif here.name == "mov" and here.r is not None:
        found[d] = Definition("copy", here.r)
    elif here.name in ("adiw", "sbiw"):
        by = here.k if here.name == "adiw" else -here.k
        found |= {d: Definition("copy", d, by), d + 1: UNKNOWN}
    elif here.name == "subi" and both and behind.name == "sbci":
        by = (here.k | behind.k << 8) + 0x8000 & 0xFFFF
        found[d] = Definition("copy", d, -(by - 0x8000))
    elif here.name == "ldi" and both and behind.name == "ldi":
        found[d] = Definition("address", number=here.k | behind.k << 8)
    elif here.name == "lds" and both and behind.name == "lds" and behind.k == here.k + 1:
        found[d] = Definition("stored", number=here.k)
    else:
        found[d] = UNKNOWN
    return found
