"""What a program uses of the kernel: the constants that its kernel is compiled with.

kernel/core/uses.h names the features, and above each the functions that need it. A program is
linked without the kernel first; what it then lacks says which of those it calls. Data says by a
note what it needs (TAKT_NEEDS_ in include/takt/fact.h).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path

from elftools.elf.elffile import ELFFile

from takt.code import elf_tables, relocations
from takt.paths import ROOT

KERNEL = ROOT / "kernel"
FEATURE = re.compile(
    r"^/\* ([\w: ]+(?:\n \* [\w ]+)*) \*/\n#define TAKT_USES_(\w+) 1$", re.MULTILINE
)
FOLLOWS = re.compile(r"^#define TAKT_HAS_(\w+) +((?:[^/\n\\]|\\\n)+)", re.MULTILINE)
NOTES = ".takt.uses"
Features = frozenset[str]


@cache
def known(kernel: Path = KERNEL) -> dict[str, tuple[str, ...]]:
    """By feature, the functions that need it."""
    text = (kernel / "core" / "uses.h").read_text(encoding="utf-8")
    return {
        name: () if named.startswith("data:") else tuple(re.findall(r"\w+", named))
        for named, name in FEATURE.findall(text)
    }


def used(names: Iterable[str], notes: Iterable[str] = (), kernel: Path = KERNEL) -> Features:
    """By a program that refers to those names, and says so in notes."""
    named = set(names)
    found = {name for name, functions in known(kernel).items() if named & set(functions)}
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
        notes += ["THREADS"] * (_threads(elf) > 1)
    return used(names, filter(None, notes))


def _threads(elf: ELFFile) -> int:
    """How many there are, by the table of their descriptors; 0 if the program has none."""
    values = elf_tables.values(elf)
    table = values.get("__takt_threads_end", 0) - values.get("__takt_threads_start", 0)
    return table // (elf.elfclass // 8 if elf["e_machine"] != "EM_AVR" else 2)


def with_what_follows(
    features: Collection[str], facts: Collection[str], kernel: Path = KERNEL
) -> Features:
    """The features and those that they bring, by the second half of uses.h: programs whose kernels
    would be the same have the same. facts: what else is true there, as TAKT_DYNAMIC."""
    text = (kernel / "core" / "uses.h").read_text(encoding="utf-8")
    true = {f"TAKT_USES_{name}" for name in features} | set(facts)
    for name, condition in FOLLOWS.findall(text):
        ways = (way.split("&&") for way in re.sub(r"[()\\\n]", "", condition).split("||"))
        if any(all(term.strip() in true for term in way) for way in ways):
            true.add(f"TAKT_HAS_{name}")
    return frozenset(name for name in known(kernel) if f"TAKT_HAS_{name}" in true)


def header(features: Collection[str], kernel: Path = KERNEL) -> str:
    """takt_uses.h."""
    lines = ["/* What the program uses of the kernel (kernel/core/uses.h). Made by the build. */"]
    lines += [f"#define TAKT_USES_{name} {int(name in features)}" for name in known(kernel)]
    return "\n".join(lines) + "\n"
