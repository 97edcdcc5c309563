"""A program that has been built, and what is known of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from takt.admit import admission, pipes
from takt.admit.blocking import Held
from takt.admit.events import Event
from takt.admit.layout import Thread
from takt.boards import Board
from takt.build import features, sketch
from takt.code.source_names import SourceNames


@dataclass(frozen=True)
class Build:
    sketch: sketch.Sketch
    board: Board
    out: Path
    files: dict[str, Path]  # by kind: elf, and the images of the board
    flash_bytes: int
    ram_bytes: int
    threads: list[Thread]
    warnings: list[str]
    trace: bool
    isr_stack_need: int
    isr_stack_size: int
    admission: admission.Admission | None = None
    compiler_output: str = field(default="", repr=False)
    assumed: list[str] = field(default_factory=list)  # what the verdict rests on
    costs_of: list[str] = field(default_factory=list)  # among it: costs of another compilation
    own_warnings: str = field(default="", repr=False)  # the compiler's, of the sketch's own files
    events: list[Event] = field(default_factory=list)  # interrupts, and when they arrive
    pipes: list[pipes.Pipe] = field(default_factory=list)
    lines: int = 0  # pins that are taken to interrupt
    ring: int = 0  # events the trace keeps in RAM
    sections: tuple[Held, ...] = ()  # that threads may be in, and what that holds up
    source_names: SourceNames | None = None  # what folders are called in the program
    used: features.Features = frozenset()  # of the kernel

    @property
    def name(self) -> str:
        return self.sketch.name

    @property
    def elf(self) -> Path:
        return self.files["elf"]

    @property
    def uf2(self) -> Path:
        """Boards without a USB boot ROM have none."""
        return self.files["uf2"]

    @property
    def bin(self) -> Path:
        return self.files["bin"]
