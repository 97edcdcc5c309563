"""Arduino.h, compiled once for a board: with the C++ library that it includes, it takes most of the
time of compiling a sketch.

The compiler takes Arduino.h.gch instead of the header beside it where nothing is written before the
#include; otherwise it reads that one, which names Takt's.
"""

from __future__ import annotations

import fcntl
from pathlib import Path

from takt.build import ninja
from takt.paths import ROOT

HEADER = ROOT / "arduino" / "Arduino.h"
WITHOUT = ("avr",)  # cores whose compiler has no C++ library: reading the header is as fast


def header(libraries: Path, core: str, command: list[str]) -> list[Path]:
    """The file, up to date, to whose folder the compiler is sent; none where it is of no use.
    libraries: folder of those that sketches of its kind link with; command: of a sketch's main
    file, with Takt's include folders and all macros, as the compiler leaves it aside where others
    are defined."""
    if core in WITHOUT:
        return []
    place = libraries / "headers"
    place.mkdir(parents=True, exist_ok=True)
    named, made = place / HEADER.name, place / f"{HEADER.name}.gch"
    file, dep = ninja.NinjaFile(), f"{made}.d"
    how = [*command, "-w", "-MD", "-MF", dep, "-x", "c++-header", str(named), "-o", str(made)]
    file.add(made, [named], how, HEADER.name, dep)
    with open(place / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ninja.write_if_changed(named, f'#include "{HEADER}"\n')
        file.write(place / "build.ninja")
        ok, _ = ninja.run(place, [made], None)
    return [made] if ok else []  # where it does not compile, the sketch will say why
