"""Thumb: numbers that registers hold and flags that follow, so that loops of a known number of
rounds can be counted (lengths.py). What is not known is not in a state."""

from __future__ import annotations

import re
from collections.abc import Callable

from takt.code.thumb.instructions import REGISTER, SCRATCH, WRITES_MORE, Instruction

Numbers = dict[str, int]  # of registers; flags: n, z, c, v
FLAGS = ("n", "z", "c", "v")
MASK = 0xFFFFFFFF
OPERANDS = re.compile(r"(r\d+), (?:(r\d+)(?:, )?)?(?:(r\d+)|#(-?0x[0-9a-f]+|-?\d+))?$")
KEEP_FLAGS = re.compile(
    r"(ldr|str)\w*|push|pop|ldm\w*|stm\w*|b|bx|cbn?z|mov|nop|[su]xt[bh]|rev\w*|mrs|msr|cps\w*"
)
HOLDS: dict[str, Callable[[Numbers], bool]] = {
    "eq": lambda f: bool(f["z"]),
    "ne": lambda f: not f["z"],
    "hs": lambda f: bool(f["c"]),
    "lo": lambda f: not f["c"],
    "mi": lambda f: bool(f["n"]),
    "pl": lambda f: not f["n"],
    "vs": lambda f: bool(f["v"]),
    "vc": lambda f: not f["v"],
    "hi": lambda f: bool(f["c"]) and not f["z"],
    "ls": lambda f: not f["c"] or bool(f["z"]),
    "ge": lambda f: f["n"] == f["v"],
    "lt": lambda f: f["n"] != f["v"],
    "gt": lambda f: not f["z"] and f["n"] == f["v"],
    "le": lambda f: bool(f["z"]) or f["n"] != f["v"],
}


def goes(here: Instruction, before: Numbers) -> bool | None:
    """Whether a conditional branch is taken; None: not known."""
    if here.name in ("cbz", "cbnz"):
        value = before.get(here.operands.partition(",")[0])
        return None if value is None else (value == 0) == (here.name == "cbz")
    known = all(flag in before for flag in FLAGS)
    return HOLDS[here.condition](before) if known and here.condition in HOLDS else None


def after(here: Instruction, before: Numbers, literal: int | None) -> Numbers:
    """What is known behind an instruction."""
    found = dict(before)
    if here.name in ("bl", "blx", "svc"):
        return {r: n for r, n in found.items() if r not in (*SCRATCH, *FLAGS)}
    if here.name == "ldr" and literal is not None:
        found[REGISTER.findall(here.operands)[0]] = literal
        return found
    result = None if here.conditional else _computed(here, before, found)
    if result is not None:
        return result
    reads = here.name.startswith(("str", "cmp", "cmn", "tst", "push", "stm")) or here.target
    several = here.name.startswith(("pop", "ldm")) or WRITES_MORE.match(here.name)
    several = several or "!" in here.operands or "], " in here.operands
    names = REGISTER.findall(here.operands)
    for register in names if several else [] if reads else names[:1]:
        found.pop(register, None)
    if not KEEP_FLAGS.fullmatch(here.name):
        for flag in FLAGS:
            found.pop(flag, None)
    return found


def _computed(here: Instruction, before: Numbers, found: Numbers) -> Numbers | None:
    """Of what is computed here; None: something that is not followed."""
    parts = OPERANDS.fullmatch(here.operands)
    if not parts:
        return None
    d, n, m, number = parts.groups()
    name = here.name
    last = int(number, 0) if number else before.get(m or n or "")
    first = before.get(n if n and (m or number) else d)
    if name in ("mov", "movs") and last is not None and not (n and (m or number)):
        return _put(found, d, last & MASK, name == "movs")
    if last is None or first is None:
        return None
    if name in ("add", "adds", "sub", "subs", "cmp"):
        down = name not in ("add", "adds")
        total = first + ((~last & MASK) + 1 if down else last)
        value = total & MASK
        if name == "cmp" or name.endswith("s"):
            other = -last if down else last
            signed = _signed(first) + (-_signed(last & MASK) if down else _signed(last & MASK))
            carry = first >= last & MASK if down else first + other > MASK
            found |= {"n": value >> 31, "z": int(value == 0), "c": int(carry)}
            found["v"] = int(not -(1 << 31) <= signed < 1 << 31)
        if name != "cmp":
            found[d] = value
        return found
    if name in ("lsls", "lsrs") and number:
        value = first << last & MASK if name == "lsls" else first >> last
        return _put(found, d, value, True)
    return None


def _put(found: Numbers, register: str, value: int, flags: bool) -> Numbers:
    """Flags: those that a move or shift sets; the carry is not followed."""
    found[register] = value
    if flags:
        found |= {"n": value >> 31, "z": int(value == 0)}
        found.pop("c", None)
    return found


def _signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value
