"""Steps of AVR functions. Cycles: AVR Instruction Set Manual, of an ATmega.

A lone `sei` that one way of two skips is port_irq_restore(), which looks whether the section is in
another one: it ends the section, and so does writing the status register.
"""

from __future__ import annotations

from takt.code.avr import values as avr_values
from takt.code.avr.flow import pair
from takt.code.avr.instructions import BRANCHES, SKIPS, Instruction
from takt.code.avr.reader import CALLS, JUMPS, RESTORES, SAVES, Path, Reader
from takt.code.avr.values import Numbers
from takt.code.codeflow import State, Value
from takt.code.elf import Program, Symbol
from takt.code.steps import Step, Steps, one

MOST_JUMPS = 4  # one behind the other
OF_PARTS = {SAVES: 60, RESTORES: 60}  # cycles: 18 registers, the stack pointer and the way back
INTERRUPTS, STATUS = 7, 0x3F  # bit of the status register, and where that is
CYCLES = {
    **dict.fromkeys(("adiw", "sbiw", "ld", "ldd", "st", "std", "lds", "sts", "push", "pop"), 2),
    **dict.fromkeys(("mul", "muls", "mulsu", "fmul", "fmuls", "fmulsu", "sbi", "cbi", "rjmp"), 2),
    **dict.fromkeys(("ijmp", *BRANCHES), 2),
    **dict.fromkeys((*SKIPS, "jmp", "rcall", "icall", "lpm"), 3),
    **dict.fromkeys(("call", "ret", "reti"), 4),
}


class AvrSteps:
    known: Numbers = {"1": 0}

    def __init__(self, program: Program) -> None:
        self.program, self._reader = program, Reader(program)

    def onward(self, step: Step, before: Numbers) -> tuple[tuple[int, ...], Numbers]:
        """Where it goes on from a step, as far as numbers say; those behind it."""
        here, to = self._reader.at(step.at), step.to
        taken = avr_values.goes(here, before) if len(to) == 2 else None
        if taken is not None:
            to = tuple(at for at in to if (at == here.target) == taken)
        return to, avr_values.after(here, before)

    def steps(self, symbol: Symbol) -> Steps:
        path = Path(self._reader, symbol)
        return {at: self._step(path, at, state) for at, state in path.states(False).items()}

    def _step(self, path: Path, at: int, state: State) -> Step:
        here = self._reader.at(at)
        to = tuple(place for place, _ in path.following(at, state))
        calls, pointer = self._calls(path, here)
        cycles = CYCLES.get(here.name, 1) + OF_PARTS.get(path.part(here.target), 0)
        behind = at + here.size
        if not here.ends and here.name not in CALLS and behind in self._reader.starts:
            calls = (*calls, behind)  # goes on in the next function
        masks = _masks(here)
        if here.name in (*SKIPS, *BRANCHES) and len(to) == 2:
            to = self._restore(*to) or self._restore(*reversed(to)) or to
        first, third = (_number(pair(state, low)) for low in (24, 20))
        return Step(at, cycles, to, calls, pointer, first, third, masks)

    def _restore(self, restores: int, skips: int) -> tuple[int, ...]:
        """The first of these ways, if it switches interrupts on, and that is all that it does more
        than the other."""
        there = self._reader.at(restores)
        same = self._led_to(restores + there.size) == self._led_to(skips)
        return (restores,) if _masks(there) == -1 and same else ()

    def _led_to(self, at: int) -> int:
        """By jumps, some of which lead to the next."""
        for _ in range(MOST_JUMPS):
            here = self._reader.at(at)
            if here.name not in JUMPS or here.target is None:
                break
            at = here.target
        return at

    def _calls(self, path: Path, here: Instruction) -> tuple[tuple[int, ...], bool]:
        """What is called or jumped to outside, and whether that is not known."""
        if here.name in ("icall", "ijmp"):
            return (), True
        if here.name not in (*CALLS, *JUMPS, *BRANCHES) or here.target is None:
            return (), False
        if here.target in self._reader.starts and not path.part(here.target):
            outside = here.name in CALLS or here.target != path.symbol.address
            return ((here.target,) if outside else ()), False
        return (), path.part(here.target) not in ("", *OF_PARTS)


def _number(value: Value | None) -> int | None:
    return one(value.numbers) if value and value.kind == "const" else None


def _masks(here: Instruction) -> int:
    if here.name == "bclr" and here.bit == INTERRUPTS:
        return 1
    restores = here.name == "out" and here.k == STATUS
    return -1 if restores or (here.name == "bset" and here.bit == INTERRUPTS) else 0
