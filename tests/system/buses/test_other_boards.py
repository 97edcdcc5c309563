"""Programs pay for the libraries they use, and a board without a bus says so."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from takt import boards
from takt.build.build import build
from takt.errors import UserError


def folder(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "probe"
    path.mkdir()
    (path / "probe.ino").write_text(text)
    return path


@pytest.mark.parametrize(("library", "bus"), [("Wire", "I2C"), ("SPI", "SPI")])
def test_a_board_without_the_bus_says_so(library: str, bus: str, tmp_path: Path) -> None:
    sketch = folder(tmp_path, f"#include <{library}.h>\nvoid setup() {{}}\nvoid loop() {{}}\n")
    with pytest.raises(UserError, match=f"this board has no driver for {bus}"):
        build(sketch, boards.load("sim"), out=tmp_path / "out")


def test_who_does_not_use_a_bus_does_not_link_it(tmp_path: Path) -> None:
    sketch = folder(tmp_path, "void setup() { Serial.begin(9600); }\nvoid loop() {}\n")
    built = build(sketch, boards.load("pico"), out=tmp_path / "out")
    names = subprocess.run(
        ["arm-none-eabi-nm", built.elf], capture_output=True, text=True, check=True
    ).stdout
    linked = [line for line in names.splitlines() if "i2c_" in line or "spi_" in line.lower()]
    marks = (" A takt_", " __takt_")  # of linked.ld
    assert [line for line in linked if not any(mark in line for mark in marks)] == []
