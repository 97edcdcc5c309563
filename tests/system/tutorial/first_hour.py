"""docs/first-hour: what its page shows of sketches, worlds, commands and pictures.

.venv/bin/python tests/system/tutorial/first_hour.py      writes them anew

A picture is that of the run before it. No board is needed: desk/avrdude is in place of one.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from tutorial import ROOT, given, keep, parts, picture, shown, tried

HOME = ROOT / "docs" / "first-hour"
PAGE = HOME / "README.md"
DESK = Path(__file__).parent / "desk"
PORT, ITS_STAND_IN = "/dev/ttyACM0", "/dev/null"
REFUSED = "but its deadline is"
PICTURE = re.compile(r"^!\[[^]]+\]\((\S+\.png)\)$", re.MULTILINE)


def said(command: str) -> str:
    """What a command says on a terminal of 80 columns; it fails if it refuses."""
    whole = command.replace(PORT, ITS_STAND_IN)
    code, text = given(whole, COLUMNS="80", PATH=f"{DESK}:{os.environ['PATH']}")
    assert code == (1 if REFUSED in text else 0), f"{command}\n{text}"
    return text.replace(ITS_STAND_IN, PORT)


def followed(part: str, folder: Path) -> tuple[str, dict[Path, Path]]:
    """A part of the page as it is to be, and which picture of its run is shown as which."""
    runs: list[str] = []

    def remember(command: str) -> str:
        text = said(command)
        runs.extend([text] if command.startswith("./takt run") else [])
        return text

    text = tried(shown(part, HOME), folder, HOME, remember)
    return text, {HOME / name: picture(runs[0]) for name in PICTURE.findall(part)}


if __name__ == "__main__":
    for _, part in parts(PAGE):
        with tempfile.TemporaryDirectory() as folder:
            anew, pictures = followed(part, Path(folder) / "first-hour")
            PAGE.write_text(PAGE.read_text().replace(part, anew))
            for shown_as, made in pictures.items():
                keep(made, shown_as)
