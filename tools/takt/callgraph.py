"""Who calls whom and with how much stack, read from the machine code of a linked Thumb program.

Reading the program itself covers everything that is linked, libgcc and newlib included. A
function's frame is the sum of all that it pushes. Where it goes on in the function behind it, that
counts as a call (assembler). Calls through pointers may reach:

- through the table of the object whose member the caller is: that slot in the tables that an object
  of that class may have (vtables.py);
- through a word loaded from a table: every function whose address is taken (written anywhere but in
  tables of virtual functions, in the vectors, in the descriptors of threads), and those in that
  slot of any table of virtual functions, for a table of functions looks the same;
- others: every function whose address is taken, and every virtual one.

What is written in C reaches no virtual functions but those whose address is taken.
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import capstone

from takt import owners
from takt.codeflow import REGISTER, THIS, Instruction, State, Value, instruction, states
from takt.elf import Program, Symbol
from takt.vtables import VTables

FPU_REGISTER = re.compile(r"\b([sd])\d+\b")
PUSH_ONE = re.compile(r"\[sp, #-(0x[0-9a-f]+|\d+)\]!")
NOPS = (b"\xc0\x46", b"\x00\xbf")  # what fills up: mov r8, r8; nop
CASES = {"sqi": "b", "uqi": "B", "shi": "h", "uhi": "H", "si": "i"}  # libgcc's jumps by table
NO_OBJECTS = re.compile(  # files that have none with virtual functions, or call them by name
    r"libtakt_(kernel|port|board|drivers)\.a|lib(c|m|gcc)(_nano)?\.a"
    r"|libtakt_arduino\.a\((?!Print|Stream|HardwareSerial|Serial)"
)


@dataclass
class Function:
    name: str
    address: int
    frame: int = 0
    calls: set[int] = field(default_factory=set)  # addresses of functions
    own: set[int] = field(default_factory=set)  # virtual calls of its own object, by slot
    slots: set[int] = field(default_factory=set)  # calls through tables, by slot
    pointer_calls: int = 0  # calls through other pointers
    goes_on: int | None = None  # the function it runs into at its end; a call too
    dynamic: bool = False  # stack taken at run time: alloca, variable arrays


class CallGraph:
    def __init__(self, program: Program) -> None:
        self.program = program
        mode = capstone.CS_MODE_THUMB | capstone.CS_MODE_MCLASS
        self._decoder = capstone.Cs(capstone.CS_ARCH_ARM, mode)
        self._decoder.skipdata = True
        self._mapping = [address for address, _ in program.mapping]
        self._files = _files(program)
        self.vtables = VTables(program, (s.address for s in program.functions))
        self.functions = {s.address: self._read(s) for s in program.functions}

    @cached_property
    def address_taken(self) -> set[int]:
        """Functions that a pointer may point to."""
        known = [*self.vtables.places, *self._called_at_start()]
        known += [
            range(s.address, s.address + s.size)
            for s in self.program.symbols
            if s.kind == "OBJECT" and s.name.startswith("takt_thread_")
        ]
        known += [
            range(s.address, s.address + s.size)
            for s in self.program.sections
            if s.name == ".vectors"
        ]
        found = {
            word & ~1
            for at, word in self.program.pointers
            if word & 1
            and (word & ~1) in self.functions
            and not any(at in place for place in known)
        }
        return {f for f in found if not self.functions[f].name.startswith("port_")}

    def _called_at_start(self) -> list[range]:
        """Tables of constructors: the start calls them, and nobody else."""
        ends = [self.program.by_name.get(f"__init_array_{end}") for end in ("start", "end")]
        return [range(ends[0].address, ends[1].address)] if ends[0] and ends[1] else []

    def callees(self, function: Function) -> Iterable[int]:
        """Direct, virtual and pointer calls."""
        yield from function.calls
        for slot in function.own:
            yield from self.vtables.of_member(function.name, slot)
        if not function.slots and not function.pointer_calls:
            return
        plain = bool(NO_OBJECTS.search(self.file(function.address)))
        # A dispatcher of ours that is itself called by pointer does not dispatch to itself.
        ours = plain and "libtakt" in self.file(function.address)
        yield from self.address_taken - ({function.address} if ours else set())
        if not plain:
            for slot in function.slots:
                yield from self.vtables.slot(slot)
            if function.pointer_calls:
                yield from self.vtables.all

    def file(self, address: int) -> str:
        """What a function comes from; empty: not told."""
        index = bisect_right(self._files, (address, "~")) - 1
        return self._files[index][1] if index >= 0 else ""

    def _code(self, symbol: Symbol) -> Iterable[tuple[int, bytes]]:
        """Stretches of instructions in a function, literal pools left out."""
        start, end = symbol.address, self._end(symbol)
        index = max(bisect_right(self._mapping, start) - 1, 0)
        marks = self.program.mapping[index:]
        for (address, kind), following in zip(marks, [*marks[1:], (end, "")], strict=True):
            if address >= end:
                break
            low, high = max(address, start), min(following[0], end)
            if kind == "t" and low < high:
                yield low, self.program.read(low, high - low)

    def _end(self, symbol: Symbol) -> int:
        """Assembler functions may not say their size: they end where the next begins."""
        if symbol.size:
            return symbol.address + symbol.size
        later = [f.address for f in self.program.functions if f.address > symbol.address]
        section = next(s for s in self.program.sections if s.name == symbol.section)
        return min([*later, section.address + section.size])

    def _read(self, symbol: Symbol) -> Function:
        function = Function(symbol.name, symbol.address)
        code = [
            instruction(*decoded)
            for address, data in self._code(symbol)
            for decoded in self._decoder.disasm_lite(data, address)
        ]
        if not code:
            return function
        ours = "libtakt_arduino.a" in self.file(symbol.address)
        member = self.vtables.has_object(symbol.address, symbol.name, ours)
        start: State = {"r0": THIS} if member else {}
        literals = {i.at: word for i in code if (word := self._literal(i)) is not None}
        jumps = {i.at: to for i in code if (to := self._jump(i, symbol)) is not None}
        reader = _Reader(self.program, function)
        for here, state in zip(code, states(code, start, literals, jumps), strict=True):
            reader.step(here, state, literals.get(here.at))
        function.goes_on = self._behind(symbol, code)
        function.calls |= {function.goes_on} - {None}
        return function

    def _behind(self, symbol: Symbol, code: list[Instruction]) -> int | None:
        """The function that one runs into. Where a call is the last, it does not return."""
        end = code[-1].at + code[-1].size
        if end < self._end(symbol):  # literals
            return None
        real = (i for i in reversed(code) if not self._is_nop(i.at))
        last = next(real, None)
        if last and (last.ends or last.name in ("bl", "blx", "svc")):
            return None
        while self._is_nop(end) and not self._begins(end):
            end += 2
        return end if self._begins(end) else None

    def _is_nop(self, at: int) -> bool:
        return self.program.read(at, 2) in NOPS

    def _begins(self, at: int) -> bool:
        found = self.program.function_at(at)
        return found is not None and found.address == at

    def _literal(self, here: Instruction) -> int | None:
        """The word that is loaded relative to pc."""
        found = re.fullmatch(r"\w+, \[pc(?:, #(0x[0-9a-f]+|\d+))?\]", here.operands)
        if here.name != "ldr" or not found:
            return None
        return self.program.word((here.at + 4 & ~3) + int(found[1] or "0", 0))

    def _jump(self, here: Instruction, symbol: Symbol) -> set[int] | None:
        """Where a jump by table goes; empty: not known; None: it is none."""
        after = here.at + here.size
        if here.name in ("tbb", "tbh"):
            return self._cases("B" if here.name == "tbb" else "H", after, 2)
        called = (
            self.program.function_at(here.target) if here.target and here.name == "bl" else None
        )
        if called and called.name.startswith("__gnu_thumb1_case_"):
            kind = CASES[called.name.removeprefix("__gnu_thumb1_case_")]
            return self._cases(
                kind, after + 3 & ~3 if kind == "i" else after, 1 if kind == "i" else 2
            )
        into_pc = here.operands.startswith("pc, ") and here.name in ("mov", "add", "ldr")
        known = self._literal(here) is not None or ", [sp" in here.operands  # a return
        return set() if into_pc and not known else None

    def _cases(self, kind: str, table: int, unit: int) -> set[int]:
        """Read up to where code goes on."""
        index = bisect_right(self.program.mapping, (table, "~"))
        end = self.program.mapping[index][0] if index < len(self.program.mapping) else table
        size = struct.calcsize(kind)
        count = (end - table) // size
        values = struct.unpack(f"<{count}{kind}", self.program.read(table, count * size))
        return {table + unit * value for value in values}


def _files(program: Program) -> list[tuple[int, str]]:
    """Where each piece begins, and the file it comes from, as the linker's map says."""
    maps = (program.path.with_suffix(".map"), program.path.parent / "obj" / "linked.map")
    found = next((path for path in maps if path.exists()), None)
    return sorted((piece.address, piece.file) for piece in owners.pieces(found)) if found else []


