"""How long code takes at most, in cycles: the longest way through functions and what they call,
where no way comes back to where it was. Where one does, registers that hold known numbers tell the
rounds of a loop apart. What comes back even so, is called through a pointer that is not known, or
goes on in itself has no length here: the reason, and where, is all that there is to say.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from takt.code.elf import Program, Symbol
from takt.code.steps import Step, Stepper, Steps

Node = TypeVar("Node", bound=Hashable)
MOST_NODES = 20_000  # of a graph: beyond it the length is not known
LOOP = "a loop"
Known = frozenset[tuple[str, int]]  # numbers that registers hold


@dataclass(frozen=True)
class Length:
    cycles: int | None
    why: str = ""  # it is not known
    at: int = 0  # address of the reason

    def plus(self, cycles: int) -> Length:
        return self if self.cycles is None else Length(self.cycles + cycles)


def longest(
    start: Node,
    following: Callable[[Node], Iterable[Node]],
    takes: Callable[[Node], Length],
    place: Callable[[Node], int],
) -> Length:
    """Of all ways from a node on. place: address of a node."""
    found: dict[Node, int] = {}
    open_: set[Node] = {start}
    work = [(start, iter(list(following(start))))]
    while work:
        node, pending = work[-1]
        child = next(pending, None)
        if child is None:
            work.pop()
            open_.discard(node)
            own = takes(node)
            if own.cycles is None:
                return own
            found[node] = own.cycles + max((found[n] for n in following(node)), default=0)
        elif child in open_:
            return Length(None, LOOP, place(child))
        elif child not in found:
            if len(found) + len(open_) > MOST_NODES:
                return Length(None, "more ways through it than can be followed", place(child))
            open_.add(child)
            work.append((child, iter(list(following(child)))))
    return Length(found[start])


@dataclass(frozen=True)
class PerArgument:
    """What a function takes whose first argument says how much, or the third."""

    cycles: int
    each: int
    third: bool = False


class Lengths:
    """Of the functions of a program."""

    def __init__(
        self,
        program: Program,
        stepper: Stepper,
        library: Mapping[str, int | PerArgument],
        stated: Mapping[int, int | PerArgument],
    ) -> None:
        """Cycles of functions that are not to be looked into: the compiler's, and by address."""
        self.program, self._stepper = program, stepper
        self._library, self._stated = library, stated
        self._steps: dict[int, Steps] = {}
        self._found: dict[int, Length] = {}
        self._under_way: set[int] = set()
        self._known_at: dict[int, dict[int, Known]] = {}
        self.known: Known = frozenset(stepper.known.items())

    def steps(self, address: int) -> Steps:
        """Of the function there."""
        if address not in self._steps:
            symbol = self.symbol(address)
            self._steps[address] = self._stepper.steps(symbol) if symbol else {}
        return self._steps[address]

    def symbol(self, address: int) -> Symbol | None:
        found = self.program.function_at(address)
        return found if found and found.address == address else None

    def _of_call(self, address: int, step: Step) -> Length:
        found = self._not_looked_into(address)
        if not isinstance(found, PerArgument):
            return self.of(address)
        argument = step.third if found.third else step.argument
        if argument is None:
            return Length(None, LOOP, address)
        return Length(found.cycles + argument * found.each)

    def _not_looked_into(self, address: int) -> int | PerArgument | None:
        symbol = self.symbol(address)
        library = self._library.get(symbol.name.split(".")[0]) if symbol else None
        return self._stated.get(address, library)

    def of(self, address: int) -> Length:
        """From being called until it returns."""
        symbol = self.symbol(address)
        if symbol is None:
            return Length(None, "a call of what is no function", address)
        if isinstance(found := self._not_looked_into(address), int):
            return Length(found)
        if address in self._under_way:
            return Length(None, f"a recursion of {symbol.name}", address)
        if address not in self._found:
            self._under_way.add(address)
            self._found[address] = self._through(address)
            self._under_way.discard(address)
        return self._found[address]

    def _through(self, address: int) -> Length:
        steps = self.steps(address)
        if address not in steps:
            return Length(None, "code that cannot be read", address)
        found = longest(
            address,
            lambda at: [to for to in steps[at].to if to in steps],
            lambda at: self.of_step(steps[at]),
            lambda at: at,
        )
        if found.why != LOOP:
            return found

        def onward(node: tuple[int, Known]) -> list[tuple[int, Known]]:
            to, known = self.onward(steps[node[0]], node[1])
            return [(at, known) for at in to if at in steps]

        start: tuple[int, Known] = (address, self.known)
        counted = longest(
            start, onward, lambda node: self.of_step(steps[node[0]]), lambda node: node[0]
        )
        return found if counted.cycles is None else counted

    def onward(self, step: Step, known: Known) -> tuple[tuple[int, ...], Known]:
        """Where it goes on, with numbers that are known before and behind a step."""
        to, behind = self._stepper.onward(step, dict(known))
        return to, frozenset(behind.items())

    def known_at(self, function: int) -> dict[int, Known]:
        """At its instructions: numbers that are known whichever way leads there."""
        if function in self._known_at:
            return self._known_at[function]
        steps, found = self.steps(function), {function: self.known}
        work = [function] if function in steps else []
        while work:
            at = work.pop()
            to, behind = self.onward(steps[at], found[at])
            for after in to:
                now = behind & found.get(after, behind)
                if after in steps and found.get(after) != now:
                    found[after] = now
                    work.append(after)
        self._known_at[function] = found
        return found

    def of_step(self, step: Step) -> Length:
        """With all that it calls."""
        if step.pointer:
            return Length(None, "a call through a pointer", step.at)
        total = step.cycles
        for callee in step.calls:
            found = self._of_call(callee, step)
            if found.cycles is None:
                return found
            total += found.cycles
        return Length(total)
