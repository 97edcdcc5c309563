"""Steps of Thumb functions. Cycles: Cortex-M0 and M0+ Technical Reference Manuals, with what a
peripheral's bus or a wait state of the flash adds; for others, which QEMU emulates by instructions,
more than any takes."""

from __future__ import annotations

import re

from takt.code import codeflow
from takt.code.codeflow import State, Value
from takt.code.elf import Program, Symbol
from takt.code.steps import ENDS, Step, Steps, one
from takt.code.thumb import values as thumb_values
from takt.code.thumb.instructions import REGISTER, Instruction, following, step
from takt.code.thumb.reader import Reader
from takt.code.thumb.values import Numbers

MEMORY, EACH, BRANCH, SYSTEM, SLOW = 5, 2, 4, 5, 16
STUB, STUB_WORDS = 4 * MEMORY + BRANCH, 5  # of the linker's, and what it is long
CASE = 40  # libgcc's jump by table
SIMPLE = re.compile(
    r"(add|adc|sub|sbc|rsb|mov|mvn|and|orr|eor|bic|lsl|lsr|asr|ror|cmp|cmn|tst|neg)s?(w|t)?"
    r"|[su]xt[bh]|rev(16|sh)?|mul(s)?|nop|it\w*|teq|orn|[su]bfx|bfi|bfc|clz|rbit"
)


class ThumbSteps:
    known: Numbers = {}

    def __init__(self, program: Program, in_flash: range = range(0), word_cycles: int = 0) -> None:
        """in_flash: code that waits so long for each word; so do loads, which may go there."""
        self.program, self._reader = program, Reader(program)
        self._in_flash, self._word_cycles = in_flash, word_cycles if in_flash else 0
        self._code: dict[int, Instruction] = {}
        self._literals: dict[int, int] = {}

    def onward(self, step: Step, before: Numbers) -> tuple[tuple[int, ...], Numbers]:
        """Where it goes on from a step, as far as numbers say; those behind it."""
        here = self._code[step.at]
        taken = thumb_values.goes(here, before) if here.target in step.to else None
        to = step.to
        if taken is not None:
            to = tuple(at for at in to if (at == here.target) == taken)
        return to, thumb_values.after(here, before, self._literals.get(step.at))

    def steps(self, symbol: Symbol) -> Steps:
        code, literals, jumps = self._reader.decoded(symbol)
        self._code |= {here.at: here for here in code}
        self._literals |= literals
        index = {here.at: n for n, here in enumerate(code)}

        def onwards(n: int, before: State) -> list[tuple[int, State]]:
            after = _known(code[n], before, literals.get(code[n].at))
            return [(to, after) for to in following(code, n, index, jumps)]

        found = codeflow.states([(0, {})] if code else [], onwards)
        return {
            code[n].at: self._step(code, n, state, index, jumps, symbol)
            for n, state in found.items()
        }

    def _step(
        self,
        code: list[Instruction],
        n: int,
        state: State,
        index: dict[int, int],
        jumps: dict[int, set[int]],
        symbol: Symbol,
    ) -> Step:
        here = code[n]
        to = tuple(code[place].at for place in following(code, n, index, jumps))
        calls, pointer = self._calls(here, state, symbol, here.at in jumps)
        end = here.at + here.size
        behind = self.program.function_at(end)
        last = n + 1 == len(code) and not here.ends and here.name not in ("bl", "blx")
        if last and behind and behind.address == end:
            calls = (*calls, behind.address)  # goes on there
        first, third = (_number(state.get(register)) for register in ("r0", "r2"))
        cycles = _cycles(here) + (CASE if here.at in jumps and here.name == "bl" else 0)
        words = 2 * (here.at in self._in_flash) + _loads(here)
        if here.by_stub:
            cycles, words = cycles + STUB, words + STUB_WORDS
        cycles += words * self._word_cycles
        return Step(here.at, cycles, to, calls, pointer, first, third, _masks(code, n, state))

    def _calls(
        self, here: Instruction, state: State, symbol: Symbol, jumps: bool
    ) -> tuple[tuple[int, ...], bool]:
        """What is called or jumped to outside, and whether that is not known."""
        if here.target is not None:
            found = self.program.function_at(here.target)
            inside = found is not None and found.address == symbol.address
            again = here.name == "bl" and here.target == symbol.address
            if jumps or found is None or (inside and not again):
                return (), False
            return (found.address,), False
        if here.name not in ("blx", "bx") or here.operands == "lr":
            return (), False
        value = state.get(here.operands)
        if value and value.kind == "const":
            targets = (self.program.function_at(n & ~1) for n in value.numbers)
            return tuple(found.address for found in targets if found), False
        return (), not (value and value.kind == "return")


def _number(value: Value | None) -> int | None:
    return one(value.numbers) if value and value.kind == "const" else None


def _known(here: Instruction, before: State, literal: int | None) -> State:
    """As thumb.step, with numbers that are computed."""
    after = step(here, before, literal)
    numbers = {str(r): n for r, value in before.items() if (n := _number(value)) is not None}
    for register, number in thumb_values.after(here, numbers, literal).items():
        if register not in thumb_values.FLAGS:
            after[register] = Value("const", frozenset({number}))
    return after


def _cycles(here: Instruction) -> int:
    """What it takes at most."""
    name = here.name
    if name in ("push", "pop", "vpush", "vpop") or name.startswith(("ldm", "stm", "vldm", "vstm")):
        count = len(REGISTER.findall(here.operands)) + (8 if name.startswith("v") else 0)
        return EACH * (count + 1) + (BRANCH if here.ends else 0)
    if name.startswith(("ldr", "str", "vldr", "vstr")):
        return MEMORY + (BRANCH if here.ends else 0)
    if here.target is not None or name in ("bx", "blx", "tbb", "tbh") or here.ends:
        return BRANCH + 1
    if name in ("mrs", "msr", "isb", "dsb", "dmb", "svc", "cps", "cpsid", "cpsie", "wfi", "sev"):
        return SYSTEM
    return 2 if SIMPLE.fullmatch(name) else SLOW


def _loads(here: Instruction) -> int:
    """Words that it loads from anywhere but the stack."""
    if here.name.startswith(("ldm", "vldm")):
        return len(REGISTER.findall(here.operands)) * (2 if here.name.startswith("v") else 1)
    return int(here.name.startswith(("ldr", "vldr")) and "[sp" not in here.operands)


def _masks(code: list[Instruction], n: int, state: State) -> int:
    """What becomes of interrupts: PRIMASK; on ARMv7-M BASEPRI, set directly after it is read."""
    here, operands = code[n], code[n].operands
    if here.name == "cpsid" and "i" in operands:
        return 1
    if here.name == "cpsie" and "i" in operands:
        return ENDS
    if here.name == "msr" and operands.startswith("primask"):
        written = _number(state.get(operands.split(", ")[1]))
        return -1 if written is None else 1 if written & 1 else ENDS
    if here.name == "msr" and operands.startswith("basepri"):
        near = code[max(0, n - 3) : n]
        return 1 if any(i.name == "mrs" and "basepri" in i.operands for i in near) else -1
    return 0
