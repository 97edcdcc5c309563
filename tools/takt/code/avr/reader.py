"""Reads functions of AVR programs for the call graph.

A frame is the return address and the most that is on the stack at a time, along every path: what is
pushed, what is taken by setting the stack pointer, arguments on the stack. With it goes how much of
it is in use at each call, which for a jump to another function is what that finds there. A jump
into the middle of another function is followed (assembler).
"""

from __future__ import annotations

from collections.abc import Iterator

from takt.code import codeflow
from takt.code.avr.flow import SP, begin, deeper, depth, pair, put_pair, step, unknown
from takt.code.avr.instructions import BRANCHES, SKIPS, Instruction, X, Y, Z, decode
from takt.code.codeflow import Function, State, Value, merged
from takt.code.elf import Program, Symbol

RETURN_ADDRESS = 2
CALLS, JUMPS = ("call", "rcall"), ("jmp", "rjmp")
SAVES, RESTORES = "__prologue_saves__", "__epilogue_restores__"  # of -mcall-prologues
TABLE_JUMP = "__tablejump2__"  # of switches, to what a table in flash says
PARTS = (SAVES, RESTORES, TABLE_JUMP)  # of whoever jumps there


class Reader:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.starts = {function.address: function.name for function in program.functions}
        self._known: dict[int, Instruction] = {}
        self._parts: dict[int, str] = {}
        self.saves: dict[int, int] = {}  # where one may jump to, and how many pushes come then
        if symbol := program.by_name.get(SAVES):
            places = list(self.places(symbol))
            pushes = sum(self.at(place).name == "push" for place in places)
            self.saves = {place: pushes - n for n, place in enumerate(places[: pushes + 1])}

    def at(self, address: int) -> Instruction:
        if address not in self._known:
            self._known[address] = decode(self.program.code(address), address)
        return self._known[address]

    def part(self, target: int) -> str:
        """Which of PARTS is there."""
        if target not in self._parts:
            found = self.program.function_at(target)
            self._parts[target] = found.name if found and found.name in PARTS else ""
        return self._parts[target]

    def places(self, symbol: Symbol) -> Iterator[int]:
        """Of the instructions of a function, one behind the other."""
        at, end = symbol.address, self.program.end_of(symbol)
        while at < end:
            yield at
            at += self.at(at).size

    def read(self, symbol: Symbol, member: bool) -> Function:
        """member: of a class with virtual functions."""
        path = Path(self, symbol)
        if symbol.name not in PARTS:
            path.follow(member)
        return path.function


