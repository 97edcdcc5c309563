"""Every system test runs on all boards, or everywhere.py says why not."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from everywhere import BOARDS, LESS
from takt.paths import ROOT

SYSTEM = Path(__file__).parents[1]
FOLDERS = {path.parent.name for path in SYSTEM.glob("*/test_*.py")} - {Path(__file__).parent.name}
WHOLE = {entry.rstrip("/") for entry in LESS if entry.endswith("/")}
NODE = re.compile(r"^tests/system/(\S+::\w+)(\[.*\])?$", re.MULTILINE)


def collected(folder: str) -> str:
    """Names of a folder's tests, with parameters."""
    command = [sys.executable, "-m", "pytest", str(SYSTEM / folder), "--collect-only", "-q"]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider"], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 0, done.stdout[-2000:]
    return done.stdout


def boards_of_tests() -> dict[str, set[str]]:
    """folder/file::function -> the boards among its parameters."""
    found: dict[str, set[str]] = defaultdict(set)
    with ThreadPoolExecutor(2) as pool:
        for name, parameters in NODE.findall(
            "\n".join(pool.map(collected, sorted(FOLDERS - WHOLE)))
        ):
            found[name] |= {b for b in BOARDS if re.search(rf"[\[-]{b}(?!-4k)[\]-]", parameters)}
    return found


def test_on_all_boards_or_named() -> None:
    assert WHOLE <= FOLDERS, "these are not there"
    found = boards_of_tests()
    assert len(found) > 80
    less = {name for name, boards in found.items() if boards != set(BOARDS)}
    named = {name: entry for name in less for entry in LESS if name.startswith(entry)}
    assert sorted(less - named.keys()) == [], "these say nowhere why not"
    assert {e for e in LESS if not e.endswith("/")} == set(named.values()), (
        "these run on all boards"
    )
