"""How much of the stack a Thumb function has in use, along every path: whether anything is left
there where it goes on at its own start."""

from __future__ import annotations

import re
from collections.abc import Iterable

from takt.code import codeflow
from takt.code.codeflow import State, Value
from takt.code.thumb.instructions import REGISTER, Instruction, following

SP = "sp"
BY_NUMBER = re.compile(r"sp, (?:sp, )?#(0x[0-9a-f]+|\d+)")
WRITES_SP = re.compile(r"sp, |.*sp!|.*\[sp\], ")


def leaves_some(code: list[Instruction], jumps: dict[int, set[int]]) -> bool:
    """Whether a jump to its start may leave something on the stack, each time that it is taken."""
    index = {here.at: n for n, here in enumerate(code)}

    def onwards(n: int, before: State) -> Iterable[tuple[int, State]]:
        after = _step(code[n], before)
        back = code[n].target == code[0].at
        return ((to, after) for to in following(code, n, index, jumps) if not (back and to == 0))

    nothing = {SP: Value(SP, frozenset({0}))}
    found = codeflow.states([(0, nothing)], onwards)
    at = (state for n, state in found.items() if code[n].target == code[0].at)
    return any(state != nothing for state in at)


def _step(here: Instruction, before: State) -> State:
    by, used = _taken(here), before.get(SP)
    if by == 0 or used is None:
        return before
    if by is None:
        return {}
    return {SP: Value(SP, frozenset(n + by for n in used.numbers))}


def _taken(here: Instruction) -> int | None:
    """Bytes; None: not known."""
    if here.name in ("push", "pop"):
        count = 4 * len(REGISTER.findall(here.operands))
        return count if here.name == "push" else -count
    if found := BY_NUMBER.fullmatch(here.operands):
        sign = {"sub": 1, "subs": 1, "subw": 1, "add": -1, "adds": -1, "addw": -1}.get(here.name)
        return None if sign is None else sign * int(found[1], 0)
    writes = here.name in ("vpush", "vpop") or WRITES_SP.match(here.operands)
    return None if writes and not here.name.startswith("cmp") else 0
