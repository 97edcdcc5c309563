"""Numbers that the kernel's headers define."""

from __future__ import annotations

import functools
import re

from takt.paths import ROOT

FOLDER = ROOT / "include/takt"


@functools.cache
def constant(header: str, name: str) -> int:
    """The value of a plain `#define` of a number in a kernel header."""
    text = (FOLDER / header).read_text(encoding="utf-8")
    found = re.search(rf"^ *#define {name} (\w+?)u?$", text, flags=re.MULTILINE)
    if not found:
        raise LookupError(f"{header} does not define {name} as a number")
    return int(found[1], 0)
