"""The sources of this repository keep their own rules."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from takt.paths import ROOT


@pytest.mark.parametrize("check", [["check"], ["format", "--check"]], ids=["lint", "format"])
def test_ruff(check: list[str]) -> None:
    command = [sys.executable, "-m", "ruff", *check, "--no-cache", "."]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_modules_are_short() -> None:
    long = {
        path.name: lines
        for path in (ROOT / "tools" / "takt").rglob("*.py")
        if (lines := len(path.read_text().splitlines())) > 300
    }
    assert not long


FOLDERS = (
    "kernel", "admission", "include/takt", "port", "drivers", "arduino", "libraries", "board",
)  # fmt: skip
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
PERSONS = re.compile(r"(?<![`*>])\b([Ww]ho(m|ever)?|([Nn]o|[Ss]ome|[Aa]ny|[Ee]very)body)\b")


@pytest.mark.parametrize("folder", FOLDERS)
def test_lines_of_c_are_short_and_comments_name_what_acts(folder: str) -> None:
    kinds = (".c", ".cpp", ".h", ".S")
    files = [path for path in sorted((ROOT / folder).rglob("*")) if path.suffix in kinds]
    wrong = []
    for path in files:
        text = path.read_text(encoding="utf-8")
        lines = () if path.name == "vectors.S" else text.splitlines()
        wrong += [f"{path}: {line}" for line in lines if len(line) > 100]
        wrong += [f"{path}: {one}" for one in COMMENT.findall(text) if PERSONS.search(one)]
    assert files and not wrong


def test_no_two_headers_have_the_same_guard() -> None:
    """But those of one name, of which a program includes its board's or port's."""
    of: dict[str, set[str]] = {}
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.h"):
            if guard := re.search(r"^#ifndef (\w+)\n#define \1$", path.read_text(), re.MULTILINE):
                of.setdefault(guard[1], set()).add(path.name)
    assert len(of) > 100
    assert not {guard: names for guard, names in of.items() if len(names) > 1}


def test_the_figures_of_the_kernel_are_true() -> None:
    """Those of docs/architecture.md that are counted by nothing else."""
    rooms = {room: _files_of(room) for room in ("kernel", "admission")}
    lines = {room: sum(_lines(one) for one in files) for room, files in rooms.items()}
    text = (ROOT / "docs/architecture.md").read_text()
    assert f"`kernel/` ({len(rooms['kernel'])} files, {lines['kernel']} lines)" in text
    assert re.search(rf"^\| files \| 69 \| {sum(map(len, rooms.values()))} \|$", text, re.M)
    assert re.search(rf"^\| lines, all \| 9336 \| {sum(lines.values())} \|$", text, re.M)


def _files_of(room: str) -> list[Path]:
    return [one for one in (ROOT / room).rglob("*") if one.suffix in (".c", ".h", ".S")]


def _lines(file: Path) -> int:
    return file.read_text().count("\n")
