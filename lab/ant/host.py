"""The structures on the host: bench.c, compiled and run; instructions by callgrind."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from takt.errors import UserError
from takt.paths import BUILD, ROOT, shown

HERE = Path(__file__).parent
WORK = BUILD / "lab" / "ant"
SOURCES = (HERE / "bench.c", ROOT / "kernel" / "releases.c")
FLAGS = ("-std=gnu11", "-O2", "-g")
NAMES = tuple(
    re.findall(
        r'^    \{"([a-z-]+)", \w+_init',
        (HERE / "structures.h").read_text(),
        flags=re.MULTILINE,
    )
)
Values = dict[tuple[str, str, str], float]  # structure, case, metric
COUNTED_ROUNDS = 4


def compiled() -> Path:
    """The program, built anew each time: it takes a second."""
    WORK.mkdir(parents=True, exist_ok=True)
    program = WORK / "bench"
    include = [f"-I{ROOT / 'include'}", f"-I{ROOT / 'kernel'}"]
    command = ["cc", *FLAGS, *include, *map(str, SOURCES), "-o", str(program)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise UserError(f"does not compile: {done.stderr.strip()[:500]}", shown(SOURCES[0]))
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
    rows = (line.split() for line in done.stdout.splitlines())
    return {(name, case, metric): float(value) for name, case, metric, value in rows}


def has_callgrind() -> bool:
    return shutil.which("valgrind") is not None


def instructions(program: Path, structure: str, what: str, n: int) -> float:
    """Of one release of N tasks, or of one wait."""
    out = WORK / "callgrind.out"
    command = [
        "valgrind",
        "--tool=callgrind",
        "--collect-atstart=no",
        f"--callgrind-out-file={out}",
    ]
    command += [f"--toggle-collect=counted_{what}", str(program), "count"]
    command += [str(NAMES.index(structure)), what, str(n)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    found = re.search(r"Collected\s*:\s*(\d+)", done.stderr)
    if done.returncode or found is None:
        raise UserError(f"callgrind: {done.stderr.strip()[-300:]}", " ".join(command))
    return int(found[1]) / COUNTED_ROUNDS
