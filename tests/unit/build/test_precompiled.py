"""Arduino.h compiled once (tools/takt/build/precompiled.py)."""

from __future__ import annotations

import os
from pathlib import Path

from takt import boards
from takt.build import build, precompiled
from takt.paths import BUILD


def test_a_sketch_is_compiled_again_when_the_header_was(tmp_path: Path) -> None:
    folder = tmp_path / "sketch"
    folder.mkdir()
    (folder / "sketch.ino").write_text("void setup() {} void loop() {}")
    made = build.build(folder, boards.load("pico"), out=tmp_path / "out").out / "obj" / "sketch.o"
    first = made.stat().st_mtime_ns
    build.build(folder, boards.load("pico"), out=tmp_path / "out")
    assert made.stat().st_mtime_ns == first
    header = BUILD / "pico" / "trace" / "headers" / f"{precompiled.HEADER.name}.gch"
    os.utime(header)
    build.build(folder, boards.load("pico"), out=tmp_path / "out")
    assert made.stat().st_mtime_ns > first
