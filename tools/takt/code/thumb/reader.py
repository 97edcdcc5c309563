"""Reads functions of Thumb programs for the call graph."""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import replace

import capstone

from takt.code import codeflow
from takt.code.codeflow import THIS, Function, State, Value
from takt.code.elf import Program, Symbol
from takt.code.thumb.depth import leaves_some
from takt.code.thumb.instructions import REGISTER, Instruction, following, instruction, step

FPU_REGISTER = re.compile(r"\b([sd])\d+\b")
PUSH_ONE = re.compile(r"\[sp, #-(0x[0-9a-f]+|\d+)\]!")
LITERAL = re.compile(r"\w+, \[pc(?:, #(0x[0-9a-f]+|\d+))?\]")
NOPS = (b"\xc0\x46", b"\x00\xbf")  # what fills up: mov r8, r8; nop
SETS_SP = ("add", "adds", "sub", "subs", "mov")  # also from registers
# What the linker puts in the way of a call that is too far: push {r0}; ldr r0, =function;
# mov ip, r0; pop {r0}; bx ip
STUB = bytes.fromhex("01b4 0248 8446 01bc 6047")
STUB_SIZE, STUB_WORD, STUB_PUSHES = 16, 12, 4
CASES = {"sqi": "b", "uqi": "B", "shi": "h", "uhi": "H", "si": "i"}  # libgcc's jumps by table


class Reader:
    def __init__(self, program: Program) -> None:
        self.program = program
        mode = capstone.CS_MODE_THUMB | capstone.CS_MODE_MCLASS
        self._decoder = capstone.Cs(capstone.CS_ARCH_ARM, mode)
        self._decoder.skipdata = True
        self._mapping = [address for address, _ in program.mapping]
        self._stubs = {
            s.address: program.word(s.address + STUB_WORD)
            for s in program.functions
            if s.size == STUB_SIZE and program.read(s.address, len(STUB)) == STUB
        }

    def decoded(
        self, symbol: Symbol
    ) -> tuple[list[Instruction], dict[int, int], dict[int, set[int]]]:
        """Instructions; by address, words loaded relative to pc, and where jumps by table go."""
        code = [
            self._direct(instruction(*decoded))
            for address, data in self._code(symbol)
            for decoded in self._decoder.disasm_lite(data, address)
        ]
        literals = {i.at: word for i in code if (word := self._literal(i)) is not None}
        jumps = {i.at: to for i in code if (to := self._jump(i, symbol)) is not None}
        return code, literals, jumps

    def _direct(self, here: Instruction) -> Instruction:
        """A call by a stub, as one of the function."""
        function = self._stubs.get(here.target) if here.target is not None else None
        if function is None:
            return here
        return replace(here, operands=f"#{function & ~1:#x}", by_stub=True)

    def read(self, symbol: Symbol, member: bool) -> Function:
        """member: of a class with virtual functions."""
        function = Function(symbol.name, symbol.address)
        code, literals, jumps = self.decoded(symbol)
        if not code:
            return function
        counter = _Counter(self.program, function)
        known = any(_asks_registers(here) for here in code)
        found = _states(code, literals, jumps, member) if known else {}
        for n, here in enumerate(code):
            counter.step(here, found.get(n, {}), literals.get(here.at))
        if counter.begins_anew and function.frame and leaves_some(code, jumps):
            function.calls.add(function.address)
        function.frame += STUB_PUSHES * any(here.by_stub for here in code)
        function.goes_on = self._behind(symbol, code)
        function.calls |= {function.goes_on} - {None}
        return function

    def _code(self, symbol: Symbol) -> Iterable[tuple[int, bytes]]:
        """Stretches of instructions in a function, literal pools left out."""
        start, end = symbol.address, self.program.end_of(symbol)
        index = max(bisect_right(self._mapping, start) - 1, 0)
        marks = self.program.mapping[index:]
        for (address, kind), later in zip(marks, [*marks[1:], (end, "")], strict=True):
            if address >= end:
                break
            low, high = max(address, start), min(later[0], end)
            if kind == "t" and low < high:
                yield low, self.program.read(low, high - low)

    def _behind(self, symbol: Symbol, code: list[Instruction]) -> int | None:
        """The function that one runs into. Where a call is the last, it does not return."""
        end = code[-1].at + code[-1].size
        if end < self.program.end_of(symbol):  # literals
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
        found = LITERAL.fullmatch(here.operands) if here.name == "ldr" else None
        if not found:
            return None
        return self.program.word((here.at + 4 & ~3) + int(found[1] or "0", 0))

    def _jump(self, here: Instruction, symbol: Symbol) -> set[int] | None:
        """Where a jump by table goes; empty: not known; None: it is none."""
        after = here.at + here.size
        if here.name in ("tbb", "tbh"):
            return self._cases("B" if here.name == "tbb" else "H", after, 2)
        target = here.target if here.name == "bl" else None
        called = self.program.function_at(target) if target is not None else None
        if called and called.name.startswith("__gnu_thumb1_case_"):
            kind = CASES[called.name.removeprefix("__gnu_thumb1_case_")]
            return self._cases(
                kind, after + 3 & ~3 if kind == "i" else after, 1 if kind == "i" else 2
            )
        if not here.operands.startswith("pc, ") or here.name not in ("mov", "add", "ldr"):
            return None
        known = self._literal(here) is not None or ", [sp" in here.operands  # a return
        return None if known else set()

    def _cases(self, kind: str, table: int, unit: int) -> set[int]:
        """Read up to where code goes on."""
        index = bisect_right(self.program.mapping, (table, "~"))
        end = self.program.mapping[index][0] if index < len(self.program.mapping) else table
        size = struct.calcsize(kind)
        count = (end - table) // size
        values = struct.unpack(f"<{count}{kind}", self.program.read(table, count * size))
        return {table + unit * value for value in values}


