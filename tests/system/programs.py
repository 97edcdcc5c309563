"""C programs without the Arduino layer, built for a board and run there. The same source runs on
boards in QEMU and on the pico's virtual platform. Linked by hand with the link script's own stacks,
as one does who ports the kernel; or as users build what they flash."""

from __future__ import annotations

import io
import re
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path

from elftools.elf.elffile import ELFFile
from takt import boards
from takt.build import cmake, features, kernel
from takt.build.build import build
from takt.machine.machine import Machine
from takt.machine.machines import machine_of
from takt.paths import ROOT

HERE = Path(__file__).resolve().parent
LINKED, FLASHED = HOW = ("linked", "flashed")
STEP_US = 5_000
PAINT = bytes([0xA5]) * 28


def link(board: str, sources: list[Path], out: Path, *flags: str) -> Path:
    """A program. With -DTAKT_CHECKS=1 kernel and port are, too; with -flto it is optimised at link
    time. What sources define of the kernel stands in its place."""
    variant = "lto" if "-flto" in flags else "plain"
    target = cmake.target_libraries(board, variant)
    command = [target.cc, *target.flags, *target.c_flags, "-Wall", "-Wextra", "-Werror"]
    command += [f"-I{folder}" for folder in (*target.includes, ROOT / "kernel")]
    command += [f"-I{HERE / folder}" for folder in ("drivers", "qemu")]
    command += [*flags, f"-D{macro(board)}", "-DTAKT_TRACE_EVENTS=0", *map(str, sources)]
    options = tuple(flag for flag in flags if flag == "-DTAKT_CHECKS=1")
    return with_kernel(target, board, variant, command, out, options)


def with_kernel(
    target: cmake.Target,
    board: str,
    variant: str,
    command: list[str],
    out: Path,
    options: tuple[str, ...] = (),
) -> Path:
    """Compiles and links without the kernel, and again with the kernel for what that refers to."""

    def to(out: Path, *last: str, archives: Sequence[str] = ()) -> None:
        own, *others = (a for a in target.archives[variant] if "arduino" not in a)
        words = [*command, *target.link_flags, f"-T{target.link_script}"]
        words += ["-Wl,--whole-archive", own, "-Wl,--no-whole-archive", "-Wl,--start-group"]
        words += [*archives, *others, "-lc", "-lgcc", "-Wl,--end-group", *last, "-o", str(out)]
        done = subprocess.run(words, capture_output=True, text=True, cwd=out.parent)
        assert done.returncode == 0, done.stderr

    without = out.with_name(f"{out.name}.without-kernel")
    to(without, "-Wl,--unresolved-symbols=ignore-all,--emit-relocs")
    used = features.of(without)
    with kernel.compiled(target, board, variant, used, options=options) as made:
        uses = [f"-I{Path(made[0]).parent}", "-DTAKT_USES"]
        to(out, *uses, archives=made)
    return out


def flashed(board: str, source: Path, out: Path) -> Path:
    """The image that one would flash: by takt build, its stacks sized."""
    folder = out / source.stem
    folder.mkdir(parents=True, exist_ok=True)
    text = f'#define {macro(board)} 1\n#include "{source}"\n'
    main = folder / source.name
    if not main.exists() or main.read_text() != text:
        main.write_text(text)
    return build(folder, boards.load(board), trace=False, out=out / "out").elf


def macro(board: str) -> str:
    """What programs know their board by."""
    return f"BOARD_{re.sub(r'[^A-Z0-9]', '_', board.upper())}"


def changed(elf: Path, out: Path, values: dict[str, int]) -> Path:
    """The program with other values of its constants."""
    data = bytearray(elf.read_bytes())
    program = ELFFile(io.BytesIO(data))
    symbols = program.get_section_by_name(".symtab")
    for name, value in values.items():
        at = symbols.get_symbol_by_name(name)[0]["st_value"]
        inside = (s for s in program.iter_segments() if s["p_vaddr"] <= at)
        segment = next(s for s in inside if at < s["p_vaddr"] + s["p_filesz"])
        place = segment["p_offset"] + at - segment["p_vaddr"]
        data[place : place + 4] = struct.pack("<i", value)
    out.write_bytes(data)
    return out


def longest_masked_ns(machine: Machine, board: boards.Board, ms: range) -> float:
    """How long interrupts are off, at most, meanwhile."""
    machine.run(ms.start * board.clock_hz // 1000)
    machine.log_masked()
    longest = 0
    for at in ms:
        machine.run(at * board.clock_hz // 1000)
        longest = max([longest, *(stretch.cycles for stretch in machine.masked())])
    return longest * 1e9 / board.clock_hz


class Run:
    """A program on its board, from reset."""

    def __init__(self, board: str, elf: Path, roomy: bool = True, cpus: int = 1) -> None:
        """roomy: the interrupts' stack is larger than they need."""
        self.board, self.elf, self._roomy = boards.load(board), elf, roomy
        self.machine = machine_of(self.board, cpus)
        self.machine.load_elf(elf)
        self._last = None
        if self.machine.has_symbol("__takt_isr_stack_start"):  # else it is the host's
            self._last = self.machine.symbol("__takt_isr_stack_start") + 4  # below: the sentinel
            self.machine.write(self._last, PAINT)
        self._said = b""

    def until_done(self, limit_ms: int) -> str:
        """Runs until the program's `done` is set ("done"), it stops, or the time is up."""
        done = self.machine.symbol("done") if self.machine.has_symbol("done") else None
        for us in range(STEP_US, limit_ms * 1000 + 1, STEP_US):
            reason = self.machine.run(us * self.board.clock_hz // 1_000_000).reason
            if reason != "time":
                return reason
            if done and self.value("done"):
                return "done"
        return "time"

    def value(self, name: str, index: int = 0) -> int:
        """A word of the program."""
        place = self.machine.symbol(name) + 4 * index
        return int.from_bytes(self.machine.read(place, 4), "little")

    @property
    def text(self) -> str:
        """All that the console has said."""
        self._said += bytes(byte for _, byte in self.machine.uart_take(0))
        return self._said.decode("latin-1")

    def room_left(self) -> bool:
        """Is the lowest part of the interrupts' stack as it was?"""
        return self._last is None or self.machine.read(self._last, len(PAINT)) == PAINT

    def passed(self, limit_ms: int = 2000) -> None:
        """Runs and looks at the checks."""
        reason = self.until_done(limit_ms)
        assert reason == "done", f"{reason}: {self.machine.fault()}; {self.text}"
        assert self.value("failures") == 0, f"line {self.value('first_failure')}"
        assert self.value("checks") > 0
        assert self.room_left() or not self._roomy
