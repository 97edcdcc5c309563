"""Files and lines of code in a sketch, by the compiler's addr2line."""

from __future__ import annotations

import subprocess
from pathlib import Path

from takt.code.source_names import TAKT, SourceNames
from takt.paths import shown


class Lines:
    """Of a linked program. addr2line: the tool; names: of folders in the program."""

    def __init__(self, program: Path, addr2line: str, names: SourceNames) -> None:
        self._command, self._names = [addr2line, "-i", "-e", str(program)], names

    def where(self, at: int) -> str:
        """File and line in the sketch, of what is inlined there where it was called."""
        said = subprocess.run([*self._command, hex(at)], capture_output=True, text=True).stdout
        lines = [line.partition(" (")[0] for line in said.split("\n")]
        lines = [line for line in lines if line and not line.startswith("?")]
        ours = tuple(f"{TAKT}/{folder}/" for folder in ("arduino", "include", "port"))
        own = next((line for line in lines if not line.startswith(ours)), "")
        file, _, number = (own or (lines or [hex(at)])[0]).rpartition(":")
        return f"{shown(self._names.file(file))}:{number}" if file else number
