"""What objects and archives define and refer to, by the compiler's nm."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from takt.errors import UserError

REFERRED = frozenset("Uvw")


@dataclass(frozen=True)
class Names:
    defined: frozenset[str]
    referred: frozenset[str]  # defined elsewhere, or nowhere


def names(tool: str, files: Iterable[Path | str]) -> Names:
    """Of all files together: what one of them defines may be referred to by another. Raises
    UserError if the tool fails."""
    done = subprocess.run([tool, *map(str, files)], capture_output=True, text=True)
    if done.returncode:
        said = done.stderr.strip() or f"exit code {done.returncode}"
        raise UserError(f"cannot read what has been compiled: {said.splitlines()[0]}", tool)
    found = re.findall(r"^[0-9a-f ]+ ([A-Za-z]) (\S+)$", done.stdout, re.MULTILINE)
    defined = frozenset(name for kind, name in found if kind not in REFERRED)
    return Names(defined, frozenset(name for kind, name in found if kind in REFERRED))