def _asks_registers(here: Instruction) -> bool:
    """Whether what it does to a function depends on what registers hold (_Counter)."""
    if here.name in ("blx", "bx"):
        return here.operands != "lr" or here.name == "blx"
    return here.operands.startswith("sp") and here.name in SETS_SP and "#" not in here.operands


def _states(
    code: list[Instruction], literals: dict[int, int], jumps: dict[int, set[int]], member: bool
) -> dict[int, State]:
    """What registers hold at each instruction."""
    first: State = {"r0": THIS} if member else {}
    index = {instruction.at: n for n, instruction in enumerate(code)}

    def onwards(n: int, before: State) -> Iterable[tuple[int, State]]:
        after = step(code[n], before, literals.get(code[n].at))
        return ((to, after) for to in following(code, n, index, jumps))

    # What no path reaches may be reached by one that we do not see.
    return codeflow.states(((n, {} if n else first) for n in range(len(code))), onwards)


class _Counter:
    """Adds to a function what an instruction does."""

    def __init__(self, program: Program, function: Function) -> None:
        self.program, self.function = program, function
        self.begins_anew = False  # by a jump: a loop, where that leaves nothing on the stack

    def step(self, here: Instruction, state: State, literal: int | None) -> None:
        base, operands = here.name, here.operands
        if base == "push":
            self.function.frame += 4 * len(REGISTER.findall(operands))
        elif base == "vpush":
            registers = FPU_REGISTER.findall(operands)
            self.function.frame += sum(8 if kind == "d" else 4 for kind in registers)
        elif here.target is not None:
            if base != "bl" and here.target == self.function.address:
                self.begins_anew = True
            else:
                self._branch(here.target)
        elif found := PUSH_ONE.search(operands):
            self.function.frame += int(found[1], 0)
        elif base in ("blx", "bx"):
            self._through_register(here, operands, state.get(operands))
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

    def _through_register(self, here: Instruction, register: str, value: Value | None) -> None:
        kind = value.kind if value else ""
        if (register == "lr" and here.name == "bx") or kind == "return":
            return
        if value and kind == "const":
            for number in value.numbers:
                self._branch(number & ~1)
        elif value and kind == "virtual":
            self.function.own |= value.numbers
        elif value and kind == "slot":
            self.function.slots |= value.numbers
            self.function.sites[here.at] = value.numbers
        else:
            self.function.pointer_calls += 1
            self.function.sites[here.at] = frozenset()

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
