"""takt flash: what avrdude is asked for, and what is said where there is no board."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from takt import boards
from takt.build import flashing

AVRDUDE = """#!/bin/sh
echo "$@" >{log}
for word; do image=$word; done
cp "$(echo "$image" | cut -d: -f3)" {log}.hex
exit {code}
"""


@pytest.fixture
def avrdude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Path]:
    """An avrdude that writes down what it is asked for, and its port."""

    def made(code: int) -> Path:
        program, log = tmp_path / "avrdude", tmp_path / "log"
        program.write_text(AVRDUDE.format(log=log, code=code))
        program.chmod(program.stat().st_mode | stat.S_IEXEC)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        (tmp_path / "ttyACM0").touch()
        return log

    return made


def test_a_sketch_reaches_the_uno(takt: Callable, avrdude: Callable, tmp_path: Path) -> None:
    log, port = avrdude(0), tmp_path / "ttyACM0"
    ran = takt("flash", "examples/blink", "--board", "uno", "--port", str(port), "--json")
    assert ran.code == 0 and ran.json["port"] == str(port)
    words = log.read_text().split()
    asked = dict(zip(words[::2], words[1::2], strict=False))
    assert asked["-p"] == "m328p" and asked["-c"] == "arduino" and asked["-P"] == str(port)
    assert words[-1].startswith("flash:w:") and words[-1].endswith("blink.hex:i")
    first = log.with_name("log.hex").read_text().splitlines()[0]
    assert first.startswith(":02000004") or first.startswith(":10000000")


def test_a_board_that_does_not_answer(avrdude: Callable, tmp_path: Path) -> None:
    avrdude(1)
    way = flashing.way(boards.load("uno"), str(tmp_path / "ttyACM0"))
    with pytest.raises(Exception, match="could not write to m328p"):
        way.write(tmp_path / "log")


def test_no_board(takt: Callable) -> None:
    ran = takt("flash", "examples/blink", "--board", "uno", "--port", "/dev/nothing-here")
    assert ran.code != 0 and "there is no /dev/nothing-here" in ran.err
    ran = takt("flash", "examples/blink", "--board", "pico")
    assert ran.code != 0 and "knows no way to pico" in ran.err


def test_an_image_reaches_the_uno(takt: Callable, avrdude: Callable, tmp_path: Path) -> None:
    log, port, image = avrdude(0), tmp_path / "ttyACM0", tmp_path / "made.hex"
    image.write_text(":00000001FF\n")
    ran = takt("flash", image, "--board", "uno", "--port", port)
    assert ran.code == 0 and f"made.hex in the flash of the board at {port}" in ran.out
    assert log.read_text().split()[-1] == f"flash:w:{image}:i"
    ran = takt("flash", tmp_path / "other.hex", "--board", "uno", "--port", port)
    assert ran.code == 2 and "other.hex: no such image" in ran.err
