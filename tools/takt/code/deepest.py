"""The deepest chain of calls from a function, and the stack that it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from takt.code.callgraph import CallGraph
from takt.code.codeflow import Function
from takt.code.elf import Program
from takt.code.names import plain
from takt.code.rings import rings

# Kinds of doubts. Caught: a recursion that looks for room itself (build/recursions.py).
RECURSION, CAUGHT, AT_RUN_TIME = "recursion", "caught", "at run time"
ANY = 1 << 32  # bytes of an array of variable size
RECURSION_DEPTH = 8  # levels counted for a recursion without a bound


class Doubt(str):
    """Why a figure is no bound, in words."""

    kind: str
    functions: frozenset[str]  # of a recursion

    def __new__(cls, kind: str, text: str, functions: Iterable[str] = ()) -> Doubt:
        made = super().__new__(cls, text)
        made.kind, made.functions = kind, frozenset(functions)
        return made

    def uncaught(self) -> Doubt:
        """Where looking for room does not help."""
        return Doubt(RECURSION, self, self.functions) if self.kind == CAUGHT else self


@dataclass
class Need:
    """Stack bytes, the chain of calls that takes them, and what the figure rests on."""

    bytes: int
    chain: list[str] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)  # not a bound
    calls: int = 0  # of a thread's bytes: of the chain, the rest is for being interrupted
    step: int = 0  # of a thread with doubts: the most that its stack grows without a write


@dataclass(frozen=True)
class Looking:
    """Functions that look for room, and how much that is; last: those of them that the search does
    not go into; levels: of a recursion without a bound, how many are counted."""

    functions: frozenset[int] = frozenset()
    room: int = 0
    last: frozenset[int] = frozenset()
    levels: int = RECURSION_DEPTH


class Search:
    """The deepest chain of calls from a function."""

    def __init__(
        self,
        graph: CallGraph,
        cut: set[int],
        entry: int,
        called: set[int] | None = None,
        preempted: bool = False,
        looking: Looking | None = None,
    ) -> None:
        """cut: functions that are not gone into; called: what the entry calls by pointer, where
        that is known; preempted: down to where that can happen only."""
        self.looking = looking or Looking()
        self.facts = graph.facts
        self.graph, self.cut, self.entry, self.preempted = graph, cut, entry, preempted
        self.called = {c for c in called if c in graph.functions} if called is not None else None
        self.needs: dict[int, Need] = {}
        self.unbounded: set[int] = set()  # functions that may run deeper than is counted
        for ring in rings(entry, self.callees):  # callees before callers
            self._settle(ring)

    def deepest(self) -> Need:
        return self.needs[self.entry]

    def step(self) -> int:
        """The most that the stack pointer moves without a write, deeper than is counted: a frame,
        and that of a function that calls nothing, and so may save no register."""
        functions, found = self.graph.functions, 0
        for address in self._deeper():
            callees = self.callees(address)
            last = (functions[c].frame for c in callees if not self.callees(c))
            found = max(found, functions[address].frame + max(last, default=0))
        unknown = any(doubt.kind == AT_RUN_TIME for doubt in self.deepest().doubts)
        return ANY if unknown else found

    def _deeper(self) -> set[int]:
        """Functions of recursions, and what these call."""
        found, left = set(), list(self.unbounded)
        while left:
            address = left.pop()
            if address not in found:
                found.add(address)
                left += self.callees(address)
        return found

    def callees(self, address: int, pointers: bool = True) -> list[int]:
        """As the graph says; but an entry's pointers may be known."""
        return [] if address in self.looking.last else self.below(address, pointers)

    def below(self, address: int, pointers: bool = True) -> list[int]:
        """The same of one that the search does not go into."""
        function = self.graph.functions[address]
        found = set(function.calls)
        if address == self.entry and function.pointer_calls and self.called is not None:
            found.update(self.called)
        elif pointers:
            found.update(self.graph.callees(function))
        if self.preempted and self.facts.has(address, "locked"):
            found = {callee for callee in found if self.facts.has(callee, "locked")}
        return sorted(found - self.cut)

    def _settle(self, ring: list[int]) -> None:
        """Needs of functions that all reach one another; of one function, most of the time."""
        functions = [self.graph.functions[address] for address in ring]
        outside = {c for address in ring for c in self.callees(address)} - set(ring)
        doubts = dict.fromkeys(d for c in sorted(outside) for d in self.needs[c].doubts)
        frames = [self._frame(function, doubts) for function in functions]
        recursive = len(ring) > 1 or ring[0] in self.callees(ring[0])
        if not recursive:
            self.needs[ring[0]] = self._deepest(functions[0], frames[0], outside, doubts)
            return
        best = max((self.needs[c] for c in outside), key=lambda need: need.bytes, default=Need(0))
        size = sum(frames)
        direct = any(len(r) > 1 for r in rings(ring[0], self._within(ring))) or any(
            address in self.callees(address, pointers=False) for address in ring
        )
        caught = self._is_caught(ring)
        self.unbounded.update(() if caught else ring)
        most = self.looking.levels
        levels = most if direct else min(2, most) if caught else 1
        names = ", ".join(plain(function.name) for function in functions)
        text = f"recursion of {names} ({size} bytes a level, {levels} counted)"
        text += self._through(functions)
        linked = (function.name for function in functions)
        doubts[Doubt(CAUGHT if caught else RECURSION, text, linked)] = None
        for function in functions:
            chain = [function.name, *best.chain]
            total = size * levels + max(best.bytes, self.looking.room if caught else 0)
            self.needs[function.address] = Need(total, chain, list(doubts))

    def _is_caught(self, ring: list[int]) -> bool:
        """Does it look for room once a level at least?"""
        rest = set(ring) - self.looking.functions

        def within(address: int) -> list[int]:
            return [callee for callee in self.callees(address) if callee in rest]

        return not any(
            len(found) > 1 or found[0] in within(found[0])
            for start in sorted(rest)
            for found in rings(start, within)
        )

    def _through(self, ring: list[Function]) -> str:
        """The call through a pointer that makes it one, in words; empty: calls by name do."""
        inside = {function.address for function in ring}
        for function in ring:
            for at in function.sites:
                if self.graph.called_at(function, at) & inside - self.cut:
                    types = self.graph.types
                    place = (types.line(at) if types else "") or hex(at)
                    return f", by a call through a pointer in {plain(function.name)} ({place})"
        return ""

    def _deepest(
        self, function: Function, frame: int, outside: set[int], doubts: dict[Doubt, None]
    ) -> Need:
        """Of a function that does not come back to itself."""
        found = Need(frame, [function.name], list(doubts))
        more = frame - function.frame
        for callee in sorted(outside):
            need = self.needs[callee]
            total = function.taken_at(callee) + more + need.bytes
            if total > found.bytes:
                found = Need(total, [function.name, *need.chain], found.doubts)
        return found

    def _within(self, ring: list[int]) -> Callable[[int], list[int]]:
        """Direct calls inside a ring."""
        return lambda address: [c for c in self.callees(address, pointers=False) if c in ring]

    def _frame(self, function: Function, doubts: dict[Doubt, None]) -> int:
        if function.dynamic and not self.facts.has(function.address, "switches"):
            text = f"{plain(function.name)} takes stack at run time (variable array, alloca)"
            doubts[Doubt(AT_RUN_TIME, text)] = None
        idle = self.facts.has(function.address, "idle")
        program = self.graph.program
        frame, more = taken(program, "port_frame_bytes"), taken(program, "port_preempt_bytes")
        extra = frame if program.architecture.masked else 2 * frame + more
        return function.frame + (program.architecture.idle + extra if idle else 0)


def taken(program: Program, name: str, otherwise: int = 0) -> int:
    """What the port says it takes."""
    symbol = program.by_name.get(name)
    return symbol.address if symbol else otherwise
