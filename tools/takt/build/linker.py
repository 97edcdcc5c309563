"""Links a sketch: again and again, until stacks are as large as the program that results needs, and
what is left in flash is what can be there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile

from takt.admit import layout
from takt.admit.layout import Thread
from takt.build import features, loops, ninja, nm, stackfile
from takt.build.compile import Compiler
from takt.build.features import Features
from takt.build.mistakes import diagnostics
from takt.build.ninja import NinjaFile, Progress
from takt.code import left
from takt.code.deepest import RECURSION_DEPTH
from takt.code.elf import Program
from takt.code.stacks import Stacks
from takt.code.stacks_host import HostStacks, stacks_of
from takt.errors import UserError

# What the compiler refers to weakly, so that the linker would leave it out: a call of it would be
# replaced by nothing.
WEAKLY = {"__cxa_pure_virtual", "__cxa_deleted_virtual"}
# So newlib's printf and scanf do to what they need for reals, which takes some 10 KB of flash.
REALS = {"_printf_float": re.compile(r"s?n?printf"), "_scanf_float": re.compile(r"s?scanf")}
# "50% full" is none: a blank alone is no flag here.
REAL_FORMAT = re.compile(rb"%(?! [a-zA-Z])[-+ #0]*[0-9*]*(?:\.[0-9*]*)?[lL]?[aefgAEFG]")
OVERFLOW = "bytes more than"  # in what diagnostics.py says of it
MOST_LINKS = 4  # until the sizes of stacks hold: what is larger may be placed otherwise


def _constants(path: Path) -> Iterator[bytes]:
    """Of an object: what is loaded and no code, so not what debuggers read."""
    with path.open("rb") as file:
        for section in ELFFile(file).iter_sections():
            flags = section["sh_flags"] & (SH_FLAGS.SHF_ALLOC | SH_FLAGS.SHF_EXECINSTR)
            if section["sh_type"] == "SHT_PROGBITS" and flags == SH_FLAGS.SHF_ALLOC:
                yield section.data()


class Linker:
    def __init__(self, compiler: Compiler, progress: Progress | None, flash: bool) -> None:
        self.compiler, self.progress, self.flash = compiler, progress, flash
        self.target, self.board, self.out = compiler.target, compiler.board, compiler.out
        self.folder = self.out / "obj" / "link"
        self.linked = self.out / "obj" / "linked.elf"
        self.stack_source = self.out / "obj" / "stacks.S"
        self.left = self.out / "obj" / left.SCRIPT
        self.called: list[str] = []
        self.threads: list[str] = []  # from the libraries
        self.first: list[str] = []  # archives that are looked into before the others
        self.instead: dict[str, str] = {}  # of some functions others are linked

    def features(self, objects: list[Path], own: nm.Names, called: list[str]) -> Features:
        """What the program uses of the kernel. called: threads from the libraries."""
        self.threads = called
        self.called = called + sorted(own.referred & WEAKLY) + self._reals(objects, own)
        if self.flash:
            left.require_possible(self.board)
        ninja.write_if_changed(self.left, left.everything(objects) if self.flash else "")
        folder = self.out / "obj" / "without_kernel"
        program = folder / "linked.elf"
        command = self._command(objects, [], program)
        # What does not fit is told when the kernel is there, too.
        command += ["-Wl,--unresolved-symbols=ignore-all", "-Wl,--noinhibit-exec"]
        first = [loops.FIRST] if self.compiler.sketch.tabs and loops.ALONE not in called else []
        command += [f"-Wl,--undefined={name}" for name in [*self.called, *first]]
        file = NinjaFile()
        file.add(program, [*objects, self.left, *self._needs([])], command, "link without kernel")
        folder.mkdir(exist_ok=True)
        file.write(folder / "build.ninja")
        ok, said = ninja.run(folder, [program], self.progress)
        if not ok:
            raise diagnostics.link_error(self._told(said), self.board, True)
        return features.of(program)

    def _reals(self, objects: list[Path], own: nm.Names) -> list[str]:
        """What formats of reals need that are in the sketch or its libraries as constants."""
        if not any("nano.specs" in flag for flag in self.target.link_flags):
            return []
        found = [
            symbol
            for symbol, called in REALS.items()
            if any(called.search(name) for name in own.referred)
        ]
        given = found and any(
            REAL_FORMAT.search(data.replace(b"%%", b""))
            for path in objects
            for data in _constants(path)
        )
        return found if given else []

    def add(self, objects: list[Path], kernel: list[str]) -> None:
        """The program, with the kernel that these archives are, to a ninja file of its own."""
        file, stacks = NinjaFile(), self.out / "obj" / "stacks.o"
        cpu = [flag for flag in self.target.flags if flag.startswith("-m")]
        assemble = [self.target.gcc, *cpu, "-c", str(self.stack_source), "-o", str(stacks)]
        file.add(stacks, [self.stack_source], assemble, "stacks")
        command = self._command([*objects, stacks], kernel, self.linked)
        command += [f"-Wl,-Map={self.linked.with_suffix('.map')}"]
        needs = [*objects, stacks, self.left, *self._needs(kernel)]
        file.add(self.linked, needs, command, "link")
        self.folder.mkdir(exist_ok=True)
        file.write(self.folder / "build.ninja")

    def _needs(self, kernel: list[str]) -> list[Path | str]:
        return [self.target.link_script, *self.first, *self.compiler.archives, *kernel]

    def _command(self, objects: list[Path], kernel: list[str], out: Path) -> list[str]:
        board, *archives = self.compiler.archives
        script = Path(self.target.link_script)
        # The board's archive comes whole: its sections are kept by the script, not by reference.
        command = [self.target.linker, f"-L{self.left.parent}", *self.target.link_flags]
        command += ["-fdiagnostics-color=never", f"-T{script}", f"-L{script.parent}"]
        command += map(str, objects)
        command += [*self.compiler.lto_flags, *self.compiler.source_names.flags()]
        for name, other in self.instead.items():
            command += [f"-Wl,--undefined={other}", f"-Wl,--defsym={name}={other}"]
        command += ["-Wl,--emit-relocs"]  # where addresses are taken
        command += ["-Wl,--whole-archive", board, "-Wl,--no-whole-archive"]
        # What the libraries need may be in the drivers.
        command += ["-Wl,--start-group", *kernel]
        for archive in archives:
            command += [*self.first, archive]
        command += self.target.libraries
        return [*command, "-o", str(out)]

    def link(
        self, objects: list[Path], own: nm.Names
    ) -> tuple[Program, list[Thread], Stacks | HostStacks]:
        """Until what is left in flash can be there."""
        program, threads, stacks = self._link_stacks(objects, own)
        while self.flash:
            text = left.script(program, stacks.graph, self.linked.with_suffix(".map"))
            if text == self.left.read_text(encoding="utf-8"):
                break
            ninja.write_if_changed(self.left, text)
            program, threads, stacks = self._link_stacks(objects, own)
        return program, threads, stacks

    def _link_stacks(
        self, objects: list[Path], own: nm.Names
    ) -> tuple[Program, list[Thread], Stacks | HostStacks]:
        """Links until every stack is as large as the analysis says: twice, or once when the sizes
        of the last build still hold. Of a recursion that looks for room there may be fewer levels
        than usual, where RAM is short."""
        archives = self.compiler.archives
        memory = self.out / "obj" / "stacks.json"
        names = stackfile.wanted(self.target, own, archives)
        sizes = self._link_first(objects, stackfile.remembered(memory, names))
        stacks, levels = None, RECURSION_DEPTH
        for link in range(1, MOST_LINKS + 1):
            program = Program(self.linked)
            stacks = stacks_of(program, self.board, stacks)
            if levels != RECURSION_DEPTH:
                stacks.count(levels)
            threads = layout.threads(program, stacks)
            needed = _needed(sizes, program, threads, stacks)
            if needed == sizes or link == MOST_LINKS:  # what is there has been read
                break
            while not self._is_linked(
                objects, needed, levels > 1 and layout.has_recursion(threads)
            ):
                levels //= 2
                stacks.count(levels)
                threads = layout.threads(program, stacks)
                needed = _needed(sizes, program, threads, stacks)
            sizes = needed
        memory.write_text(json.dumps(sizes))
        ours = {program.by_name[name].address for name in sizes if name in program.by_name}
        threads = [replace(t, stack_given=t.stack not in ours) for t in threads]
        return program, threads, stacks

    def _told(self, said: str) -> str:
        return self.compiler.source_names.told(said)

    def _is_linked(self, objects: list[Path], sizes: dict[str, int], may_be_less: bool) -> bool:
        """False: there is too little RAM, of which less may do."""
        try:
            self._link_once(objects, sizes)
        except UserError as error:
            if may_be_less and OVERFLOW in error.what and "RAM" in error.what:
                return False
            raise
        return True

    def _link_first(self, objects: list[Path], sizes: dict[str, int]) -> dict[str, int]:
        """The sizes it links with: those of the last build may be more than there is room for."""
        try:
            self._link_once(objects, sizes)
        except UserError as error:
            if OVERFLOW not in error.what:
                raise
            sizes = dict.fromkeys(sizes, stackfile.PROVISIONAL)
            self._link_once(objects, sizes, at_least=bool(sizes))
        return sizes

    def _link_once(
        self, objects: list[Path], sizes: dict[str, int], at_least: bool = False
    ) -> None:
        """at_least: the sizes are not known yet."""
        looking = bool(self.compiler.looking)
        text = stackfile.source(sizes, self.board.core, self.called, looking)
        ninja.write_if_changed(self.stack_source, text)
        ok, said = ninja.run_for(self.folder, self.linked, self.progress)
        if ok:
            return
        error = diagnostics.link_error(self._told(said), self.board, at_least)
        if OVERFLOW in error.what:
            files, ram = [*objects, self.out / "obj" / "stacks.o"], "RAM" in error.what
            error.detail = diagnostics.largest(self.target.tool("nm"), files, ram)
            memory = self.board.ram if ram else self.board.flash
            error.detail += "\n" + diagnostics.by_owner(self.linked.with_suffix(".map"), memory)
            ring = self.target.trace_events > 1  # else it takes no RAM
            traced = self.compiler.trace and (ring or not ram)
            error.fix += (
                "; the trace takes some: takt run --no-trace does without" if traced else ""
            )
        raise error


def _needed(
    sizes: dict[str, int], program: Program, threads: list[Thread], stacks: Stacks | HostStacks
) -> dict[str, int]:
    """Bytes of the stacks that the build sizes."""
    needed = sizes | {
        symbol: thread.stack_need
        for thread in threads
        for symbol in sizes
        if program.by_name.get(symbol) and program.by_name[symbol].address == thread.stack
    }
    if stackfile.INTERRUPTS in sizes:
        needed[stackfile.INTERRUPTS] = stacks.aligned(stacks.interrupts().bytes)
    return needed
