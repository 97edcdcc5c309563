"""Sections of a program, read from its machine code: what is under a mutex, or has interrupts off.

A section begins where a function that locks a mutex or switches interrupts off (facts.py) returns,
or an instruction does, and ends with the unlocking or their return, in whatever functions these
are; waiting for a condition does both. A function that leaves one open, or closes what it did not
open, is followed where it is called. Each has the length of the longest way (lengths.py) or, where
that cannot be known, what the program states: in the mutex, or by TAKT_SECTION_US() or _IN().

That the kernel, drivers and the API switch interrupts off is the board's `critical`.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from takt.code.callgraph import CallGraph
from takt.code.facts import stated, stated_in
from takt.code.lengths import LOOP, MOST_NODES, Known, Length, Lengths, longest
from takt.code.names import plain
from takt.code.steps import ENDS, RESTORES, Step

MUTEX, INTERRUPTS = "mutex", "interrupts"
MOST_OPEN = 32  # at a time, and calls followed
COMPILERS = 6  # cycles that avr-gcc has interrupts off when it sets the stack pointer
# Cycles, at most, of functions that switch interrupts off where they are, or on until they have.
OFF_AGAIN, ON = 200, 20
NO_MUTEX = 0  # an address
LONGEST = {2: 5, 4: 8}  # where in a struct takt_mutex that is stated, by size of pointers


class Open(NamedTuple):
    """A section that has begun."""

    kind: str
    mutex: int | None  # its address, where it is one that is known
    at: int  # where it begins


class Node(NamedTuple):
    """A place in the code, with the calls that led there from where we look, and what is open."""

    at: int
    calls: tuple[int, ...]
    open: tuple[Open, ...]


Starts = set[tuple[Node, int]]  # what comes first in a section, and behind which step


@dataclass(frozen=True)
class Section:
    kind: str
    mutex: int | None
    at: int  # address where it begins
    length: Length
    stated_us: int | None = None


class Sections:
    """Of all functions of a program."""

    def __init__(self, graph: CallGraph, lengths: Lengths) -> None:
        self.graph, self.program, self._lengths = graph, graph.program, lengths
        self._locks, self._unlocks = (graph.facts.functions(x) for x in ("locks", "unlocks"))
        self._relocks = graph.facts.functions("relocks")
        self._masks, self._unmasks = (graph.facts.functions(x) for x in ("masks", "unmasks"))
        self._stated, self._stated_of = stated(self.program), stated_in(self.program)
        self.open_ended: set[int] = set()  # functions that leave a section open, or close one
        self.found: dict[int, list[Section]] = {}  # by address of function
        self._look()

    def lockers(self) -> dict[int, set[int | None]]:
        """Functions that lock, and the mutexes; None: any."""
        found: dict[int, set[int | None]] = {}
        for address in self._callers(self._locks) - self._relocks:
            steps = self._lengths.steps(address).values()
            mine = {self._mutex(step) for step in steps if self._locks.intersection(step.calls)}
            found[address] = (mine or {None}) - {NO_MUTEX}
        return found

    def _mutex(self, step: Step) -> int | None:
        """Which is locked; None: any. NULL is refused, what is not aligned stops the program."""
        address, known = step.argument, self.program.architecture
        if address is None:
            return None
        return NO_MUTEX if address % min(4, known.aligned) else known.data_address(address)

    def _callers(self, called: set[int]) -> set[int]:
        return {f.address for f in self.graph.functions.values() if f.calls & called}

    def _own(self) -> set[int]:
        """Functions of the user's that switch interrupts."""
        own = (a for a in self.graph.functions if self.graph.is_users(a))
        return {a for a in own if any(map(self._switch, self._lengths.steps(a).values()))}

    def _switch(self, step: Step) -> int:
        """What a step does to interrupts, in code of the user's."""
        if self._masks.intersection(step.calls):
            return 1
        return ENDS if self._unmasks.intersection(step.calls) else step.masks

    def _look(self) -> None:
        asked = (self._callers(self._locks | self._unlocks) | self._own()) - self._relocks
        while asked:
            before = set(self.open_ended)
            for address in asked:
                self.found[address] = self._sections(address)
            asked = self._callers(self.open_ended - before)

    def _step(self, at: int) -> Step:
        """One that is no instruction of the function's, as far as that is known, leads nowhere:
        what is open there has no end."""
        found = self.program.function_at(at)
        assert found is not None
        return self._lengths.steps(found.address).get(at, Step(at, 0))

    def _after(self, node: Node, step: Step) -> tuple[Open, ...]:
        """What is open behind a step. A section begins where the function that we look at calls."""
        now, where = node.open, (*node.calls, step.at)[0]
        if self._locks.intersection(step.calls):
            mutex = self._mutex(step)
            return now if mutex == NO_MUTEX else _with(now, Open(MUTEX, mutex, where))
        if self._unlocks.intersection(step.calls):
            return _without_last(now, MUTEX)
        switch = self._switch(step)
        if not switch or not self.graph.is_users(step.at):
            return now
        if switch == 1:
            return _with(now, Open(INTERRUPTS, None, where))
        if switch == ENDS:
            return tuple(one for one in now if one.kind != INTERRUPTS)
        if switch == RESTORES and not any(one.kind == INTERRUPTS for one in now):
            return _with(now, Open(INTERRUPTS, None, where))  # to what is not known
        return _without_last(now, INTERRUPTS)

    def _into(self, step: Step) -> int | None:
        """A function that begins or ends sections of its callers."""
        into = next((c for c in step.calls if c in self.open_ended), None)
        return None if into in self._locks else into

    def _following(self, node: Node) -> list[Node]:
        step = self._step(node.at)
        now = self._after(node, step)
        into = self._into(step)
        if into is not None and len(node.calls) < MOST_OPEN:
            return [Node(into, (*node.calls, node.at), now)]
        calls, to = node.calls, step.to
        while not to and calls:
            to, calls = self._step(calls[-1]).to, calls[:-1]
        return [Node(at, calls, now) for at in to if self.program.function_at(at)]

    def _nodes(self, address: int) -> list[Node]:
        """All that are reached in a function."""
        if address not in self._lengths.steps(address):
            return []
        found = {Node(address, (), ()): None}
        work = list(found)
        while work and len(found) < MOST_NODES:
            for after in self._following(work.pop()):
                if after not in found:
                    found[after] = None
                    work.append(after)
        return list(found)

    def _sections(self, address: int) -> list[Section]:
        begun: dict[Open, Starts] = {}
        left: set[Open] = set()
        closes = False
        nodes = self._nodes(address)
        if len(nodes) >= MOST_NODES:
            left = {one for node in nodes for one in node.open}
        for node in nodes:
            step, now = self._step(node.at), self._after(node, self._step(node.at))
            deep = len(node.calls) >= MOST_OPEN and self._into(step) is not None
            if deep or len(now) >= MOST_OPEN or (not step.to and not node.calls):
                left |= set(now)
            closes |= len(node.open) == 0 and self._closes(step)
            if len(now) > len(node.open) or (now and self._relocks.intersection(step.calls)):
                begun.setdefault(now[-1], set()).update(
                    (after, node.at)
                    for after in self._following(node)
                    if len(after.open) == len(now)
                )
        if (left or closes) and self.graph.is_users(address):
            self.open_ended.add(address)
            if address in self._called - self.graph.address_taken:
                begun = {one: starts for one, starts in begun.items() if one not in left}
        found = [self._section(one, starts, one in left) for one, starts in begun.items()]
        return [s for s in found if s.kind == MUTEX or _order(s.length) > COMPILERS]

    @cached_property
    def _called(self) -> set[int]:
        """Functions that are called by name."""
        return {callee for f in self.graph.functions.values() for callee in f.calls}

    def _closes(self, step: Step) -> bool:
        return bool(self._unlocks.intersection(step.calls)) or (
            self._switch(step) < 0 and self.graph.is_users(step.at)
        )

    def _section(self, one: Open, starts: Starts, left: bool) -> Section:
        """left: it may not end where we look."""
        if left:
            length = Length(
                None, "the function that begins it does not end it on every path", one.at
            )
        else:
            lengths = (self._length(node, behind) for node, behind in starts)
            length = max(lengths, key=_order, default=Length(0))
        return Section(*one, length, self._stated_in({n for n, _ in starts}, one))

    def _length(self, start: Node, behind: int) -> Length:
        """Until less is open."""
        depth = len(start.open)

        def within(node: Node) -> list[Node]:
            if self._relocks.intersection(self._step(node.at).calls):
                return []
            return [n for n in self._following(node) if len(n.open) >= depth]

        def onward(counted: tuple[Node, Known]) -> list[tuple[Node, Known]]:
            node, before = counted
            to, known = self._lengths.onward(self._step(node.at), before)
            return [
                (n, known if len(n.calls) == len(node.calls) else self._lengths.known)
                for n in within(node)
                if n.at in to or len(n.calls) != len(node.calls)
            ]

        found = longest(start, within, self._takes, lambda node: node.at)
        if found.why != LOOP:
            return found
        again = (start, self._known(start.at, behind))
        counted = longest(again, onward, lambda c: self._takes(c[0]), lambda c: c[0].at)
        return found if counted.cycles is None else counted

    def _known(self, at: int, behind: int) -> Known:
        """Where a section begins: it may be the head of a loop, which is come to again."""
        function = self.program.function_at(behind)
        if function is None or self.program.function_at(at) != function:
            return self._lengths.known
        before = self._lengths.known_at(function.address).get(behind, self._lengths.known)
        return self._lengths.onward(self._step(behind), before)[1]

    def _takes(self, node: Node) -> Length:
        step = self._step(node.at)
        if (self._unlocks | self._relocks).intersection(step.calls) and self._locks:
            lengths = [self._lengths.of(lock).plus(step.cycles) for lock in self._locks]
            return max(lengths, key=lambda one: (one.cycles is None, one.cycles or 0))
        if self._unmasks.intersection(step.calls):
            return Length(step.cycles + ON)
        if self._masks.intersection(step.calls):
            return Length(step.cycles + OFF_AGAIN)
        followed = self.open_ended - self._locks - self._unlocks
        if any(c in followed for c in step.calls):
            return Length(step.cycles)
        return self._lengths.of_step(step)

    def _stated_in(self, starts: set[Node], one: Open) -> int | None:
        """What the program says of it."""
        function = self.program.function_at(one.at)
        found = [self._stated_of.get(plain(function.name)) if function else None]
        found += [self._said(one.mutex)] if one.kind == MUTEX else []
        seen, work = set(starts), list(starts)
        while work and self._stated:
            node = work.pop()
            if node.open[-1] == one and node.at in self._stated:
                found.append(self._stated[node.at])
            for after in self._following(node):
                if one in after.open and after not in seen:
                    seen.add(after)
                    work.append(after)
        return max((us for us in found if us), default=None)

    def _said(self, mutex: int | None) -> int | None:
        """In a mutex."""
        if mutex is None:
            return None
        data = self.program.read(mutex + LONGEST[self.program.architecture.pointer], 4)
        return int(struct.unpack("<I", data)[0]) & 0x7FFFFFFF or None  # not the mark of a lock


def _order(length: Length) -> int:
    return 1 << 62 if length.cycles is None else length.cycles


def _with(now: tuple[Open, ...], one: Open) -> tuple[Open, ...]:
    """A mutex is not locked twice."""
    again = any(o.kind == MUTEX == one.kind and o.mutex == one.mutex is not None for o in now)
    return now if again or len(now) >= MOST_OPEN else (*now, one)


def _without_last(now: tuple[Open, ...], kind: str) -> tuple[Open, ...]:
    for n in reversed(range(len(now))):
        if now[n].kind == kind:
            return now[:n] + now[n + 1 :]
    return now
