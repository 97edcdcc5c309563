"""The chain of calls at one moment of a program that has stopped: from program counter, stack
pointer and memory, by the compiler's call frame information (.debug_frame, DWARF 5, 6.4).

Where a function has none (assembler, the C library) the next return address is sought in the
stack: a word behind a call instruction, of the function itself where the call names one. It may be
one that an earlier call has left, so a chain from there on is a guess, and says so.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from elftools.dwarf.callframe import FDE
from elftools.elf.elffile import ELFFile

from takt.code.elf import Program

DEEPEST = 64  # calls
SOUGHT = 512  # bytes of stack in which a return address is sought


@dataclass(frozen=True)
class Machine:
    """What differs between cores. Registers by DWARF's numbers."""

    sp: int
    word: int  # bytes of a return address in the stack
    link: int | None = None  # register with the return address, before it is saved


MACHINES = {
    "thumb": Machine(sp=13, word=4, link=14),
    "avr": Machine(sp=32, word=2),
    "host": Machine(sp=7, word=8),
}
Registers = dict[int, int]
Read = Callable[[int, int], bytes]  # memory: address, bytes


@dataclass(frozen=True)
class Call:
    """One link of the chain: pc, in the caller behind the call."""

    pc: int
    sure: bool


class Unwinder:
    """stacks: of all threads, and of the interrupts; a chain ends where its stack does, and with
    the function that a thread begins with."""

    def __init__(self, program: Program, read: Read, stacks: Sequence[range] = ()) -> None:
        self.program, self.read, self.stacks = program, read, stacks
        self.machine = MACHINES[program.architecture.name]
        self._entries_of_threads = {thread.entry for thread in program.threads()}

    def _end(self, sp: int | None) -> int:
        """Of the stack that it points into."""
        place = self._data(sp) if sp is not None else 0
        return next((self._bare(s.stop) for s in self.stacks if place in s), 1 << 64)

    def _bare(self, address: int) -> int:
        return address - self.program.architecture.data

    @cached_property
    def _entries(self) -> list[FDE]:
        """Of functions that are in the program, in order of addresses."""
        try:
            with open(self.program.path, "rb") as stream:
                dwarf = ELFFile(stream).get_dwarf_info(relocate_dwarf_sections=False)
                found = dwarf.CFI_entries() if dwarf.has_CFI() else dwarf.EH_CFI_entries()
                found = [entry for entry in found if isinstance(entry, FDE)]
        except Exception:  # whatever pyelftools makes of what is damaged: there is none
            return []
        return sorted(found, key=lambda entry: entry.header["initial_location"])

    @cached_property
    def _starts(self) -> list[int]:
        return [entry.header["initial_location"] for entry in self._entries]

    def _row(self, pc: int) -> tuple[dict[Any, Any], int] | None:
        """How the caller's registers are found at an address; which is the return address's."""
        index = bisect_right(self._starts, pc) - 1
        while index >= 0 and self._starts[index] == 0:  # of functions that were left out
            return None
        if index < 0:
            return None
        entry = self._entries[index]
        if pc >= entry.header["initial_location"] + entry.header["address_range"]:
            return None
        try:
            rows = [row for row in entry.get_decoded().table if row["pc"] <= pc]
        except Exception:
            return None
        return (rows[-1], entry.cie["return_address_register"]) if rows else None

    def chain(self, pc: int, registers: Registers) -> Iterator[Call]:
        """From where the program stands outwards. registers: as many as are known."""
        registers, sure, behind = dict(registers), True, 0
        end = self._end(registers.get(self.machine.sp))
        yield Call(pc, sure)
        for _ in range(DEEPEST):
            function = self.program.function_at(pc - behind)
            if function is not None and function.address in self._entries_of_threads:
                return
            found = self._by_rules(pc - behind, registers)
            if found is None or not self._follows_call(found[0]):
                sought = self._sought(pc - behind, registers)
                if sought is None:
                    return
                found, sure = sought, function is None and not behind  # a call of what is no code
            pc, registers = found
            if registers[self.machine.sp] > end:
                return
            behind = 1 if self.machine.word != 2 else 2  # the call is what it is asked about
            if self.program.function_at(pc - behind) is None:
                return
            yield Call(pc, sure)

    def _by_rules(self, pc: int, registers: Registers) -> tuple[int, Registers] | None:
        """The caller's pc and registers by what the compiler says."""
        row = self._row(pc)
        if row is None:
            return None
        rules, back = row
        cfa = rules["cfa"]
        base = None if cfa.expr is not None else self._register(cfa.reg, registers)
        if base is None:
            return None
        top = base + cfa.offset
        outer = dict(registers)
        for number, rule in rules.items():
            if isinstance(number, int) and rule.type == "OFFSET":
                size = self._size(number, back)
                outer[number] = self._value(top + rule.arg, size)
        outer[self.machine.sp] = top
        if back not in rules and self.machine.link is None:
            return None
        pc = outer.get(back, 0)
        outer.pop(self.machine.link or -1, None)  # the caller has its own saved
        return self._code(pc), outer

    def _register(self, number: int, registers: Registers) -> int | None:
        """An address in it; of AVR, but for SP, in two, of which the rules name the lower one."""
        low = registers.get(number)
        if self.machine.word != 2 or number == self.machine.sp or low is None:
            return low
        high = registers.get(number + 1)
        return None if high is None else low | high << 8

    def _size(self, number: int, back: int) -> int:
        if self.machine.word == 2:
            return 2 if number == back else 1
        return self.machine.word

    def _value(self, address: int, size: int) -> int:
        order = "big" if self.machine.word == 2 else "little"  # AVR pushes the low byte first
        return int.from_bytes(self.read(self._data(address), size), order)

    def _data(self, address: int) -> int:
        """Of the stack, as the machine is asked."""
        data = self.program.architecture.data
        return address | data if data else address

    def _code(self, value: int) -> int:
        return 2 * value if self.machine.word == 2 else value & ~1 if self.machine.link else value

    def _sought(self, pc: int, registers: Registers) -> tuple[int, Registers] | None:
        """The nearest return address in the stack that can be the function's."""
        if self.machine.sp not in registers:
            return None
        sp = registers[self.machine.sp] + (1 if self.machine.word == 2 else 0)
        own = self.program.function_at(pc)
        link = registers.get(self.machine.link or -1)
        if link is not None and self._follows_call(self._code(link)):
            outer = {n: v for n, v in registers.items() if n != self.machine.link}
            return self._code(link), outer
        step = 1 if self.machine.word == 2 else self.machine.word
        places = range(sp, sp + SOUGHT, step)
        backs = [(at, self._code(self._value(at, self.machine.word))) for at in places]
        calls = [(at, back) for at, back in backs if self._follows_call(back)]
        direct = [(at, back) for at, back in calls if own and self._target(back) == own.address]
        for at, back in (direct or calls)[:1]:  # else it was jumped to, or called by a pointer
            over = at + self.machine.word - (1 if self.machine.word == 2 else 0)
            return back, {self.machine.sp: over}
        return None

    def _follows_call(self, pc: int) -> bool:
        """Is it an address behind a call?"""
        return self._target(pc) is not None and self.program.function_at(pc - 1) is not None

    def _target(self, pc: int) -> int | None:
        """Where the call before an address leads; 0: by a pointer; None: there is no call."""
        before = self.program.read(pc - 4, 4) if pc >= 4 else bytes(4)
        if self.machine.word == 8:
            return _target_x86(self.program, pc)
        first, second = struct.unpack("<HH", before)
        if self.machine.word == 2:
            return _target_avr(first, second, pc)
        return _target_thumb(first, second, pc)


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def _target_thumb(first: int, second: int, pc: int) -> int | None:
    if first >> 11 == 0x1E and second & 0xD000 == 0xD000:  # BL
        sign = first >> 10 & 1
        one, two = (1 ^ (second >> bit & 1) ^ sign for bit in (13, 11))
        parts = sign << 24 | one << 23 | two << 22 | (first & 0x3FF) << 12 | (second & 0x7FF) << 1
        return (pc + _signed(parts, 25)) & 0xFFFF_FFFE
    return 0 if second & 0xFF87 == 0x4780 else None  # BLX register


def _target_avr(first: int, second: int, pc: int) -> int | None:
    if first & 0xFE0E == 0x940E:  # CALL
        return 2 * ((first & 0x1F0) << 13 | (first & 1) << 16 | second)
    if second >> 12 == 0xD:  # RCALL
        return pc + 2 * _signed(second & 0xFFF, 12)
    return 0 if second in (0x9509, 0x9519) else None  # ICALL, EICALL


def _target_x86(program: Program, pc: int) -> int | None:
    if pc < 8:
        return None
    code = program.read(pc - 7, 7)
    if code[2] == 0xE8:  # CALL relative
        return pc + int(struct.unpack("<i", code[3:])[0])
    calls = (code[at : at + 2] for at in range(0, 6))
    return 0 if any(c[0] == 0xFF and c[1] >> 3 & 7 == 2 for c in calls if len(c) == 2) else None
