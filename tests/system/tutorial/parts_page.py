"""docs/parts.md: its files are made and changed, its commands given, in the order of the page.

.venv/bin/python tests/system/tutorial/parts_page.py      writes anew what its commands say
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from tutorial import BLOCK, ROOT, Block, changed, said_anew

PAGE = ROOT / "docs" / "parts.md"


def followed(text: str, folder: Path) -> str:
    """The page, with what its commands say in a folder."""
    done: list[str] = []
    for found in BLOCK.finditer(text):
        block = Block(*found.groups())
        file = folder / block.file
        if block.kind == "console":
            done.append(said_anew(found[0], lambda command: said(command, folder)))
        elif block.kind == "diff":
            file.write_text(changed(file.read_text(), block.text))
        else:
            assert block.file, f"no file is named: {block.text}"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text)
    return BLOCK.sub(lambda found: done.pop(0) if found[1] == "console" else found[0], text)


def said(command: str, folder: Path) -> str:
    """All that a command says, given in a folder."""
    whole = command.replace("./takt", str(ROOT / "takt"))
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.run(whole, shell=True, text=True, cwd=folder, check=False, **both).stdout


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        PAGE.write_text(followed(PAGE.read_text(), Path(made)))
