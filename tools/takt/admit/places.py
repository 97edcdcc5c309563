"""Where loops, pipes and adapters stand in the files of a sketch."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from takt.paths import shown

Where = Callable[[str], str]  # what a thread or pipe is called -> file and line
NAMES = (  # what it is called, and how it is defined
    (re.compile(r"(loop|periodic|task|pipe) (\w+)"), r"(?:{0}|TAKT_{1})\s*\(\s*{2}\s*,"),
    (re.compile(r"(watchdog)()"), r"(?:{0}|TAKT_{1})\s*\({2}"),
    (re.compile(r"(can)_(\w+)_rx"), r"canAdapter\s*\(\s*{2}\s*,"),
    (re.compile(r"(can)_(\w+)_tx"), r"canSender\s*\(\s*{2}\s*,"),
)


def places(files: Iterable[Path]) -> Where:
    """The first file, if it is not seen."""
    known = list(files)

    def where(name: str) -> str:
        written = _definition(name)
        for file in known if written else []:
            text = file.read_text(encoding="utf-8", errors="replace")
            if found := re.search(rf"\b{written}", text):
                return f"{shown(file)}:{text.count(chr(10), 0, found.start()) + 1}"
        return shown(known[0])

    return where


def _definition(name: str) -> str:
    for called, defined in NAMES:
        if found := called.fullmatch(name):
            return defined.format(found[1], found[1].upper(), re.escape(found[2]))
    return ""
