"""The kernel with lines changed: a judge that does not notice is none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from kernel_copy import Held, built_with
from takt.paths import ROOT


@dataclass(frozen=True)
class Change:
    """In a file, what matches exactly once becomes another text."""

    file: str
    pattern: str
    text: str


@dataclass(frozen=True)
class Mutant:
    name: str
    changes: tuple[Change, ...]

    def __str__(self) -> str:
        return self.name

    def texts(self) -> dict[str, str]:
        """Of the files that it changes."""
        texts = {change.file: (ROOT / change.file).read_text() for change in self.changes}
        for change in self.changes:
            text, count = re.subn(change.pattern, lambda _, to=change: to.text, texts[change.file])
            assert count == 1, f"{self}: {count} matches of {change.pattern} in {change.file}"
            texts[change.file] = text
        return texts


def built_wrong(mutant: Mutant, folder: Path) -> Held:
    """A context: while it is held what is built has the change."""
    return built_with(mutant.texts(), folder)
