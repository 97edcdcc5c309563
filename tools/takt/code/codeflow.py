"""What a function's registers hold, as far as that decides whom it calls: along every path through
its instructions, until nothing changes. What an instruction does is said by thumb and avr."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import NamedTuple


@dataclass
class Function:
    """What its code says of a function."""

    name: str
    address: int
    frame: int = 0
    calls: set[int] = field(default_factory=set)  # addresses of functions
    own: set[int] = field(default_factory=set)  # virtual calls of its own object, by slot
    slots: set[int] = field(default_factory=set)  # calls through tables, by slot
    pointer_calls: int = 0  # calls through other pointers
    sites: dict[int, frozenset[int]] = field(default_factory=dict)  # where both are; slots or none
    goes_on: int | None = None  # the function it runs into at its end; a call too
    dynamic: bool = False  # stack taken at run time: alloca, variable arrays
    taken: dict[int, int] = field(default_factory=dict)  # of the frame at a call, where known
    taken_by_pointer: int | None = None  # at calls through pointers

    def taken_at(self, callee: int) -> int:
        """Bytes of the frame in use when a function is called."""
        known = self.taken.get(callee) if callee in self.calls else 0
        if known is None:
            return self.frame
        if not (self.own or self.slots or self.pointer_calls):
            return known
        return self.frame if self.taken_by_pointer is None else max(known, self.taken_by_pointer)


class Value(NamedTuple):
    """const: one of some numbers; word: loaded from memory; slot: loaded from a constant offset of
    such a word; this, vptr, virtual: the object, its table, a slot of that; return: from the
    stack; sp: the stack pointer, by what is in use. Where registers are bytes, `byte` says which of
    the value this is."""

    kind: str
    numbers: frozenset[int] = frozenset()  # of a slot: its place in the table
    byte: int | None = None


State = dict[Hashable, Value]
SLOTS = ("slot", "virtual")
LOADED = ("word", "vptr", *SLOTS)
NUMBERS = ("const", "sp")
MOST_NUMBERS = 64  # of a value: it may grow in a loop
WORD, THIS, VPTR, RETURN = Value("word"), Value("this"), Value("vptr"), Value("return")


def states(
    starts: Iterable[tuple[int, State]],
    following: Callable[[int, State], Iterable[tuple[int, State]]],
) -> dict[int, State]:
    """What registers hold at each place of the code. starts: where one may come in, of which those
    are left out that have been reached by then; following: where the code goes on from a place, and
    what registers hold there. The first in the code is looked at first, so that most is known where
    ways meet. No state that has been handed over is changed."""
    found: dict[int, State] = {}
    for place, state in starts:
        if place in found:
            continue
        found[place] = state
        work, waits = [place], {place}
        while work:
            here = heappop(work)
            waits.discard(here)
            for to, after in following(here, found[here]):
                known = found.get(to)
                new = after if known is None else merged(known, after)
                if new != known:
                    found[to] = new
                    if to not in waits:
                        waits.add(to)
                        heappush(work, to)
    return found


def merged(one: State, other: State) -> State:
    """What holds either way."""
    result = {}
    for register, value in one.items():
        also = other.get(register)
        both = value.numbers | also.numbers if also and value.byte == also.byte else None
        if value == also:
            result[register] = value
        elif also and both is not None and value.kind == also.kind and value.kind in NUMBERS:
            if len(both) <= MOST_NUMBERS:
                result[register] = value._replace(numbers=both)
        elif also and both is not None and value.kind in SLOTS and also.kind in SLOTS:
            result[register] = value._replace(kind="slot", numbers=both)
        elif also and value.kind in LOADED and also.kind in LOADED:
            result[register] = WORD
    return result


def put(state: State, register: Hashable, value: Value | None) -> None:
    """None: not known."""
    if value is None:
        state.pop(register, None)
    else:
        state[register] = value
