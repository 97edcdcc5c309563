"""What a program uses of the kernel: the constants that its kernel is compiled with.

kernel/uses.h names the features, and beside each the files whose functions are it. A program
is linked without the kernel first; what it then lacks says which of those functions it calls. Data
says by a note what it needs (TAKT_NEEDS_ in include/takt/fact.h).
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path

from takt import elf_tables, relocations
from takt.errors import UserError
from takt.paths import ROOT, shown

KERNEL = ROOT / "kernel"
FEATURE = re.compile(r"^#define TAKT_USES_(\w+) +1(?: +/\* ([\w. ]+) \*/)?$", re.MULTILINE)
NOTES = ".takt.uses"
Features = frozenset[str]


@cache
def known(kernel: Path = KERNEL) -> dict[str, tuple[str, ...]]:
    """By feature, the files that define what it is used by."""
    text = (kernel / "uses.h").read_text(encoding="utf-8")
    return {name: tuple(files.split()) for name, files in FEATURE.findall(text)}


@cache
def _defined(kernel: Path = KERNEL) -> dict[str, set[str]]:
    """The files that define each function and variable of the kernel."""
    program = next((p for p in ("ctags-universal", "ctags") if shutil.which(p)), None)
    if program is None:
        raise UserError("universal-ctags is not installed", fix="apt-get install universal-ctags")
    command = [program, "--options=NONE", "-x", "--c-kinds=fv", "--_xformat=%N %F"]
    files = map(str, sorted(kernel.glob("*.c")))
    done = subprocess.run([*command, *files], capture_output=True, text=True)
    if done.returncode:
        raise UserError("cannot read the kernel's sources", shown(kernel), detail=done.stderr)
    found: dict[str, set[str]] = {}
    for line in done.stdout.splitlines():
        name, _, file = line.partition(" ")
        found.setdefault(name, set()).add(Path(file).name)
    return found


def used(names: Iterable[str], notes: Iterable[str] = (), kernel: Path = KERNEL) -> Features:
    """By a program that refers to those names, and says so in notes. What other files define, too,
    is no feature's."""
    files = [_defined(kernel).get(name, set()) for name in names]
    found = {name for name, own in known(kernel).items() if any(f and f <= {*own} for f in files)}
    return frozenset(found | set(notes))


def of(program: Path) -> Features:
    """Of one that is linked without the kernel. An old linker keeps the names of what only unused
    functions refer to; so it is the references that count."""
    with elf_tables.opened(program) as elf:
        entries = elf_tables.symbols(elf, elf.get_section_by_name(".symtab"))
        referred = (entries[one.symbol] for one in relocations.filled_in(elf))
        names = {entry.name for entry in referred if entry.section == 0 and not entry.weak}
        section = elf.get_section_by_name(NOTES)
        notes = section.data().decode().split("\0") if section else []
    return used(names, filter(None, notes))


def everything(kernel: Path = KERNEL) -> Features:
    return frozenset(known(kernel))


def header(features: Collection[str], kernel: Path = KERNEL) -> str:
    """takt_uses.h."""
    lines = ["/* What the program uses of the kernel (kernel/uses.h). Made by the build. */"]
    lines += [f"#define TAKT_USES_{name} {int(name in features)}" for name in known(kernel)]
    return "\n".join(lines) + "\n"
