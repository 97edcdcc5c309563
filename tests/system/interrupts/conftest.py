"""Runs sketches given as text and looks at their variables and events: on the pico, or on the
boards of a test's parameter `board`."""

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
from takt.code.elf import Program
from takt.world import world

EVENT, DELIVER, MERGED = 14, 15, 16  # enum takt_event_kind
PINS_SOURCE = 13  # of the pico
BOARDS = ("pico", "stm32f051")
ALSO_PC = (*BOARDS, "pc")  # each edge is a stop of QEMU, so it has no storms
EVERY = (*BOARDS, "uno")
BOTTOM_HALF = "bottom half of interrupts"
EAGAIN, ECONTEXT, EINVAL, EADMIT = -2, -3, -4, -7


class Ran:
    """A sketch after a run."""

    def __init__(self, built: Build, seconds: float) -> None:
        self.built, self.seconds = built, seconds
        self.session = Session(built, world.load(built.sketch.folder, built.board))
        self.session.go(seconds, None)

    def __getitem__(self, variable: str) -> int:
        """A global int of the sketch."""
        place = Program(self.built.elf).by_name[variable]
        value = self.session.machine.read(place.address, place.size)
        return int.from_bytes(value, "little", signed=True)

    @cached_property
    def result(self) -> Result:
        return self.session.result(self.seconds)

    @cached_property
    def threads(self) -> dict[str, dict[str, Any]]:
        return {thread["name"]: thread for thread in self.result.threads()}

    def delivery_us(self, name: str, pin: int | None = None) -> np.ndarray:
        """From interrupt to handler, each event; of one pin, or all."""
        place = next(t.place for t in self.built.threads if t.name == name)
        trace = self.result.trace
        values = trace.value[trace.of(DELIVER, place)]
        return values[(pin is None) | (values >> 24 == pin)] & 0xFFFFFF

    def bound_us(self, name: str) -> int:
        """The safe bound of that."""
        bound = next(e.bound.safe_us for e in self.built.events if e.handler == name)
        assert bound is not None
        return bound

    def count(self, kind: int) -> int:
        return len(self.result.trace.of(kind))

    @property
    def top_us(self) -> np.ndarray:
        """Times of the pins' interrupts."""
        start, end, source = self.result.trace.isr
        pins = [n for n, name in self.result.scene.sources.items() if name == "pins"]
        return (end - start)[np.isin(source, pins)]

    def has_its_budget(self, *names: str) -> None:
        """Loops that never wait got their C in every period."""
        for name in names:
            thread = self.threads[name]
            assert thread["periods"] > 0, name
            assert thread["least_us"] <= thread["cpu_us_min"], thread
            assert thread["misses"] == thread["starved"] == 0, thread


@pytest.fixture
def board() -> str:
    return "pico"


@pytest.fixture
def make(board: str, tmp_path: Path) -> Callable[..., Build]:
    """Builds a sketch from its text; further files by name."""

    def go(source: str, world_text: str = "", **files: str) -> Build:
        folder = tmp_path / "probe"
        folder.mkdir(exist_ok=True)
        (folder / "probe.ino").write_text("#include <Takt.h>\n" + source)
        if world_text:
            (folder / "world.toml").write_text(world_text)
        for name, text in files.items():
            (folder / name.replace("_DOT_", ".")).write_text(text)
        return build(folder, boards.load(board), out=tmp_path / "out")

    return go


@pytest.fixture
def run(make) -> Callable[..., Ran]:
    """Builds and runs."""

    def go(source: str, seconds: float, world_text: str = "", **files: str) -> Ran:
        return Ran(make(source, world_text, **files), seconds)

    return go


def wave(pin: int, frequency: str, **more: str) -> str:
    """A square wave of the world, from 10 ms after reset on, when setup() is over."""
    settings = {"frequency": frequency, "start": "10 ms"} | more
    lines = [f"[parts.wave{pin}]", 'type = "square-wave"', f"pin = {pin}"]
    lines += [f'{key} = "{value}"' for key, value in settings.items()]
    return "\n".join(lines) + "\n"
