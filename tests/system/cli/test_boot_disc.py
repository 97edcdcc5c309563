"""The disc that `takt build --iso` makes: a PC (QEMU's BIOS) boots it, and the program runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pc_console import said_by
from takt.cli import doctor

SKETCH = """
void setup() { Serial.begin(115200); }
int turns;
void loop() { Serial.println(turns++); delay(100); }  // how late is not for this machine to say
"""


@pytest.mark.skipif(not doctor.ON_PC, reason="the compiler here is not a PC's")
def test_a_pc_boots_the_disc(takt: Callable, write: Callable) -> None:
    folder = write("ticks", SKETCH)
    ran = takt("build", folder, "--board", "pc", "--iso", "--json")
    assert ran.code == 0, ran.err
    iso = Path(ran.json["files"]["iso"])
    lines = said_by("-cdrom", str(iso), end="\n5\r\n").splitlines()
    assert lines[-6:] == ["0", "1", "2", "3", "4", "5"]
    for command in ("check", "build"):
        assert takt(command, folder, "--board", "pc").code == 0 and iso.exists(), command
    (folder / "ticks.ino").write_text(SKETCH.replace("100", "200"))
    ran = takt("build", folder, "--board", "pc", "--json")  # the disc would be of another program
    assert ran.code == 0 and not iso.exists() and "iso" not in ran.json["files"]


def test_other_boards_boot_from_no_disc(takt: Callable, write: Callable) -> None:
    ran = takt("build", write("ticks", SKETCH), "--board", "pico", "--iso")
    assert ran.code == 2
    assert ran.err == "error: --iso: pico boots from no disc\n  fix: choose --board pc\n"