class Path:
    """Through one function."""

    def __init__(self, reader: Reader, symbol: Symbol) -> None:
        self.reader, self.symbol = reader, symbol
        self.function = Function(symbol.name, symbol.address, RETURN_ADDRESS)
        self.cases: State | None = None  # where it jumps by table

    def states(self, member: bool) -> dict[int, State]:
        """What registers hold at each of its instructions."""
        return codeflow.states(self._starts(member), self.following)

    def follow(self, member: bool) -> None:
        for at, state in self.states(member).items():
            self._count(self.reader.at(at), state)

    def _starts(self, member: bool) -> Iterator[tuple[int, State]]:
        """What is reached by no other path is where jumps by table go to."""
        yield self.symbol.address, begin(member)
        for at in self.reader.places(self.symbol):
            if self.cases is not None:
                yield at, self.cases

    def _step(self, here: Instruction, before: State) -> State:
        if here.name in JUMPS and here.target in self.reader.saves:
            return self._saved(before, self.reader.saves[here.target])
        adjacent = here.name in CALLS and here.target == here.at + here.size
        if adjacent and here.target in self.reader.starts:
            return before  # a call that does not return, of the function behind this one
        return step(here, before)

    def _saved(self, before: State, pushed: int) -> State:
        """After what __prologue_saves__ does: pushes, a frame of X bytes, Y points to it."""
        after, frame, used = dict(before), pair(before, X), before.get(SP)
        if used and frame and frame.kind == "const":
            numbers = frozenset(n + pushed + more for n in used.numbers for more in frame.numbers)
            after[SP] = Value(SP, numbers)
            put_pair(after, Y, after[SP])
        else:
            after.pop(SP, None)
        return after

    def following(self, at: int, before: State) -> Iterator[tuple[int, State]]:
        """A part that is called has the return address on top."""
        here = self.reader.at(at)
        after = self._step(here, before)
        behind = at + here.size
        if here.name == "ijmp" or (here.name in JUMPS and here.target in self.reader.saves):
            yield from ((to, after) for to in _known(before) if self._inside(to))
        elif here.name in JUMPS and self.part(here.target) == TABLE_JUMP:
            self.cases = dict(before) if self.cases is None else merged(self.cases, before)
        elif here.name in (*JUMPS, *BRANCHES) and self._own(here.target):
            yield here.target, after
        elif here.name in CALLS and here.target != behind and self._within(here.target):
            yield here.target, deeper(before, RETURN_ADDRESS)
        last_call = here.name in (*CALLS, "icall") and not self._inside(behind)  # does not return
        if not here.ends and not last_call and self._own(behind):
            yield behind, after
        if here.name in SKIPS:
            yield behind + self.reader.at(behind).size, after

    def part(self, target: int | None) -> str:
        """Which of PARTS is there."""
        return "" if target is None else self.reader.part(target)

    def _own(self, target: int | None) -> bool:
        """Whether a jump stays in the function, or goes into the middle of another."""
        return target == self.symbol.address or self._within(target)

    def _within(self, target: int | None) -> bool:
        """Whether no function begins there. At 0 there is none: a weak one nobody has defined."""
        return (
            target not in (None, 0) and target not in self.reader.starts and not self.part(target)
        )

    def _inside(self, target: int) -> bool:
        return self.symbol.address <= target < self.reader.program.end_of(self.symbol)

    def _count(self, here: Instruction, state: State) -> None:
        """Adds to the function what an instruction does."""
        used, after = depth(state), depth(self._step(here, state))
        if used is None or after is None or unknown(state, here):
            self.function.dynamic = True
        used = self.function.frame - RETURN_ADDRESS if used is None else used
        most = RETURN_ADDRESS + max(used, after or 0)
        self.function.frame = max(self.function.frame, most)
        behind = here.at + here.size
        if here.name in ("icall", "ijmp"):
            self._through_pointer(here, used, state)
        elif here.name in CALLS and not self._within(here.target):
            self._call(here, used + RETURN_ADDRESS)
        elif here.name in (*JUMPS, *BRANCHES) and not self._own(here.target):
            self._calls(here.target, used)
        elif not here.ends and here.name not in (*CALLS, "icall") and not self._own(behind):
            # Where a call is the last, it does not return.
            self.function.goes_on = behind
            self._calls(behind, after or 0)

    def _call(self, here: Instruction, used: int) -> None:
        if self.part(here.target) == TABLE_JUMP:  # a call by a table in flash
            self.function.sites[here.at] = frozenset()
            self._by_pointer(used)
        else:
            self._calls(here.target, used)

    def _calls(self, target: int, used: int) -> None:
        if target in self.reader.starts and not self.part(target):
            self.function.calls.add(target)
            self.function.taken[target] = max(self.function.taken.get(target, 0), used)

    def _by_pointer(self, used: int) -> None:
        self.function.pointer_calls += 1
        self._took(used)

    def _took(self, used: int) -> None:
        self.function.taken_by_pointer = max(self.function.taken_by_pointer or 0, used)

    def _through_pointer(self, here: Instruction, used: int, state: State) -> None:
        value = pair(state, Z)
        kind = value.kind if value else ""
        used += RETURN_ADDRESS * (here.name == "icall")
        if kind == "const":
            for to in _known(state):
                if to in self.reader.starts:
                    self._calls(to, used)
        elif value and kind in ("virtual", "slot"):
            known = self.function.own if kind == "virtual" else self.function.slots
            known |= value.numbers
            if kind == "slot":
                self.function.sites[here.at] = value.numbers
            self._took(used)
        elif kind != "return":
            self.function.sites[here.at] = frozenset()
            self._by_pointer(used)


def _known(state: State) -> list[int]:
    """Where Z points to, as far as it holds constants: it counts words."""
    value = pair(state, Z)
    return [2 * word for word in value.numbers] if value and value.kind == "const" else []
