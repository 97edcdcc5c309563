"""Builds a sketch of this folder and runs it with devices on its buses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from takt import boards
from takt.build.build import Build, build
from takt.cli.run import Result
from takt.cli.run import _Session as Session
from takt.world import world

HERE = Path(__file__).resolve().parent
BOARDS = ("pico", "stm32f051")
EVERY = pytest.mark.parametrize("board", (*BOARDS, "uno"), indirect=True, scope="session")


class Run:
    """A sketch under way; times in seconds."""

    def __init__(self, built: Build, i2c: dict[int, Any], spi: dict[int, Any]) -> None:
        self.session = Session(built, world.load(built.sketch.folder, built.board))
        self.machine = self.session.machine
        for address, device in i2c.items():
            self.machine.i2c_device(0, address, device)
        for pin, device in spi.items():
            self.machine.spi_device(0, self.chip(pin), device)

    def chip(self, pin: int) -> int:
        """The chip's number of a pin."""
        return self.session.world.chip[pin]

    def to(self, seconds: float) -> Run:
        self.session.go(seconds, None)
        self.seconds = seconds
        assert self.machine.unimplemented() == []
        return self

    @property
    def text(self) -> str:
        return self.session.bench.text().replace("\r\n", "\n")

    def values(self, name: str) -> list[int]:
        """Numbers of the lines NAME=NUMBER; the last may be under way."""
        lines = (line.partition("=") for line in self.text.split("\n")[:-1])
        return [int(value) for key, _, value in lines if key == name]

    def result(self) -> Result:
        return self.session.result(self.seconds)


@pytest.fixture(scope="session", params=BOARDS)
def board(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="session")
def built(board: str, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Build]:
    """A sketch of this folder for a board, each once."""
    known: dict[str, Build] = {}
    folder = tmp_path_factory.mktemp("buses")

    def once(name: str) -> Build:
        if name not in known:
            known[name] = build(HERE / name, boards.load(board), out=folder / name)
        return known[name]

    return once


@pytest.fixture(scope="session")
def run(built: Callable[[str], Build]) -> Callable[..., Run]:
    """run(sketch, i2c={address: device}, spi={pin: device}) -> the sketch at its beginning."""
    return lambda name, i2c=None, spi=None: Run(built(name), i2c or {}, spi or {})
