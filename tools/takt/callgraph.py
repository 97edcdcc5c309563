"""Who calls whom and with how much stack, read from the machine code of a linked Thumb program.

Reading the program itself covers everything that is linked, libgcc and newlib included. A
function's frame is the sum of all that it pushes. Calls through pointers:

- virtual call (load of the vtable from the object, load of a slot, call): the functions in that
  slot of any vtable linked;
- any other: every function whose address is taken anywhere outside vtables, the vector table and
  the descriptors of threads. A function whose address is nowhere cannot be called by pointer. Those
  of the port are placed in made-up frames.
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import capstone

from takt.elf import Program, Symbol

REGISTER = re.compile(r"(r\d+|sb|sl|fp|ip|sp|lr|pc)\b")
LOAD = re.compile(r"(\w+), \[(\w+)(?:, #(0x[0-9a-f]+|\d+))?\]$")
FPU_REGISTER = re.compile(r"\b([sd])\d+\b")
PUSH_ONE = re.compile(r"\[sp, #-(0x[0-9a-f]+|\d+)\]!")
BRANCH = re.compile(r"bl?|cbn?z|b(eq|ne|hs|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)")
VTABLE_HEAD = 8  # offset to top, type information


@dataclass
class Function:
    name: str
    address: int
    frame: int = 0
    calls: set[int] = field(default_factory=set)  # addresses of functions
    slots: set[int] = field(default_factory=set)  # virtual calls, by slot number
    pointer_calls: int = 0  # calls through other pointers
    dynamic: bool = False  # stack taken at run time: alloca, variable arrays


class CallGraph:
    def __init__(self, program: Program) -> None:
        self.program = program
        mode = capstone.CS_MODE_THUMB | capstone.CS_MODE_MCLASS
        self._decoder = capstone.Cs(capstone.CS_ARCH_ARM, mode)
        self._decoder.skipdata = True
        self._mapping = [address for address, _ in program.mapping]
        self.functions = {s.address: self._read(s) for s in program.functions}
        for fast in ("takt_sem_wait", "takt_sem_signal"):
            self._by_hand(fast)

    @cached_property
    def slots(self) -> dict[int, set[int]]:
        """Functions by slot number, over all vtables."""
        result: dict[int, set[int]] = {}
        for table in self._tables("_ZTV"):
            data = self.program.read(table.address, table.size)[VTABLE_HEAD:]
            for slot, (word,) in enumerate(struct.iter_unpack("<I", data)):
                if word & 1 and (word & ~1) in self.functions:
                    result.setdefault(slot, set()).add(word & ~1)
        return result

    @cached_property
    def address_taken(self) -> set[int]:
        """Functions that a pointer may point to."""
        found: set[int] = set()
        skipped = [range(t.address, t.address + t.size) for t in self._tables("_ZTV", "_ZTC")]
        skipped += [range(t.address, t.address + t.size) for t in self._tables("takt_thread_")]
        for section in self.program.sections:
            if section.name == ".vectors":
                continue
            length = len(section.data) & ~3
            words = struct.unpack(f"<{length // 4}I", section.data[:length])
            for index, word in enumerate(words):
                target = self.functions.get(word & ~1) if word & 1 else None
                if target and not target.name.startswith("port_") and not self._is_slow(target):
                    at = section.address + 4 * index
                    if not any(at in table for table in skipped):
                        found.add(word & ~1)
        return found

    def callees(self, function: Function) -> Iterable[int]:
        """Direct, virtual and pointer calls."""
        yield from function.calls
        for slot in function.slots:
            yield from self.slots.get(slot, ())
        if function.pointer_calls:
            # A dispatcher that is itself called by pointer does not dispatch to itself.
            yield from self.address_taken - {function.address}

    def _by_hand(self, name: str) -> None:
        """port/armv6m/sem.S: jumps to what does it slowly, where that is linked, and leaves nothing
        on the stack then."""
        fast, slow = (self.program.by_name.get(n) for n in (name, f"{name}_slow"))
        if fast and slow:
            address = fast.address & ~1
            self.functions[address] = Function(name, address, calls={slow.address & ~1})

    def _is_slow(self, function: Function) -> bool:
        """What port/armv6m/sem.S jumps to by pointer, and nobody else."""
        return function.name in ("takt_sem_wait_slow", "takt_sem_signal_slow")

    def _tables(self, *prefixes: str) -> list[Symbol]:
        return [
            s for s in self.program.symbols if s.kind == "OBJECT" and s.name.startswith(prefixes)
        ]

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
        reader = _Reader(self.program, function)
        for address, code in self._code(symbol):
            for at, size, mnemonic, operands in self._decoder.disasm_lite(code, address):
                reader.step(at, size, mnemonic, operands)
        return function


class _Reader:
    """Follows a function's instructions in order of addresses."""

    def __init__(self, program: Program, function: Function) -> None:
        self.program, self.function = program, function
        self.values: dict[str, int] = {}  # registers loaded with a constant
        self.objects: dict[str, int | None] = {}  # registers loaded from memory: slot, if via one
        self.popped: set[str] = set()  # what the last pop restored: bx of it is a return

    def step(self, at: int, size: int, mnemonic: str, operands: str) -> None:
        base = mnemonic.removesuffix(".w")
        if base in ("push", "pop"):
            self._push_or_pop(base, operands)
        elif base == "vpush":
            registers = FPU_REGISTER.findall(operands)
            self.function.frame += sum(8 if kind == "d" else 4 for kind in registers)
        elif BRANCH.fullmatch(base):
            self._branch(int(operands.split("#")[-1], 16))
        elif found := PUSH_ONE.search(operands):
            self.function.frame += int(found[1], 0)
        elif base in ("blx", "bx"):
            self._through_register(base, operands)
        elif "sp" in operands and operands.startswith("sp"):
            self._change_sp(base, operands)
        elif base == "ldr":
            self._load(at, operands)
        else:
            self._overwritten(operands)

    def _push_or_pop(self, base: str, operands: str) -> None:
        names = REGISTER.findall(operands)
        if base == "push":
            self.function.frame += 4 * len(names)
        else:
            self.popped = set(names)

    def _branch(self, target: int) -> None:
        """A call, or a jump to the end of one or within the function."""
        found = self.program.function_at(target)
        if found and found.address != self.function.address:
            self.function.calls.add(found.address)
        elif found and target == self.function.address:
            self.function.calls.add(target)  # calls itself

    def _through_register(self, base: str, register: str) -> None:
        if register == "lr" or (base == "bx" and register in self.popped):
            return
        slot = self.objects.get(register)
        if register in self.values:
            self._branch(self.values[register] & ~1)
        elif slot is not None:
            self.function.slots.add(slot)
        else:
            self.function.pointer_calls += 1

    def _change_sp(self, base: str, operands: str) -> None:
        names = operands.split(", ")
        last = names[-1]
        if base in ("sub", "subs") and last.startswith("#"):
            self.function.frame += int(last[1:], 0)
        elif base in ("add", "adds") and last in self.values:
            value = self.values[last]
            self.function.frame += 0x100000000 - value if value & 0x80000000 else 0
        elif base in ("sub", "subs", "mov") and last != "r7":
            # what comes from memory is another stack, as in a switch inlined, or this as it was
            self.function.dynamic |= last not in self.objects

    def _load(self, at: int, operands: str) -> None:
        match = LOAD.match(operands)
        if match is None:
            self._overwritten(operands)
            self.objects[operands.partition(",")[0]] = None  # through no known pointer
            return
        register, base, offset = match[1], match[2], int(match[3] or "0", 0)
        through = base in self.objects
        self._forget(register)
        if base == "pc":
            self.values[register] = self.program.word((at + 4 & ~3) + offset)
        else:
            is_slot = through and offset % 4 == 0
            self.objects[register] = offset // 4 if is_slot else None

    def _overwritten(self, operands: str) -> None:
        first = REGISTER.match(operands)
        if first:
            self._forget(first[1])

    def _forget(self, register: str) -> None:
        self.values.pop(register, None)
        self.objects.pop(register, None)
        self.popped.discard(register)
