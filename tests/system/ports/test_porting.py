"""docs/porting.md is true."""

from __future__ import annotations

import re
import subprocess
import sys

import port_sizes
from takt import boards

TEXT = port_sizes.DOCUMENT.read_text()


def test_sizes_are_as_counted() -> None:
    found = port_sizes.TABLES.search(TEXT)
    assert found and found[0] == port_sizes.tables(), "run tests/system/ports/port_sizes.py"


def test_every_function_of_the_interface_is_described() -> None:
    header = port_sizes.COMMENT.sub("", (port_sizes.ROOT / "include/takt/port.h").read_text())
    wanted = set(re.findall(r"\b(port_(?!irq_t\b|inline)\w+)(?=\(| port_)", header))
    assert len(wanted) >= 12
    assert sorted(name for name in wanted if f"`{name}(" not in TEXT) == []


def test_every_file_it_names_is_there() -> None:
    named = set(re.findall(r"`((?:\w[\w-]*/)+[\w.-]+)`", TEXT))
    assert len(named) > 10
    assert sorted(n for n in named if not (port_sizes.ROOT / n).exists()) == []


def test_every_program_of_the_order_of_work_is_found_by_its_command() -> None:
    folder = port_sizes.ROOT / "tests/system"
    command = re.search(r"`\.venv/bin/python (-m pytest .*) -k \"NAME and BOARD\"`", TEXT)
    assert command
    run = [sys.executable, *command[1].split(), "--collect-only", "-q"]
    found = subprocess.run(run, cwd=port_sizes.ROOT, capture_output=True, text=True, check=True)
    names = ("basics", "every_instruction", "nothing_is_disturbed", "mistakes")
    for name in (*names, "sketches"):
        assert f"`{name}`" in TEXT and re.search(rf"{name}.*\[.*microbit", found.stdout), name
    assert "MAIN_RETURNS" in (folder / "qemu/mistakes.c").read_text()


def test_every_board_is_in_the_readme() -> None:
    readme = (port_sizes.ROOT / "README.md").read_text()
    rows = "\n".join(line for line in readme.splitlines() if line.startswith("| "))
    assert [name for name in boards.names() if f"`{name}`" not in rows] == []
