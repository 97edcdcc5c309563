"""The package says what it needs: pyproject.toml beside the imports of the tools."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib import metadata

from takt.paths import ROOT

NOT_RUN_HERE = {"SCons", "platformio"}  # tools/takt/package: scripts that PlatformIO runs
IN_THE_REPOSITORY = {"pytest"}  # takt test


def imported() -> set[str]:
    """The outermost modules that tools/takt imports, wherever in a file."""
    found: set[str] = set()
    for file in (ROOT / "tools" / "takt").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom):
                found.add(str(node.module).partition(".")[0])
            elif isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
    return found - set(sys.stdlib_module_names) - NOT_RUN_HERE - IN_THE_REPOSITORY - {"takt"}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_what_is_imported_is_a_dependency() -> None:
    said = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    dependencies = {normal(re.split(r"[<>=]", one)[0]) for one in said}
    provided = metadata.packages_distributions()
    needed = {normal(provided[module][0]) for module in imported()}
    assert needed == dependencies
