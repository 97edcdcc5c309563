"""A platform for PlatformIO: a manifest, a board for each of ours, and the builder's script."""

from __future__ import annotations

import json
from pathlib import Path

from takt.boards import Board
from takt.package import folder
from takt.paths import ROOT, release

FILES = Path(__file__).parent / "platformio_files"
MANIFEST = "platform.json"
SCRIPTS = ("platform.py", "builder/main.py")
OWN = [MANIFEST, "platform.py", "boards", "builder"]


def create(named: Path | None = None) -> Path:
    """Writes the platform; returns its folder."""
    place = folder.prepared("platformio", named, OWN)
    files = {place / script: (FILES / script).read_text() for script in SCRIPTS}
    files[place / MANIFEST] = _text(_manifest())
    for board in folder.flashed():
        files[place / "boards" / f"{board.name}.json"] = _text(_board(board))
    folder.write(files)
    return place


def _text(value: dict[str, object]) -> str:
    return json.dumps(value, indent=2) + "\n"


def _manifest() -> dict[str, object]:
    arduino = {"title": "Arduino", "description": "Takt's Arduino-compatible API"}
    return {
        "name": "takt",
        "title": "Takt",
        "description": "Real-time loops: each gets its CPU budget C in every period T",
        "version": release(),
        "license": "MIT",
        "engines": {"platformio": "^6"},
        "takt": str(folder.command()),
        "frameworks": {"arduino": arduino},
        "packages": {},
    }


def _board(board: Board) -> dict[str, object]:
    return {
        "name": board.description,
        "vendor": "Takt",
        "url": (ROOT / "board" / board.name).as_uri(),
        "frameworks": ["arduino"],
        "build": {"mcu": board.chip, "f_cpu": f"{board.clock_hz}L", "hwids": board.usb},
        "upload": {
            "maximum_size": board.flash.size,
            "maximum_ram_size": board.ram.size,
            "protocol": "takt",
            "protocols": ["takt"],
        },
    }
