"""Thumb: what instructions do to registers (codeflow.py)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from takt.code.codeflow import RETURN, THIS, VPTR, WORD, State, Value, merged, put

REGISTER = re.compile(r"\b(r\d+|sb|sl|fp|ip|sp|lr|pc)\b")
LOAD = re.compile(r"(\w+), \[(\w+)(?:, #(0x[0-9a-f]+|\d+))?\]$")
CONDITION = "eq|ne|hs|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le"
CONDITIONAL = re.compile(rf"(b|bl|bx|blx|pop|ldr|movs?|subs?|adds?)({CONDITION})")
SCRATCH = ("r0", "r1", "r2", "r3", "ip", "lr")  # not kept by what is called
ONLY_READ = re.compile(r"str(b|h|d)?|stm|cmp|cmn|tst|teq|vstr|push|vpush|cbn?z")
WRITES_MORE = re.compile(r"ldm|ldr(ex)?d|[us]m[lu]|umaal|vld|vmov|strex")


@dataclass(frozen=True)
class Instruction:
    at: int
    size: int
    name: str  # without width and condition
    operands: str
    conditional: bool
    condition: str = ""
    by_stub: bool = False  # a call that goes by a stub of the linker's

    @property
    def target(self) -> int | None:
        """Of a branch."""
        return _target(self.operands) if self.name in ("b", "bl", "cbz", "cbnz") else None

    @property
    def registers(self) -> list[str]:
        """That are named, in their order."""
        return _registers(self.operands)

    @property
    def ends(self) -> bool:
        """Nothing comes after it but by a jump."""
        return not self.conditional and _ends(self.name, self.operands)


@cache
def _target(operands: str) -> int | None:
    found = re.search(r"#(0x[0-9a-f]+|\d+)$", operands)
    return int(found[1], 0) if found else None


@cache
def _registers(operands: str) -> list[str]:
    return REGISTER.findall(operands)


@cache
def _ends(name: str, operands: str) -> bool:
    if name in ("cbz", "cbnz", "bl", "blx"):
        return False
    into_pc = operands.startswith("pc") and not name.startswith(("cmp", "str"))
    popped = name in ("pop", "ldm") and bool(re.search(r"\bpc\b", operands))
    return name in ("b", "bx", "tbb", "tbh", "udf") or into_pc or popped


def instruction(at: int, size: int, mnemonic: str, operands: str) -> Instruction:
    name, condition = _named(mnemonic)
    return Instruction(at, size, name, operands, bool(condition), condition)


@cache
def _named(mnemonic: str) -> tuple[str, str]:
    """Without its width, and the condition apart."""
    name = mnemonic.removesuffix(".w").removesuffix(".n")
    found = CONDITIONAL.fullmatch(name)
    return (found[1], found[2]) if found else (name, "")


def following(
    code: list[Instruction], n: int, index: dict[int, int], jumps: dict[int, set[int]]
) -> Iterable[int]:
    """Where it goes on, by place. jumps: where those by table go, empty: anywhere."""
    here = code[n]
    if here.at in jumps:
        targets = jumps[here.at]
        yield from (index[t] for t in targets if t in index) if targets else range(len(code))
        return
    inside = here.target in index
    far = inside and here.name == "bl" and here.target != code[0].at  # a jump, in a long function
    if not here.ends and not far and n + 1 < len(code):
        yield n + 1
    if inside and (here.name != "bl" or far):
        yield index[here.target]


def step(here: Instruction, before: State, literal: int | None) -> State:
    """What registers hold after an instruction. literal: the word it reads relative to pc."""
    after = _done(here, before, literal)
    return merged(after, before) if here.conditional and here.target is None else after


def _done(here: Instruction, before: State, literal: int | None) -> State:
    after = dict(before)
    operands, names = here.operands, here.registers
    if here.name in ("bl", "blx", "svc"):
        for register in SCRATCH:
            after.pop(register, None)
    elif here.name == "pop":
        after.update(dict.fromkeys(names, RETURN))
    elif here.name in ("mov", "movs") and len(names) == 2 and operands == ", ".join(names):
        put(after, names[0], before.get(names[1]))
    elif here.name == "movw":
        put(after, names[0], _number(operands.rpartition("#")[2]))
    elif here.name == "movt":
        low, high = before.get(names[0]), int(operands.rpartition("#")[2], 0) << 16
        known = low is not None and low.kind == "const"
        numbers = frozenset(n & 0xFFFF | high for n in low.numbers) if low and known else None
        put(after, names[0], Value("const", numbers) if numbers else None)
    elif here.name == "ldr" and literal is not None:
        put(after, names[0], Value("const", frozenset({literal})))
    elif here.name == "ldr" and (found := LOAD.fullmatch(operands)):
        put(after, found[1], _loaded(before.get(found[2]), int(found[3] or "0", 0)))
    elif "!" in operands or "], " in operands or WRITES_MORE.match(here.name):
        for register in names:
            after.pop(register, None)
    elif names and not ONLY_READ.fullmatch(here.name) and operands.startswith(names[0]):
        after.pop(names[0], None)
        if here.name == "ldr":
            after[names[0]] = WORD
    return after


def _number(text: str) -> Value:
    return Value("const", frozenset({int(text, 0)}))


def _loaded(base: Value | None, offset: int) -> Value:
    """From a constant offset of a register."""
    if base == THIS and offset == 0:
        return VPTR
    if base == VPTR and offset % 4 == 0:
        return Value("virtual", frozenset({offset // 4}))
    if base and base.kind in ("word", "slot", "vptr", "virtual") and offset % 4 == 0:
        return Value("slot", frozenset({offset // 4}))
    return WORD
