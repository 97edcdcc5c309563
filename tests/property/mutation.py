"""Random one-line mutants of C files, and whether tests notice them.

A mutant is a file with one line changed: another relation, a number one off, a condition negated,
a statement dropped. It takes the file's place in a shared library that the unit tests are linked
with and that Python loads; tests run until one fails.
"""

from __future__ import annotations

import json
import os
import random
import re
import resource
import shlex
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import filterfalse
from pathlib import Path
from tempfile import TemporaryDirectory

import kernel_library
import pytest
from kernel_copy import built_with
from takt.admit import admit_library
from takt.admit.native import Native

REPO = Path(__file__).resolve().parents[2]
HOST = REPO / "build/host"
UNDEFINED = ("-fsanitize=undefined", "-fsanitize-undefined-trap-on-error")
PROGRAM_CPU_S, PYTHON_CPU_S = 10, 300  # after which a test does not end
NOT_CODE = re.compile(
    r'^\s*TAKT_FACT.*|/\*.*?\*/|/\*.*|"(?:\\.|[^"\\])*"|^\s*#\s*include.*|^[^/]*\*/'
)
OTHERS = {
    " < ": (" <= ", " > "), " <= ": (" < ",), " > ": (" >= ", " < "), " >= ": (" > ",),
    " == ": (" != ",), " != ": (" == ",), " && ": (" || ",), " || ": (" && ",),
    " + ": (" - ",), " - ": (" + ",), "++": ("--",), " += ": (" -= ", " = "), " -= ": (" += ",),
    "true": ("false",), "false": ("true",),
}  # fmt: skip
OPERATOR = re.compile("|".join(re.escape(one) for one in OTHERS))
NUMBER = re.compile(r"(?<![\w.])(0x[0-9A-Fa-f]+|\d+)(?=[uUlL]*\b)")
CONDITION = re.compile(r"\b(?:if|while) \(")
STATEMENT = re.compile(
    r"^ +(?:[\w\[\]>.*()-]+ [-+*/|&^<>]*= .*|[\w.>-]+(?:\(.*\)|\+\+|--)|break|continue);$"
)


@dataclass(frozen=True)
class Mutant:
    """A line, counted from 1, and what stands there instead."""

    file: str
    line: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.old.strip()}  ->  {self.new.strip()}"

    def text(self) -> str:
        lines = (REPO / self.file).read_text().split("\n")
        lines[self.line - 1] = self.new
        return "\n".join(lines)


def _code(text: str) -> Iterator[tuple[int, str]]:
    """Lines by number, of equal length, without comments, strings and includes."""
    blank = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.DOTALL)
    for number, line in enumerate(blank.split("\n"), 1):
        yield number, NOT_CODE.sub(lambda m: " " * len(m[0]), line)


def _changed(code: str) -> Iterator[tuple[int, int, str]]:
    """From where to where what can stand instead."""
    for found in OPERATOR.finditer(code):
        yield from ((*found.span(), other) for other in OTHERS[found[0]])
    for found in NUMBER.finditer(code):
        value, base = int(found[1], 0), hex if found[1].startswith("0x") else str
        yield from ((*found.span(1), base(one)) for one in {value + 1, max(0, value - 1)} - {value})
    for found in CONDITION.finditer(code):
        if (end := _closing(code, found.end())) is not None:
            yield found.end(), end, f"!({code[found.end() : end]})"
    if STATEMENT.match(code) and code.count("(") == code.count(")"):
        yield len(code) - len(code.lstrip()), len(code), ";"


def _closing(code: str, at: int) -> int | None:
    """Where the parenthesis that is open at `at` is closed, on the same line."""
    depth = 1
    for i in range(at, len(code)):
        depth += {"(": 1, ")": -1}.get(code[i], 0)
        if depth == 0:
            return i
    return None


def mutants_of(file: str) -> dict[int, list[Mutant]]:
    """All of a file, by line."""
    text = (REPO / file).read_text()
    lines, found = text.split("\n"), {}
    for number, code in _code(text):
        old = lines[number - 1]
        changed = [old[:start] + new + old[end:] for start, end, new in _changed(code.rstrip())]
        if changed:
            found[number] = [Mutant(file, number, old, new) for new in changed]
    return found


def sample(files: list[str], seed: int) -> Iterator[Mutant]:
    """All lines in a random order, one mutant of each; then again, others."""
    rng = random.Random(seed)
    left = [list(one) for file in files for one in mutants_of(file).values()]
    while left:
        rng.shuffle(left)
        yield from (one.pop(rng.randrange(len(one))) for one in left)
        left = [one for one in left if one]


@dataclass(frozen=True)
class Tests:
    """Those that concern some files: the CMake target whose library has them, programs of unit
    tests that are linked with it, and what pytest is to run."""

    library: str
    programs: tuple[str, ...]
    python: tuple[str, ...]
    cases: tuple[str, ...] = ("5", "100")  # per cent, of random ones: most need few
    firmware: tuple[str, ...] = ()  # what pytest is to run of programs for boards, at last


