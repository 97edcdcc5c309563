"""Peripheral initialisation as data (Ell-i thesis, 4.3): the same start state of an STM32F051, once
as records in flash and once as code, in bytes of flash and in cycles.

Every variant is one file of this folder. They are linked alone, without kernel and drivers, and
must leave the chip in the same state, which is compared register by register.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from takt import boards
from takt.build.cmake import need_tool
from takt.code.elf import Program
from takt.errors import UserError
from takt.machine.machine import Machine

HERE = Path(__file__).parent
CC = "arm-none-eabi-gcc"
FLAGS = ["-mcpu=cortex-m0", "-mthumb", "-Os", "-std=gnu11", "-ffunction-sections"]
LINK = ["-fdata-sections", "-nostdlib", "-nostartfiles", "-Wl,--gc-sections", "-T"]
VARIANTS = {
    "classic": "a function for every kind of thing, as libraries for the chip have it",
    "code": "the registers stored one after the other",
    "records": "address and value, 8 bytes each: the board's own form",
    "packed": "halfwords: block, register and a value of 16 or 32 bits",
}
REGISTER = re.compile(r"(?:STORE|ADD)\(([^,]+),")
# Where writing has an effect and reading says something else.
WRITE_ONLY = re.compile(r"egr|->sr\b")
BOUND = 100_000  # cycles, by far


def build(variant: str, folder: Path) -> Program:
    """Links one variant."""
    need_tool(CC, "gcc-arm-none-eabi")
    out = folder / f"{variant}.elf"
    sources = [HERE / "start.S", HERE / f"{variant}.c"]
    command = [CC, *FLAGS, *LINK, str(HERE / "init.ld"), *map(str, sources), "-lgcc"]
    done = subprocess.run([*command, "-o", str(out)], capture_output=True, text=True)
    if done.returncode != 0:
        raise UserError(f"{variant} does not compile", str(HERE), detail=done.stderr)
    return Program(out)


def size(program: Program) -> int:
    return sum(len(data) for _, _, data in program.segments)


def run(program: Program) -> tuple[int, Machine]:
    """Cycles that init() took, and the machine after it."""
    machine = Machine("stm32f051", "m0")
    machine.load_elf(program.path)
    start, end = (program.by_name[name].address for name in ("before", "after"))
    machine.break_at(start)
    machine.run(BOUND)
    machine.break_at(start, False)
    machine.break_at(end)
    began = machine.now
    if machine.run(began + BOUND).reason != "break":
        raise UserError(f"{program.path.stem} does not end: {machine.fault()}", str(HERE))
    machine.break_at(end, False)
    return machine.now - began, machine


def registers(folder: Path) -> dict[str, int]:
    """Names and addresses of the registers of the state that can be read back."""
    text = (HERE / "state.h").read_text().partition("#define START_STATE")[2]
    names = [" ".join(name.split()) for name in REGISTER.findall(text.partition("\n")[2])]
    names = list(dict.fromkeys(name for name in names if not WRITE_ONLY.search(name)))
    source = folder / "where.c"
    lines = ",\n".join(f"    (uint32_t)&({name})" for name in names)
    include = f'#include "{HERE / "state.h"}"\n'
    source.write_text(f"{include}const uint32_t where[] = {{\n{lines}}};\n")
    out = folder / "where.elf"
    command = [CC, *FLAGS, "-nostdlib", "-Wl,-e,where", "-Ttext=0x8000000", str(source)]
    subprocess.run([*command, "-o", str(out)], check=True, capture_output=True)
    program = Program(out)
    at = program.by_name["where"].address
    return {name: program.word(at + 4 * n) for n, name in enumerate(names)}


def state(machine: Machine, found: dict[str, int]) -> dict[str, int]:
    """Values when the clocks have settled."""
    machine.run(machine.now + BOUND)
    return {name: machine.bus_read(address) for name, address in found.items()}


def init(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """The chip's start state as data and as code: bytes of flash and cycles (section 4.3)."""
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        frame = size(build("nothing", folder))
        found = registers(folder)
        sizes: dict[str, int] = {}
        states: dict[str, dict[str, int]] = {}
        for variant in VARIANTS:
            program = build(variant, folder)
            cycles, machine = run(program)
            sizes[variant] = size(program) - frame
            states[variant] = state(machine, found)
            rows.append(_row(variant, "init_bytes", sizes[variant], "B"))
            rows.append(_row(variant, "init_cycles", cycles, "cycles"))
    for variant, seen in states.items():
        differs = [n for n in found if seen[n] != states["records"][n]]
        if differs:
            told = ", ".join(f"{n} {seen[n]:#x}, not {states['records'][n]:#x}" for n in differs)
            raise UserError(f"{variant} leaves {told}", str(HERE))
    for variant in ("records", "packed"):
        for against in ("classic", "code"):
            saved = 100 * (1 - sizes[variant] / sizes[against])
            paper = 30 if against == "classic" else None
            case = f"{variant} against {against}"
            rows.append(_row(case, "init_saved_percent", round(saved, 1), "%", paper))
    config = {
        "state": f"{len(found)} registers of an STM32F051, the same after each",
        "compiler": "arm-none-eabi-gcc -Os",
        "cycles": "from the call to its return, at 8 MHz until the PLL is stable",
        **VARIANTS,
    }
    return {"board": "stm32f051", "config": config, "rows": rows}


def _row(
    case: str, metric: str, value: float, unit: str, paper: float | None = None
) -> dict[str, Any]:
    return {
        "case": case,
        "metric": metric,
        "value": value,
        "unit": unit,
        "paper": paper,
        "goal": None,
    }
