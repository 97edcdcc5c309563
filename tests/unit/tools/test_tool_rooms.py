"""Which room of tools/takt imports which others: arrows go down only (docs/architecture.md)."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from takt.paths import ROOT

TAKT = ROOT / "tools" / "takt"
ROW = re.compile(r"^\| (\w+) \| [^|]+ \| ([\w, ]*)\|$", re.MULTILINE)
MOST = 25  # modules in one folder
BESIDE = 8


def table() -> dict[str, set[str]]:
    """What the rooms import, by the document, the highest room first."""
    text = (ROOT / "docs/architecture.md").read_text()
    _, _, section = text.partition("## Rooms of the tools\n")
    rows = ROW.findall(section.partition("\n## ")[0].partition("|---|")[2])
    return {room: set(names.replace(",", " ").split()) for room, names in rows}


SAID = table()
ROOMS = list(SAID)


def imported(file: Path) -> set[str]:
    """Modules and packages of takt, wherever in the file it imports them."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name.split(".")[1] for name in found if name.startswith("takt.")}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_what_the_table_says(room: str) -> None:
    files = list((TAKT / room).rglob("*.py"))
    assert {to for file in files for to in imported(file)} & set(ROOMS) - {room} == SAID[room]


@pytest.mark.parametrize("room", ROOMS)
def test_arrows_go_down(room: str) -> None:
    assert SAID[room] <= set(ROOMS[ROOMS.index(room) + 1 :])


def test_the_table_has_every_room() -> None:
    assert {path.parent.relative_to(TAKT).parts[0] for path in TAKT.glob("*/**/*.py")} == set(ROOMS)


def test_what_lies_beside_the_rooms_is_little_and_imports_none() -> None:
    beside = [file for file in TAKT.glob("*.py") if file.stem != "__main__"]
    assert len(beside) < BESIDE
    assert not {to for file in beside for to in imported(file)} & set(ROOMS)


def test_rooms_are_small() -> None:
    folders = [path.parent for path in TAKT.rglob("__init__.py")]
    modules = {folder: len(list(folder.glob("*.py"))) - 1 for folder in folders}
    assert max(modules.values()) <= MOST
