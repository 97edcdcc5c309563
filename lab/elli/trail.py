"""Where cycles go: the instructions a machine executes from now on, with their cycles."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from itertools import groupby
from pathlib import Path

from takt.build.build import Build
from takt.code.elf import Program
from takt.machine.machine import Machine

from . import programs

LINE = re.compile(r"^ *([0-9a-f]+):\t(.+)$")


@cache
def _instructions(elf: Path, changed: float) -> dict[int, str]:
    """Address -> text, by objdump."""
    command = ["arm-none-eabi-objdump", "-d", "--no-show-raw-insn", str(elf)]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = (LINE.match(line) for line in listing.splitlines())
    return {int(m[1], 16): re.sub(r"\s+", " ", m[2].partition(";")[0]).strip() for m in found if m}


def lines(machine: Machine, built: Build, until: int) -> list[str]:
    """Steps to a cycle, not counting those asleep. A line for each stretch within a function: its
    cycles, and its instructions as mnemonic and cycles."""
    text = _instructions(built.elf, built.elf.stat().st_mtime)
    program = Program(built.elf)
    taken: list[tuple[str, str, int]] = []
    while machine.now < until:
        before, pc, handler = machine.now, machine.register(15), machine.register(16) & 0x3F
        machine.step()
        if machine.now == before:  # asleep
            programs.run(machine, built, before + 1)
            until += machine.now - before
            continue
        entered = machine.register(16) & 0x3F not in (0, handler)
        what = text.get(pc, "?")
        if entered:
            what = "exception entry" if not handler else f"{what} -> next exception"
        elif handler and not machine.register(16) & 0x3F:
            what += " (exception return)"
        place = programs.where(program, pc).partition("+")[0]
        taken.append((place, what, machine.now - before))
    result = []
    for place, group in groupby(taken, key=lambda step: step[0]):
        own = list(group)
        steps = " ".join(f"{_short(what)} {cycles}" for _, what, cycles in own)
        result.append(f"  {sum(cycles for _, _, cycles in own):4}  {place}: {steps}")
    return result


def _short(instruction: str) -> str:
    return instruction if "exception" in instruction else instruction.split()[0]
