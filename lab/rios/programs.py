"""The lab's programs: Takt's as the build makes them, the paper's by avr-gcc and avr-libc alone."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from takt import boards
from takt.build.build import build
from takt.code.elf import Program
from takt.errors import UserError
from takt.machine.avr import AvrMachine
from takt.paths import BUILD, ROOT, shown

HERE = Path(__file__).parent
WORK = BUILD / "lab" / "rios"
MHZ = 8
PLAIN = "avr-gcc -mmcu=atmega324p -DF_CPU=8000000UL -Os -std=gnu11 -mrelax"
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
# What a program of tasks alone consists of beside its own file: what runs, and what declares it.
SCHEDULER = (
    "kernel/job/task.h",
    "port/avr/task.c",
    "port/avr/task_passes.h",
    "port/avr/task_timer.h",
)
COMPOSED = ("port/avr/task_pass.S", "port/avr/port_task_composed.h")
API = ("include/takt/task.h", "include/takt/port_task_section.h", "port/avr/port_task.h",
       "port/avr/port_task_places.h")  # fmt: skip
Defines = dict[str, Any]


@dataclass(frozen=True)
class Made:
    """A program ready to run."""

    elf: Path
    lines: int  # of code, its own and the scheduler's
    all_lines: int  # and of the headers that declare it

    @property
    def bytes(self) -> int:
        """text + data."""
        said = subprocess.run(["avr-size", self.elf], capture_output=True, text=True, check=True)
        text, data = said.stdout.splitlines()[1].split()[:2]
        return int(text) + int(data)

    def machine(self) -> AvrMachine:
        machine = AvrMachine("atmega324p", MHZ * 1_000_000)
        machine.load_elf(self.elf)
        return machine


def code_lines(paths: list[Path]) -> int:
    """Lines with more than a comment on them, as cloc counts."""
    texts = (COMMENT.sub(lambda m: "\n" * m[0].count("\n"), p.read_text()) for p in paths)
    return sum(bool(line.strip()) for text in texts for line in text.splitlines())


def takt(
    name: str,
    case: str,
    board: boards.Board,
    defines: Defines | None = None,
    composed: bool = False,
) -> Made:
    """A folder's program, or a case of it: the same source behind some definitions."""
    source, place = HERE / name / f"{name}.c", WORK / board.name / name / case
    folder = place / name
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"#define {key} {value}\n" for key, value in (defines or {}).items()]
    text, file = "".join([*lines, f'#include "{source}"\n']), folder / f"{name}.c"
    if not file.exists() or file.read_text() != text:
        file.write_text(text)
    built = build(folder, board, trace=False, out=place / "out", admit=False)
    own = code_lines([source, *(ROOT / part for part in (COMPOSED if composed else SCHEDULER))])
    return Made(built.elf, own, own + code_lines([ROOT / part for part in API]))


def printed(name: str, program: str, case: str, defines: Defines | None = None) -> Made:
    """One of the paper's schedulers with the tasks of a header."""
    source, header = HERE / "printed" / f"{name}.c", HERE / "printed" / f"{program}.h"
    elf = WORK / "printed" / f"{name}-{program}-{case}.elf"
    elf.parent.mkdir(parents=True, exist_ok=True)
    options = [f"-D{key}={value}" for key, value in (defines or {}).items()]
    command = [*PLAIN.split(), *options, f'-DPROGRAM="{header}"', str(source), "-o", str(elf)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        raise UserError(made.stderr.strip(), shown(source))
    lines = code_lines([source, header])
    return Made(elf, lines, lines)


def functions(made: Made, names: list[str]) -> dict[str, range]:
    """Where they are."""
    found = Program(made.elf).by_name
    return {name: range(s.address, s.address + s.size) for name in names if (s := found.get(name))}