class _Reader:
    """Adds to a function what an instruction does."""

    def __init__(self, program: Program, function: Function) -> None:
        self.program, self.function = program, function

    def step(self, here: Instruction, state: State, literal: int | None) -> None:
        base, operands = here.name, here.operands
        if base == "push":
            self.function.frame += 4 * len(REGISTER.findall(operands))
        elif base == "vpush":
            registers = FPU_REGISTER.findall(operands)
            self.function.frame += sum(8 if kind == "d" else 4 for kind in registers)
        elif here.target is not None:
            self._branch(here.target)
        elif found := PUSH_ONE.search(operands):
            self.function.frame += int(found[1], 0)
        elif base in ("blx", "bx"):
            self._through_register(base, operands, state.get(operands))
        elif base == "ldr" and operands.startswith("pc, ") and literal is not None:
            self._branch(literal & ~1)
        elif operands.startswith("sp"):
            self._change_sp(base, operands, state)

    def _branch(self, target: int) -> None:
        """A call, or a jump to the end of one or within the function."""
        found = self.program.function_at(target)
        if found and found.address != self.function.address:
            self.function.calls.add(found.address)
        elif found and target == self.function.address:
            self.function.calls.add(target)  # calls itself

    def _through_register(self, base: str, register: str, value: Value | None) -> None:
        kind = value.kind if value else ""
        if (register == "lr" and base == "bx") or kind == "return":
            return
        if value and kind == "const":
            for number in value.numbers:
                self._branch(number & ~1)
        elif value and kind == "virtual":
            self.function.own |= value.numbers
        elif value and kind == "slot":
            self.function.slots |= value.numbers
        else:
            self.function.pointer_calls += 1

    def _change_sp(self, base: str, operands: str, state: State) -> None:
        last = operands.split(", ")[-1]
        value = state.get(last)
        if base in ("sub", "subs", "subw") and last.startswith("#"):
            self.function.frame += int(last[1:], 0)
        elif base in ("add", "adds") and value and value.kind == "const":
            taken = [(1 << 32) - n for n in value.numbers if n & 0x80000000]
            self.function.frame += max(taken, default=0)
        elif base in ("sub", "subs", "mov") and last != "r7":
            # what comes from memory is another stack, as in a switch inlined, or this as it was
            self.function.dynamic |= value is None or value.kind == "return"
