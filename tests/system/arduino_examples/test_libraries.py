"""Arduino's own examples for Wire, SPI and Servo, unmodified, each with the device it is for."""

from __future__ import annotations

from pathlib import Path

import package
import pytest
from library_sketches import EXCLUDED, SKETCHES
from takt import boards
from takt.build.build import build
from takt.cli.run import _Session as Session
from takt.errors import UserError
from takt.world import world


class Barometer:
    """An SCP1000: a register number in the upper six bits of a byte, then its 8 or 16 bits."""

    REGISTERS = {0x21: 0x0200, 0x1F: 0x0100, 0x20: 0x8C00}

    def __init__(self) -> None:
        self.written: list[tuple[int, int]] = []

    def select(self) -> None:
        self.register = -1

    def transfer(self, byte: int, bits: int) -> int:
        if self.register < 0:
            self.register, self.writes = byte >> 2, bool(byte & 2)
            self.left = self.REGISTERS.get(self.register, 0)
            return 0
        if self.writes:
            self.written.append((self.register, byte))
        answer, self.left = self.left >> 8, self.left << 8 & 0xFFFF
        return answer

    def deselect(self) -> None:
        pass


@pytest.fixture(scope="module")
def folders() -> dict[str, Path]:
    return package.library_sketches()


def test_every_sketch_is_listed(folders) -> None:
    assert folders.keys() == SKETCHES.keys() | EXCLUDED.keys()


def start(folder: Path, tmp_path: Path, text: str) -> Session:
    board = boards.load("pico")
    (tmp_path / "world.toml").write_text(text)
    return Session(build(folder, board, out=tmp_path / "out"), world.load(tmp_path, board))


@pytest.mark.parametrize("name", SKETCHES)
def test_runs(name: str, folders, tmp_path: Path) -> None:
    wired = SKETCHES[name]
    session = start(folders[name], tmp_path, wired.world)
    barometer = Barometer()
    if name == "SPI/BarometricPressureSensor":
        session.machine.spi_device(0, 7, barometer)
    session.go(wired.seconds, None)
    result = session.result(wired.seconds)
    said = result.serial.replace("\r\n", "\n")
    assert [text for text in wired.serial if text not in said] == [], said
    for part, wanted in wired.parts.items():
        seen = result.world[part]
        assert {key: seen[key] for key in wanted} == wanted, seen
    if name == "SPI/BarometricPressureSensor":
        assert barometer.written[:4] == [(2, 0x2D), (1, 3), (3, 2), (3, 0xA)]
    assert [thread["misses"] for thread in result.threads()] == [0] * len(result.threads())
    assert session.machine.unimplemented() == []


@pytest.mark.parametrize("name", EXCLUDED)
def test_what_is_excluded_says_why(name: str, folders, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=EXCLUDED[name]):
        build(folders[name], boards.load("pico"), out=tmp_path)