class Bench:
    """The library, of which one file can be another, and the programs that load it."""

    def __init__(self, tests: Tests, folder: Path) -> None:
        self.tests, self.folder = tests, folder
        self.library = folder / "whole.so"
        if not (HOST / "build.ninja").exists():
            subprocess.run(["cmake", "--preset", "host"], cwd=REPO, check=True, capture_output=True)
        subprocess.run(["ninja", "-C", HOST, *tests.programs], check=True, capture_output=True)
        commands = json.loads((HOST / "compile_commands.json").read_text())
        split = {
            one["file"]: shlex.split(one["command"])
            for one in reversed(commands)
            if f"/{tests.library}.dir/" in one["command"]
        }
        self._commands = {file: one[: one.index("-o")] for file, one in split.items()}
        self._objects = {file: str(HOST / one[one.index("-o") + 1]) for file, one in split.items()}
        self._link(self._objects)
        for program in tests.programs:
            subprocess.run(self._link_command(program), cwd=HOST, check=True, capture_output=True)

    def _link(self, objects: dict[str, str]) -> None:
        command = ["cc", "-shared", "-o", self.library, *objects.values()]
        subprocess.run(command, check=True, capture_output=True)

    def _link_command(self, program: str) -> list[str]:
        """With this library instead of the target's."""
        asked = ["ninja", "-C", HOST, "-t", "commands", program]
        told = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
        (last,) = (one for one in told.splitlines() if re.search(rf" -o \S*{program} ", one))
        command = shlex.split(last.split(" && ")[1])
        command = [str(self.library) if self.tests.library in one else one for one in command]
        command[command.index("-o") + 1] = str(self.folder / program)
        return [*command, f"-Wl,-rpath,{self.folder}"]

    def compiled(self, file: str, text: str) -> Path | None:
        """The object, without debugging information, in which lines differ; None: it is not C."""
        source, made = self.folder / Path(file).name, self.folder / f"{Path(file).stem}.o"
        source.write_text(text)
        return made if self._compile(file, made) else None

    def _compile(self, file: str, made: Path, *flags: str) -> bool:
        command = [*self._commands[str(REPO / file)], "-O2", "-g0", "-w", *flags]
        command += [f"-I{(REPO / file).parent}", "-o", made, "-c", self.folder / Path(file).name]
        return subprocess.run(command, capture_output=True).returncode == 0

    def killer(self, file: str, made: Path) -> str | None:
        """What fails with that instead of the file; undefined behaviour does."""
        self._compile(file, made, *UNDEFINED)
        self._link(self._objects | {str(REPO / file): str(made)})
        for program in self.tests.programs:
            limited = f"ulimit -t {PROGRAM_CPU_S}; exec {shlex.quote(str(self.folder / program))}"
            if subprocess.run(["sh", "-c", limited], capture_output=True).returncode:
                return program
        for cases in self.tests.cases:
            if not _passes(partial(self._run_python, file, cases)):
                return f"pytest, {cases} % of cases"
        if self.tests.firmware and not _passes(partial(self._run_firmware, file)):
            return "firmware"
        return None

    def _run_firmware(self, file: str) -> int:
        """Programs that are built meanwhile have the mutant in their kernel."""
        with TemporaryDirectory(dir=self.folder) as copy:
            text = (self.folder / Path(file).name).read_text()
            with built_with({file: text}, Path(copy))():
                return _pytest(self.tests.firmware)

    def _run_python(self, file: str, cases: str) -> int:
        resource.setrlimit(resource.RLIMIT_CPU, (PYTHON_CPU_S, PYTHON_CPU_S))
        os.environ |= {"TAKT_CASES": cases, "TAKT_LONG": ""}
        kernel_library.replaced = (REPO / file, (self.folder / Path(file).name).read_text())
        if REPO / file in admit_library.NATIVE.sources:
            admit_library.NATIVE = Native("a mutant", self.library, (), ())
            admit_library.loaded.cache_clear()
        return _pytest(self.tests.python)


def _passes(tests: Callable[[], int]) -> bool:
    """In a fork of this process, which has imported what takes time."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(tests())
        except BaseException:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def _pytest(tests: tuple[str, ...]) -> int:
    """Not a word of it."""
    silent = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(silent, number)
    os.chdir(REPO)
    options = ["-x", "-q", "--extent=ORDINARY", "-p", "no:cacheprovider", "-p", "no:xdist"]
    return int(pytest.main([*options, *tests]))


def run(
    files: list[str], bench: Bench, seed: int, leave_out: Callable[[Mutant], bool]
) -> Iterator[tuple[Mutant, str | None]]:
    """Mutants that are C, and not the same code; each with what has killed it."""
    whole = {}
    for file in files:
        made = bench.compiled(file, (REPO / file).read_text())
        assert made, file
        whole[file] = made.read_bytes()
    failing = bench.killer(file, made)
    assert failing is None, f"without a mutant {failing} fails"
    for mutant in filterfalse(leave_out, sample(files, seed)):
        made = bench.compiled(mutant.file, mutant.text())
        if made and made.read_bytes() != whole[mutant.file]:
            yield mutant, bench.killer(mutant.file, made)
