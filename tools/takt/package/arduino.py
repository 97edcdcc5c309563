"""A hardware package for Arduino's IDE, arduino-cli and arduino-builder: a platform `takt:takt`
with a board for each of ours, and an index for a local board manager."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from pathlib import Path

from takt.boards import Board
from takt.build import cmake
from takt.build.compile import Compiler
from takt.build.sketch import Sketch
from takt.package import folder
from takt.paths import BUILD, ROOT, release

FILES = Path(__file__).parent / "arduino_files"
INDEX = "package_takt_index.json"
PLATFORM = Path("hardware") / "takt" / "takt"
LIBRARIES = ROOT / "libraries"
OWN = [INDEX, "hardware/takt", "takt-*.tar.bz2"]
NOTE = "// Takt's own is found instead when a sketch is built: {}\n#include_next <{}>\n"


def create(named: Path | None = None) -> Path:
    """Writes the package; returns its folder."""
    place = folder.prepared("arduino", named, OWN)
    found = folder.flashed()
    files = platform(found)
    folder.write({place / PLATFORM / path: text for path, text in files.items()})
    archive = _archive(place / PLATFORM)
    name = f"takt-{release()}.tar.bz2"
    (place / name).write_bytes(archive)
    folder.write({place / INDEX: json.dumps(_index(place / name, archive, found), indent=2) + "\n"})
    return place


def platform(found: list[Board]) -> dict[Path, str]:
    """The files of the platform."""
    text, place = (FILES / "platform.txt").read_text(), folder.command().parent
    header = "Arduino.h", "pins_arduino.h"
    files = {
        Path("platform.txt"): text.replace("@VERSION@", release()).replace("@TAKT@", str(place)),
        Path("boards.txt"): "\n".join(map(_board, found)),
        Path("tools/takt-recipe"): (FILES / "takt-recipe").read_text(),
        Path("cores/takt") / header[0]: NOTE.format(ROOT / "arduino", header[0]),
    }
    for board in found:
        path = Path("variants") / board.name / header[1]
        files[path] = NOTE.format(ROOT / "board" / board.name, header[1])
    sources = (path for path in LIBRARIES.rglob("*") if path.is_file())
    return files | {Path("libraries") / f.relative_to(LIBRARIES): f.read_text() for f in sources}


def preprocessor(board: Board) -> list[str]:
    """By what Arduino's tools look for the libraries of a sketch."""
    target = cmake.target_libraries(board.name, "plain")
    compiler = Compiler(target, board, "plain", Sketch("", ROOT, [], []), BUILD, [])
    return [*compiler.command(".cpp"), *(f"-I{place}" for place in target.includes)]


def _board(board: Board) -> str:
    values = {
        "name": f"{board.description}: Takt",
        "takt.board": board.name,
        "takt.image": "uf2" if "uf2" in board.raw.get("images", {}) else "hex",
        "build.board": f"TAKT_{board.name.upper().replace('-', '_')}",
        "build.core": "takt",
        "build.variant": board.name,
        "build.mcu": board.chip,
        "build.f_cpu": f"{board.clock_hz}L",
        "upload.tool": "takt",
        "upload.protocol": "takt",
        "upload.maximum_size": board.flash.size,
        "upload.maximum_data_size": board.ram.size,
    }
    for number, (vendor, product) in enumerate(board.usb):
        values |= {f"vid.{number}": vendor, f"pid.{number}": product}
    return "".join(f"{board.name}.{key}={value}\n" for key, value in values.items())


def _archive(place: Path) -> bytes:
    """The platform as one file, the same whenever it is made."""
    made, root = io.BytesIO(), f"takt-{release()}"
    with tarfile.open(fileobj=made, mode="w:bz2") as tar:
        for path in sorted(place.rglob("*")):
            about = tar.gettarinfo(path, f"{root}/{path.relative_to(place)}")
            about.mtime = about.uid = about.gid = 0
            about.uname = about.gname = ""
            tar.addfile(about, io.BytesIO(path.read_bytes()) if path.is_file() else None)
    return made.getvalue()


def _index(path: Path, archive: bytes, found: list[Board]) -> dict[str, object]:
    """What a board manager reads."""
    version = {
        "name": "Takt",
        "architecture": "takt",
        "version": release(),
        "category": "Contributed",
        "help": {"online": ""},
        "url": path.as_uri(),
        "archiveFileName": path.name,
        "checksum": f"SHA-256:{hashlib.sha256(archive).hexdigest()}",
        "size": str(len(archive)),
        "boards": [{"name": board.description} for board in found],
        "toolsDependencies": [],
    }
    about = {"name": "takt", "maintainer": "Takt", "websiteURL": "", "email": ""}
    package = {**about, "help": {"online": ""}, "platforms": [version], "tools": []}
    return {"packages": [package]}
