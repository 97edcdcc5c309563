"""Takt as a guest: takt/takt.c, built for the scenario."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from elftools.elf.elffile import ELFFile
from takt import boards
from takt.build.build import build
from takt.build.ninja import write_if_changed
from takt.cli.check import Check

from . import debian, plan
from .scenario import START_MS, Scenario
from .simulate import Guest

SOURCE = Path(__file__).parent / "takt" / "takt.c"
BOARD = "pc"
REFUSED = "refused"


# Of the thread that receives, beside output: the device acknowledges each frame it has sent, in the
# same 4 KB as what it receives; and the least of USB's bottom half.
RX_SENDING_US, USB_SENDING_PER_CENT = (260, 2000), 2


@dataclass(frozen=True)
class Takt:
    """What is asked of the pipes, and how often the adapter is read."""

    name: str
    rx_budget_us: int
    rx_period_us: int
    slots: int
    texec_us: int
    latency_ms: int
    usb_per_cent: int  # of the bottom half of USB

    @property
    def about(self) -> str:
        beside = f"{RX_SENDING_US[0]} us in every {RX_SENDING_US[1] / 1000:g} ms beside output"
        return (
            f"board {BOARD}; the thread that receives: {self.rx_budget_us} us in every "
            f"{self.rx_period_us / 1000:g} ms, {beside}; the bottom half of USB: "
            f"{self.usb_per_cent} %; a pipe for each channel: {self.slots} "
            f"frames of room, {self.texec_us} us for them, {self.latency_ms} ms of latency"
        )

    def _rx_us(self, scenario: Scenario) -> tuple[int, int]:
        """Budget and period of the thread that receives."""
        return RX_SENDING_US if scenario.writers else (self.rx_budget_us, self.rx_period_us)

    def _usb_per_cent(self, scenario: Scenario) -> int:
        least = USB_SENDING_PER_CENT if scenario.writers else 0
        return max(self.usb_per_cent, least)

    def _defines(self, scenario: Scenario) -> dict[str, str]:
        budget_us, period_us = self._rx_us(scenario)
        found: dict[str, object] = {
            "HOGS": scenario.hogs,
            "READERS": scenario.readers,
            "WRITERS": scenario.writers,
            "SECONDS": scenario.seconds,
            "START_MS": START_MS,
            "RX_BUDGET_US": budget_us,
            "RX_PERIOD_US": period_us,
            "USB_PER_CENT": self._usb_per_cent(scenario),
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
        write_if_changed(place / "takt.c", text)
        return place

    def built(self, scenario: Scenario) -> Check:
        """The program, and what is proved of it; also if admission refuses it, which is told."""
        return _built(self._program(scenario))

    def admission(self, scenario: Scenario) -> str:
        """What the lab says of it."""
        found = self.built(scenario)
        return "admitted" if found.admitted else f"{REFUSED}: {found.refusals[0]}"

    def bounds_us(self, scenario: Scenario) -> dict[int, int]:
        """Proved from a frame's end on the bus to its reader, by channel; none where refused."""
        found = self.built(scenario)
        pipes = found.build.pipes if found.admitted else []
        bounds = {one.name: one.bounds.delay_us for one in pipes if one.bounds}
        return {at: bounds[f"in{at}"] for at in scenario.read if f"in{at}" in bounds}

    def guest(self, scenario: Scenario) -> Guest:
        elf = self.built(scenario).build.elf
        return Guest(_loaded(elf), lambda folder: ["-kernel", str(elf)])


def _loaded(elf: Path) -> str:
    """Stands for what is loaded: the rest of the file is for debuggers."""
    told = hashlib.sha256()
    with elf.open("rb") as file:
        for part in ELFFile(file).iter_segments("PT_LOAD"):
            told.update(b"%x %x %x " % (part["p_paddr"], part["p_memsz"], part["p_filesz"]))
            told.update(part.data())
    return told.hexdigest()


@cache
def _built(folder: Path) -> Check:
    out = folder.parent / "out"
    return Check(build(folder, boards.load(BOARD), trace=False, out=out, admit=False))


# The paper's quality of service: 128 frames of room, a second of latency.
# Reading the adapter every 14 ms would lose frames: of 64 bytes each they fill 4 KB in 10.7 ms.
TAKT = Takt("takt", 300, 4500, 128, 500, 1000, 1)
# For who wants frames soon. A frame takes some 0.4 us of these jobs' time (fact frame_ns), so 80 us
# are enough for 128.
SOON = Takt("takt-11ms", 150, 2000, 128, 80, 11, 4)
