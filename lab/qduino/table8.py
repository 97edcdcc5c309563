"""Table VIII: bytes of the kernel and of the rover's sketch.

From the linker's map: what comes from the kernel, its port, the board and the drivers is the
kernel, as in the paper, whose drivers are part of Quest; the sketch with its stacks, the Arduino
API and the C library is the sketch. Text is what lies in flash, data what lies in RAM, but for code
and constants that are copied there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from takt import boards
from takt.build.build import Build
from takt.cli.labs.lab import Outcome, row
from takt.code.elf import Program
from takt.paths import ROOT

from . import drawing
from .cases import Defines, built, each

ROVER = ROOT / "examples" / "rover"  # Listing 1
PAPER = {"kernel": (953_358, 321_516), "rover-sketch": (4832, 2360)}
CLANTON = {"kernel": (4_390_436, 336_104), "rover-sketch": (26_249, 27_652)}
KERNEL = re.compile(r"libtakt_(kernel|port|board|drivers)\.a")
# An input section in the map; a long name stands on a line of its own before the rest.
PIECE = re.compile(r"^ (\.?[\w.$*]+)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (\S+)$", re.MULTILINE)


@dataclass(frozen=True)
class Bytes:
    text: int
    data: int


def _in_sketch(map_file: Path, board: boards.Board) -> Bytes:
    """What does not belong to the kernel."""
    text = map_file.read_text(errors="replace")
    text = text[text.index("Linker script and memory map") :]
    flash, ram = board.flash, board.ram
    in_flash = in_ram = 0
    for name, address, size, file in PIECE.findall(text):
        at, count = int(address, 16), int(size, 16)
        if KERNEL.search(file):
            continue
        copied = name.startswith((".text", ".rodata", ".init_array"))
        in_flash += count * (copied or flash.origin <= at < flash.origin + flash.size)
        if not copied and ram.origin <= at < ram.origin + ram.size:
            in_ram += count
            in_flash += count * name.startswith(".data")  # its initial values
    return Bytes(in_flash, in_ram)


def sizes(program: Build) -> dict[str, Bytes]:
    """Kernel and sketch of a program."""
    sketch = _in_sketch(program.out / "obj" / "linked.map", program.board)
    sections = Program(program.elf).sections
    copied = [s for s in sections if s.in_image and s.load_address != s.address]
    data = program.ram_bytes - sum(s.size for s in copied if s.name != ".data")
    kernel = Bytes(program.flash_bytes - sketch.text, data - sketch.data)
    return {"kernel": kernel, "rover-sketch": sketch}


CASES: dict[str, tuple[str | Path, Defines]] = {
    "": (ROVER, {}),
    "baseline-single-loop-": ("fig12", {"MULTI_LOOP": 0, "SINGLE_LOOP": 1}),
    "baseline-no-budgets-": ("fig12", {"NO_BUDGETS": 1}),
}


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """Memory of the kernel and of the rover's sketch (Table VIII)."""

    def size(prefix: str) -> dict[str, Bytes]:
        sketch, defines = CASES[prefix]
        return sizes(built(sketch, f"{prefix}table8", board, defines))

    rows = []
    for prefix, found in zip(CASES, each(size, CASES, board.name, trace=False), strict=True):
        for part, taken in found.items():
            paper = (None, None) if prefix else PAPER[part]
            rows.append(row(f"{prefix}{part}", "text_bytes", taken.text, "B", paper[0]))
            rows.append(row(f"{prefix}{part}", "data_bytes", taken.data, "B", paper[1]))
    config = {"clanton": CLANTON, "compiler": "arm-none-eabi-gcc -Os", "trace": False}
    return {"board": board.name, "config": config, "rows": rows}


def draw(outcome: Outcome) -> Figure:
    """Bars for the kernel and for the sketch."""
    figure, panels = drawing.sheet(
        "Memory of kernel and sketch (Table VIII)",
        "The rover of Listing 1. Takt's kernel has its drivers with it, as Qduino's and Linux's "
        "(Clanton) have; for the Cortex-M0+, theirs for a Pentium-class x86.",
        2,
    )
    for axes, part in zip(panels, PAPER, strict=True):
        found = {
            "Takt": [
                drawing.value(outcome, part, f"{kind}_bytes") or 0 for kind in ("text", "data")
            ],
            "Qduino (paper)": PAPER[part],
            "Clanton Linux (paper)": CLANTON[part],
        }
        names = [f"{who}, {kind}" for who in found for kind in ("text", "data")]
        values = [number for pair in found.values() for number in pair]
        colours = [drawing.TAKT] * 2 + [drawing.PAPER] * 4
        drawing.bars(axes, names, values, colours)
        axes.set_xscale("log")
        axes.set_xlim(500, max(values) * 6)
        axes.set_xlabel("bytes (logarithmic)", fontsize=9)
        drawing.heading(axes, part.replace("-", " "))
    return figure
