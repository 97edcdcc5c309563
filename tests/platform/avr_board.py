"""Small programs for the AVR machines, assembled on the fly."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from takt.machine.avr import DATA, AvrMachine

HEADER = """
#include <avr/io.h>
#define IO(reg) _SFR_IO_ADDR(reg)
#define MEM(reg) _SFR_MEM_ADDR(reg)
.macro put reg, value
    ldi r16, \\value
    sts \\reg, r16
.endm
.global _start
.org 0
    jmp _start
"""
HANDLER = """.org {number} * 4
    jmp {label}
"""


def assembled(
    folder: Path, source: str, chip: str = "atmega328p", hz: int = 16_000_000, **handlers: str
) -> AvrMachine:
    """A machine at the reset of a program; `handlers`: vector (as INT0) -> label."""
    table = "".join(
        HANDLER.format(number=f"{vector}_vect_num", label=label)
        for vector, label in sorted(handlers.items(), key=lambda item: number(chip, item[0]))
    )
    path = folder / f"program{len(list(folder.iterdir()))}"
    path.with_suffix(".S").write_text(f"{HEADER}{table}.org 0x80\n{source}\n")
    command = ["avr-gcc", f"-mmcu={chip}", "-nostartfiles", "-nostdlib"]
    files = ["-o", f"{path}.elf", f"{path}.S"]
    subprocess.run([*command, *files], check=True)
    machine = AvrMachine(chip, hz)
    machine.load_elf(path.with_suffix(".elf"))
    return machine


def number(chip: str, vector: str) -> int:
    """Of a vector, as avr-libc has it."""
    command = ["avr-gcc", f"-mmcu={chip}", "-E", "-dM", "-include", "avr/io.h", "-x", "c", "-"]
    text = subprocess.run(command, input="", capture_output=True, text=True, errors="replace")
    found = re.search(rf"#define {vector}_vect_num\s+(\d+)", text.stdout)
    assert found, vector
    return int(found[1])


def run_to(m: AvrMachine, name: str, limit: int = 10_000_000) -> int:
    """Runs up to a label; the cycle."""
    address = m.symbol(name)
    m.break_at(address)
    stop = m.run(m.now + limit)
    m.break_at(address, False)
    assert stop.reason == "break" and stop.detail == address, (stop, m.fault())
    return stop.cycle


def ram(m: AvrMachine, address: int, size: int = 1) -> bytes:
    """Of the data space."""
    return m.read(DATA + address, size)


Assemble = Callable[..., AvrMachine]
