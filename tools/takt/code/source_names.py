"""What folders are called in programs, so that a program is the same wherever they lie."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from takt.paths import ROOT, shown

TAKT = "/takt"  # as cmake/target.cmake calls ROOT


@dataclass(frozen=True)
class SourceNames:
    """Names of folders; one within another has its own."""

    of: tuple[tuple[Path, str], ...]
    renaming: list[str]  # the compiler's options

    def flags(self) -> list[str]:
        """For the compiler, which takes the last that fits, and cannot have = in a folder."""
        deeper = sorted(self.of, key=lambda one: len(one[0].parts))
        named = [f"{folder}={name}" for folder, name in deeper if "=" not in str(folder)]
        return [f"{option}={one}" for option in self.renaming for one in named]

    def file(self, name: str) -> Path:
        """The file that a program calls so."""
        for folder, called in self.of:
            if name.startswith(f"{called}/"):
                return folder / name.removeprefix(f"{called}/")
        return Path(name)

    def told(self, text: str) -> str:
        """What a linker says, with files as the user calls them."""
        called = {name: shown(folder) for folder, name in self.of}
        longest = sorted(called, key=len, reverse=True)
        begins = rf"(?<![\w./-])({'|'.join(map(re.escape, longest))})(?=/)"
        return re.sub(begins, lambda found: called[found[0]], text)


def names(
    renaming: list[str], sketch: Path, out: Path, libraries: Iterable[tuple[str, Path]]
) -> SourceNames:
    """Of a sketch's folder, of its outputs, of Takt, and of the libraries the sketch uses."""
    own = [(sketch, "/sketch"), (out, "/out"), (ROOT, TAKT)]
    own += [(folder, f"/library/{name}") for name, folder in libraries]
    return SourceNames(tuple(own), renaming)
