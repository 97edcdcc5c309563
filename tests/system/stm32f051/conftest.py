"""Runs sketches given as text on the stm32f051 and looks at their variables."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from takt import boards
from takt.build.build import Build, build
from takt.cli.run import Result
from takt.cli.run import _Session as Session
from takt.world import world


class Ran:
    """A sketch after a time; `to` goes on."""

    def __init__(self, built: Build) -> None:
        self.built = built
        self.session = Session(built, world.load(built.sketch.folder, built.board))
        self.machine = self.session.machine

    def to(self, seconds: float) -> Ran:
        self.session.go(seconds, None)
        self.seconds = seconds
        assert self.machine.unimplemented() == []
        return self

    def chip(self, pin: int) -> int:
        """The chip's number of a pin."""
        return self.session.world.chip[pin]

    def drive(self, pin: int, level: int | None) -> None:
        self.machine.pin_drive(self.chip(pin), level)

    def __getitem__(self, variable: str) -> int:
        """A global int of the sketch."""
        word = self.machine.word(self.machine.symbol(variable))
        return word - (1 << 32) if word >> 31 else word

    @property
    def text(self) -> str:
        return self.session.bench.text().replace("\r\n", "\n")

    @cached_property
    def result(self) -> Result:
        return self.session.result(self.seconds)

    @cached_property
    def threads(self) -> dict[str, dict[str, Any]]:
        return {thread["name"]: thread for thread in self.result.threads()}


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Ran]:
    """make(sketch, world): a sketch at its beginning."""

    def go(source: str, around: str = "", board: str = "stm32f051", **options: bool) -> Ran:
        folder = tmp_path / "probe"
        folder.mkdir(exist_ok=True)
        (folder / "probe.ino").write_text("#include <Takt.h>\n" + source)
        (folder / "world.toml").write_text(around)
        return Ran(build(folder, boards.load(board), out=tmp_path / "out", **options))

    return go
