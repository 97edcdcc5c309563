"""How what is missing here is installed: packages are known by their Debian names, which are those
of Ubuntu, too; fedora.txt has Fedora's."""

from __future__ import annotations

import shutil
from pathlib import Path

FEDORA = Path(__file__).parent / "fedora.txt"


def command(packages: str) -> str:
    """That installs them, names with spaces between."""
    if shutil.which("apt-get") or not shutil.which("dnf"):
        return f"apt-get install {packages}"
    lines = FEDORA.read_text(encoding="utf-8").splitlines()
    known = dict(line.split(maxsplit=1) for line in lines if line and not line.startswith("#"))
    found = (known.get(package, package) for package in packages.split())
    return f"dnf install {' '.join(found)}"
