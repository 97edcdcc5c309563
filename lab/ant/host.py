"""The structures on the host: bench.c, compiled and run; instructions by callgrind."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median

from takt.errors import UserError
from takt.paths import BUILD, ROOT, shown

HERE = Path(__file__).parent
WORK = BUILD / "lab" / "ant"
SOURCE = HERE / "bench.c"
FLAGS = ("-std=gnu11", "-O2", "-g")
NAMES = tuple(
    re.findall(
        r'^    \{"([a-z-]+)", \w+_init',
        (HERE / "structures.h").read_text(),
        flags=re.MULTILINE,
    )
)
Values = dict[tuple[str, str, str], float]  # structure, case, metric
PROCESSES = 7
PLACES = 32  # in a set of the kernel; of more, wide/


def compiled(n: int) -> Path:
    """The program for up to n tasks."""
    return _compiled(max(n, PLACES))


@cache
def _compiled(tasks: int) -> Path:
    """Built anew in each run: it takes a second."""
    WORK.mkdir(parents=True, exist_ok=True)
    program = WORK / f"bench-{tasks}"
    folders = [ROOT / "include", ROOT / "kernel"]
    if tasks > PLACES:
        folders.insert(0, HERE / "wide")
    include = [f"-I{folder}" for folder in folders]
    command = ["cc", *FLAGS, f"-DTASKS={tasks}", *include, str(SOURCE), "-o", str(program)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise UserError(f"does not compile: {done.stderr.strip()[:500]}", shown(SOURCE))
    return program


def compiler() -> str:
    said = subprocess.run(["cc", "--version"], capture_output=True, text=True).stdout
    return f"{said.splitlines()[0]} {' '.join(FLAGS)}" if said else "cc"


def run(program: Path, *arguments: str | int) -> Values:
    """What it prints."""
    command = [str(program), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise UserError(f"stopped with {done.returncode}", " ".join(command))
    return _values(done.stdout)


def repeated(program: Path, *arguments: str | int) -> Values:
    """Medians of what it prints in processes of its own: where its pages come to lie is luck, which
    some have and others have not."""
    found = [run(program, *arguments) for _ in range(PROCESSES)]
    return {key: median(one[key] for one in found) for key in found[0]}


def _values(text: str) -> Values:
    rows = (line.split() for line in text.splitlines())
    return {(name, case, metric): float(value) for name, case, metric, value in rows}


def has_callgrind() -> bool:
    return shutil.which("valgrind") is not None


@dataclass(frozen=True)
class Counts:
    """By callgrind."""

    instructions: float
    mispredicted: float  # branches, of a simple predictor


def counts(program: Path, structure: str, what: str, of: int | str) -> Counts | None:
    """Of one release of N tasks, or of one wait; of a tick of Table 3; of a job of mixed periods.
    None if the structure is not for that."""
    out = WORK / "callgrind.out"
    entry = "release" if what == "spread" else what
    command = ["valgrind", "--tool=callgrind", "--collect-atstart=no", "--branch-sim=yes"]
    command += [f"--callgrind-out-file={out}", f"--toggle-collect=counted_{entry}", str(program)]
    command += ["count", str(NAMES.index(structure)), what, str(of)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode == 2:
        return None
    found = re.search(r"Collected\s*:((?:\s+\d+)+)", done.stderr)
    if done.returncode or found is None:
        raise UserError(f"callgrind: {done.stderr.strip()[-300:]}", " ".join(command))
    instructions, _, wrong, _, wrong_indirect = map(int, found[1].split())
    times = _values(done.stdout)[structure, str(of), "times"]
    return Counts(instructions / times, (wrong + wrong_indirect) / times)
