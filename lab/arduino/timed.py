"""Cycles of calls in a program on the virtual uno, from labels around each call.

Counted is all that a call costs the sketch: its arguments, the call, the function, the return.
"""

from __future__ import annotations

from pathlib import Path
from statistics import median

from takt.errors import UserError
from takt.machine.avr import AvrMachine
from takt.paths import shown

HZ = 16_000_000
LIMIT = HZ  # a second; a pass of the sketch's loop takes less
CALL = 40_000  # and a call
NOP = 1
PASSES = 9


def machine(elf: Path) -> AvrMachine:
    found = AvrMachine("atmega328p", HZ)
    found.load_elf(elf)
    return found


def _to(at: AvrMachine, address: int) -> int:
    """Instruction by instruction; the cycle."""
    until = at.now + CALL
    while at.pc != address:
        if at.now >= until:
            raise UserError(f"no instruction at {address:#x} within a second", "calls.ino")
        at.step()
    return at.now


def once(at: AvrMachine, name: str) -> int:
    """The next time that the call is made."""
    began = _to(at, at.symbol(f"lab_from_{name}"))
    return _to(at, at.symbol(f"lab_to_{name}")) - began - NOP


def cycles(elf: Path, names: list[str]) -> dict[str, int]:
    """Of each call, the median of some passes: an interrupt may come between."""
    at = machine(elf)
    if not at.has_symbol(f"lab_to_{names[0]}"):
        raise UserError("has no labels of the lab", shown(elf))
    at.break_at(at.symbol(f"lab_from_{names[0]}"))
    seen = []
    for _ in range(PASSES):
        at.run(at.now + LIMIT)
        seen.append({name: once(at, name) for name in names})
    return {name: int(median(one[name] for one in seen)) for name in names}
