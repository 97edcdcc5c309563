"""Runs sketches given as text on the galileo, in a world given as text."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from takt import boards
from takt.build.build import Build, build
from takt.cli.run import Result
from takt.cli.run import _Session as Session
from takt.world import world
from takt.world.onboard import EXPANDER
from takt.world.world import World

DELIVER = 15  # enum takt_event_kind
OK, ETIMEOUT, ECONTEXT, EINVAL, ENACK, EBUS = 0, -1, -3, -4, -9, -10
ABSENT = 0x27  # an address at which nobody asks


class Ran:
    """A sketch after some time; `to` goes on."""

    def __init__(self, built: Build, around: World) -> None:
        self.built, self.world = built, around
        self.session = Session(built, around)
        self.machine = self.session.machine

    def to(self, seconds: float) -> Ran:
        self.session.go(seconds, None)
        self.seconds = seconds
        assert self.machine.unimplemented() == []
        return self

    def values(self, variable: str, count: int) -> list[int]:
        """A global int array of the sketch."""
        at = self.machine.symbol(variable)
        words = [self.machine.word(at + 4 * i) for i in range(count)]
        return [word - (1 << 32) if word >> 31 else word for word in words]

    def __getitem__(self, variable: str) -> int:
        """A global int of the sketch."""
        return self.values(variable, 1)[0]

    @cached_property
    def result(self) -> Result:
        return self.session.result(self.seconds)

    @cached_property
    def threads(self) -> dict[str, dict[str, Any]]:
        return {thread["name"]: thread for thread in self.result.threads()}

    def part(self, name: str) -> dict[str, Any]:
        """What a part of the world, or of the board, reports."""
        return self.world.everything()[name].summary()

    def delivery_us(self, name: str) -> np.ndarray:
        """From interrupt to handler, each event."""
        place = next(t.place for t in self.built.threads if t.name == name)
        trace = self.result.trace
        return trace.value[trace.of(DELIVER, place)] & 0xFFFFFF

    def bound_us(self, name: str) -> int:
        """The safe bound of that."""
        bound = next(e.bound.safe_us for e in self.built.events if e.handler == name)
        assert bound is not None
        return bound

    def has_its_budget(self, *names: str) -> None:
        """Loops that never wait got their C in every period."""
        for name in names:
            thread = self.threads[name]
            assert thread["periods"] > 0, name
            assert thread["least_us"] <= thread["cpu_us_min"], thread
            assert thread["misses"] == thread["starved"] == 0, thread


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Ran]:
    """make(sketch, world): a sketch at its beginning. expander=False: nobody answers there."""

    def go(source: str, around: str = "", expander: bool = True) -> Ran:
        folder = tmp_path / "probe"
        folder.mkdir()
        (folder / "probe.ino").write_text(source)
        (folder / "world.toml").write_text(around)
        board = boards.load("galileo")
        built = build(folder, board, out=tmp_path / "out")
        loaded = world.load(folder, board)
        if not expander:
            loaded.onboard[EXPANDER].address = ABSENT
        return Ran(built, loaded)

    return go
