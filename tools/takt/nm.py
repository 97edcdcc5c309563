"""What objects and archives define and refer to, by the compiler's nm."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from takt.cmake import Target

REFERRED = frozenset("Uvw")


@dataclass(frozen=True)
class Names:
    defined: frozenset[str]
    referred: frozenset[str]  # defined elsewhere, or nowhere


def names(target: Target, files: Iterable[Path | str]) -> Names:
    """Of all files together: what one of them defines may be referred to by another."""
    command = [target.tool("nm"), *map(str, files)]
    listing = subprocess.run(command, capture_output=True, text=True).stdout
    found = re.findall(r"^[0-9a-f ]+ ([A-Za-z]) (\S+)$", listing, re.MULTILINE)
    defined = frozenset(name for kind, name in found if kind not in REFERRED)
    return Names(defined, frozenset(name for kind, name in found if kind in REFERRED))
