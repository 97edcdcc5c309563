"""takt doctor: is everything here that Takt needs?"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from takt import packages
from takt.paths import BUILD, INSTALLED, ROOT, shown

ON_PC = platform.machine() == "x86_64"  # elsewhere PCs are no board to build for, see ./takt

# Program, Debian package, what it is for, needed to build and run sketches?
PROGRAMS = (
    ("arm-none-eabi-gcc", "gcc-arm-none-eabi", "compiles sketches", True),
    ("arm-none-eabi-ld", "binutils-arm-none-eabi", "links them", True),
    ("gcc", "gcc", "compiles the virtual platform", True),
    ("g++", "g++", "compiles unit tests", True),
    ("cmake", "cmake", "builds the libraries", True),
    ("ninja", "ninja-build", "runs the builds", True),
    ("ctags-universal", "universal-ctags", "finds the functions of a sketch", True),
    ("avr-gcc", "gcc-avr", "compiles sketches for AVR boards", True),
    ("avr-ld", "binutils-avr", "links them", True),
    ("avrdude", "avrdude", "flashes them", False),
    ("doxygen", "doxygen", "makes the reference of the API for takt docs", False),
    ("node", "nodejs", "runs rp2040js in tests", False),
    ("npm", "npm", "installs rp2040js for tests", False),
    ("qemu-system-arm", "qemu-system-arm", "runs microbit, lm3s6965evb, mps2-an386", False),
    ("x86_64-linux-gnu-g++", "g++-x86-64-linux-gnu", "compiles sketches for PCs", ON_PC),
    ("qemu-system-x86_64", "qemu-system-x86", "runs the board pc", ON_PC),
    ("grub-mkrescue", "grub-common", "makes images that a PC boots from", False),
    ("spin", "spin", "checks models of the switch and of several CPUs in tests", False),
    ("tcc", "tcc", "compiles what spin makes of them", False),
)
FILES = (
    ("arm-none-eabi-gcc", "nano.specs", "libnewlib-arm-none-eabi", "C library of the boards"),
    (
        "arm-none-eabi-g++",
        "libstdc++_nano.a",
        "libstdc++-arm-none-eabi-newlib",
        "C++ library of the boards",
    ),
    (
        "avr-gcc",
        "libc.a",
        "avr-libc",
        "C library of the AVR boards",
    ),
    (
        "x86_64-linux-gnu-gcc",
        "../x86_64-linux-musl/libc.a",
        "musl-dev",
        "C library of PCs",
    ),
    ("gcc", "libsimavr.so", "libsimavr-dev", "runs AVR boards"),
)
FREE_BYTES = 500_000_000


@dataclass(frozen=True)
class Finding:
    name: str
    ok: bool
    needed: bool
    found: str
    fix: str = ""

    def as_dict(self) -> dict[str, object]:
        return vars(self)

    def told(self) -> str:
        """For people."""
        mark = "ok     " if self.ok else "MISSING" if self.needed else "not yet"
        fix = "" if self.ok else f"\n        fix: {self.fix}"
        return f"{mark} {self.name:30} {self.found}{fix}"


def examine() -> list[Finding]:
    """Everything in turn; nothing is changed."""
    files = [entry for entry in FILES if ON_PC or not entry[0].startswith("x86_64")]
    findings = [_python(), *map(_program, PROGRAMS), *map(_file, files)]
    if INSTALLED:  # pip has seen to the others
        return [*findings, _space()]
    findings += [_packages("requirements.txt", True), _packages("requirements-test.txt", False)]
    return [*findings, _space()]


def healthy(findings: list[Finding]) -> bool:
    return all(finding.ok or not finding.needed for finding in findings)


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    fix = "install Python 3.11 or later, remove .venv, run ./takt doctor"
    return Finding("python", sys.version_info >= (3, 11), True, f"{version} {sys.prefix}", fix)


def _program(entry: tuple[str, str, str, bool]) -> Finding:
    name, package, purpose, needed = entry
    path = shutil.which(name)
    fix = f"{packages.command(package)} ({purpose})"
    if path is None:
        return Finding(name, False, needed, "missing", fix)
    ask = {"spin": "-V", "avrdude": "-?", "tcc": "-v"}.get(name, "--version")
    done = subprocess.run([path, ask], capture_output=True, text=True, check=False)
    said = (done.stdout or done.stderr).splitlines()
    line = said[-1 if name == "avrdude" else 0] if said else ""
    version = re.search(r"\d+\.\d+(\.\d+)*", line)
    return Finding(name, done.returncode == 0, needed, version[0] if version else path, fix)


def _file(entry: tuple[str, str, str, str]) -> Finding:
    compiler, file, package, purpose = entry
    fix = f"{packages.command(package)} ({purpose})"
    if shutil.which(compiler) is None:
        return Finding(package, False, True, f"no {compiler} to ask", fix)
    command = [compiler, f"-print-file-name={file}"]
    path = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    found = Path(path).is_absolute()
    return Finding(package, found, True, path if found else f"no {file}", fix)


def _packages(requirements: str, needed: bool) -> Finding:
    """Are the pinned versions installed?"""
    wrong = []
    for line in (ROOT / requirements).read_text().splitlines():
        name, pinned, version = line.partition("==")
        if not pinned or name.startswith("#"):
            continue
        try:
            installed = metadata.version(name)
        except metadata.PackageNotFoundError:
            installed = "missing"
        if installed != version:
            wrong.append(f"{name} {installed}, not {version}")
    fix = f"{shown(ROOT / '.venv')}/bin/python -m pip install -r {shown(ROOT / requirements)}"
    if not needed:
        fix = "nothing to do: ./takt test installs it"
    return Finding(requirements, not wrong, needed, "; ".join(wrong) or "as pinned", fix)


def _space() -> Finding:
    free = shutil.disk_usage(BUILD if BUILD.exists() else ROOT).free
    fix = f"free some space where {shown(BUILD)} is"
    return Finding("disk space", free > FREE_BYTES, True, f"{free // 1_000_000} MB free", fix)
