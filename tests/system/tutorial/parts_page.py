"""docs/parts.md: its files are made and changed, its commands given, in the order of the page.

.venv/bin/python tests/system/tutorial/parts_page.py      writes anew what its commands say
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from tutorial import ROOT, followed, given

PAGE = ROOT / "docs" / "parts.md"


def made(text: str, folder: Path) -> str:
    """The page, with what its commands say in a folder."""
    return followed(text, folder, lambda command: given(command, folder)[1])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        PAGE.write_text(made(PAGE.read_text(), Path(folder)))
