"""Takt as a guest: takt/takt.c, built for the scenario."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar

from takt import boards
from takt.build import build
from takt.check import Check

from . import debian, plan
from .scenario import Scenario
from .simulate import Guest

SOURCE = Path(__file__).parent / "takt" / "takt.c"
BOARD = "pc"


@dataclass(frozen=True)
class Takt:
    """What is asked of the pipes, and how often the adapter is read."""

    name: str
    rx_budget_us: int
    rx_period_us: int
    slots: int
    texec_us: int
    latency_ms: int
    start_ms: ClassVar[int] = 3000

    @property
    def about(self) -> str:
        return (
            f"board {BOARD}; the thread that receives: {self.rx_budget_us} us in every "
            f"{self.rx_period_us / 1000:g} ms; a pipe for each channel: {self.slots} frames of "
            f"room, {self.texec_us} us for them, {self.latency_ms} ms of latency"
        )

    def _defines(self, scenario: Scenario) -> dict[str, str]:
        found: dict[str, object] = {
            "HOGS": scenario.hogs,
            "READERS": scenario.readers,
            "WRITERS": scenario.writers,
            "SECONDS": scenario.seconds,
            "START_MS": self.start_ms,
            "RX_BUDGET_US": self.rx_budget_us,
            "RX_PERIOD_US": self.rx_period_us,
            "SLOTS": self.slots,
            "TEXEC_NS": f"{self.texec_us * 1000}u",
            "LATENCY_NS": f"{self.latency_ms * 1_000_000}u",
        }
        for channel, bus in enumerate(scenario.buses):
            sent = scenario.writers >> channel & 1
            found[f"FPS_{channel}"] = plan.DRAIN_FPS[1] if sent else bus.most_fps
        return {name: str(value) for name, value in found.items()}

    def _program(self, scenario: Scenario) -> Path:
        place = debian.WORK / BOARD / self.name / scenario.name / "takt"
        place.mkdir(parents=True, exist_ok=True)
        lines = [f"#define {name} {value}\n" for name, value in self._defines(scenario).items()]
        text = "".join([*lines, f'#include "{SOURCE}"\n'])
        main = place / "takt.c"
        if not main.exists() or main.read_text() != text:
            main.write_text(text)
        return place

    def built(self, scenario: Scenario) -> Check:
        """The program, and what is proved of it; also if admission refuses it, which is told."""
        return _built(self._program(scenario))

    def admission(self, scenario: Scenario) -> str:
        """What the lab says of it."""
        found = self.built(scenario)
        return "admitted" if found.admitted else f"refused: {found.refusals[0]}"

    def bounds_us(self, scenario: Scenario) -> dict[int, int]:
        """Proved from a frame's end on the bus to its reader, by channel; none where refused."""
        found = self.built(scenario)
        pipes = found.build.pipes if found.admitted else []
        bounds = {one.name: one.bounds.delay_us for one in pipes if one.bounds}
        return {at: bounds[f"in{at}"] for at in scenario.read if f"in{at}" in bounds}

    def guest(self, scenario: Scenario) -> Guest:
        elf = self.built(scenario).build.elf
        key = hashlib.sha256(elf.read_bytes()).hexdigest()
        return Guest(key, lambda folder: ["-cpu", "max", "-kernel", str(elf)])


@cache
def _built(folder: Path) -> Check:
    out = folder.parent / "out"
    return Check(build(folder, boards.load(BOARD), trace=False, out=out, admit=False))


# The paper's quality of service: 128 frames of room, a second of latency.
# Reading the adapter every 14 ms would lose frames: of 64 bytes each they fill 4 KB in 10.7 ms.
TAKT = Takt("takt", 300, 6000, 128, 500, 1000)
# For who wants frames soon.
SOON = Takt("takt-11ms", 150, 2000, 48, 50, 11)
