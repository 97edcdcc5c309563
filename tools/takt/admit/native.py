"""C of the tree as a shared library of this machine, compiled when it has changed, for cffi."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from takt.errors import UserError
from takt.paths import ROOT, shown


def declarations(header: str) -> str:
    """The C declarations of a header, as cffi wants them: no comments, no directives."""
    text = re.sub(r"/\*.*?\*/|#ifdef __cplusplus.*?#endif", "", header, flags=re.DOTALL)
    text = text.replace("\\\n", " ")
    return "\n".join(line for line in text.splitlines() if not line.startswith("#"))


@dataclass(frozen=True)
class Native:
    """A library: what it is called in messages, where it lies, of what it is made."""

    what: str
    library: Path
    sources: Sequence[Path]
    headers: Sequence[Path]
    includes: Sequence[Path] = (ROOT / "include",)

    def current(self) -> Path:
        """The library, compiled anew if anything has changed."""
        if self._stale():
            self._compile()
        return self.library

    def _stale(self) -> bool:
        if not self.library.exists():
            return True
        built = self.library.stat().st_mtime
        return any(one.stat().st_mtime > built for one in (*self.sources, *self.headers))

    def _compile(self) -> None:
        self.library.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self.library.parent, suffix=".so")
        os.close(handle)
        command = ["cc", "-std=c11", "-O2", "-shared", "-fPIC"]
        command += [*(f"-I{folder}" for folder in self.includes), *map(str, self.sources)]
        try:
            subprocess.run([*command, "-o", name], check=True, capture_output=True, text=True)
            os.replace(name, self.library)
        except (OSError, subprocess.CalledProcessError) as error:
            Path(name).unlink(missing_ok=True)
            detail = getattr(error, "stderr", None) or str(error)
            raise UserError(
                f"{self.what} does not compile: {detail.strip()}",
                where=shown(self.sources[0]),
                fix="install a C compiler for this machine (Debian: apt-get install gcc)",
            ) from error
