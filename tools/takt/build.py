"""Builds a sketch for a board.

Two passes: linked once with provisional stacks, the program is analysed (stacks.py) and linked
again with stacks of the size each thread needs. Then admission decides. Outputs appear only when
all of this has succeeded, under their final names in one step each.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from takt import (
    admission,
    cmake,
    diagnostics,
    events,
    images,
    known,
    layout,
    libraries,
    locks,
    loops,
    ninja,
    nm,
    pipe_records,
    pipes,
    plain,
    sketch,
    stackfile,
    variants,
    verdicts,
)
from takt.blocking import Held
from takt.boards import Board
from takt.compile import Compiler
from takt.elf import Program
from takt.errors import UserError
from takt.events import Event
from takt.exclusive import exclusive
from takt.layout import Thread
from takt.ninja import Progress
from takt.paths import output_folder, shown
from takt.places import places
from takt.stacks import Stacks
from takt.stacks_host import HostStacks, stacks_of


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
    events: list[Event] = field(default_factory=list)  # interrupts, and when they arrive
    pipes: list[pipes.Pipe] = field(default_factory=list)
    lines: int = 0  # pins that are taken to interrupt
    ring: int = 0  # events the trace keeps in RAM
    sections: tuple[Held, ...] = ()  # that threads may be in, and what that holds up

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


def build(
    path: Path,
    board: Board,
    trace: bool = True,
    out: Path | None = None,
    extra_libs: Sequence[Path] = (),
    *,
    admit: bool = True,
    lto: bool = False,
    cpus: int = 1,
    progress: Progress | None = None,
) -> Build:
    """Builds, or raises UserError and leaves no outputs. admit=False lets a program through that
    admission refuses; its verdict is in the result either way. lto: see variants.py."""
    found = sketch.find(Path(path))
    variant = variants.choose(found, board, trace, lto)
    out = folder_of(found, board.name, variant, out)
    with exclusive(out):
        try:
            if progress:
                progress("libraries", 0, 1)
            target = cmake.target_libraries(board.name, variant)
            roots = libraries.roots(found.folder, tuple(Path(p).resolve() for p in extra_libs))
            compiler = Compiler(target, board, variant, found, out, roots)
            with cmake.in_use(board.name):
                return _Job(compiler, progress).run(admit, cpus)
        except BaseException:
            images.withdraw(out, found.name, board)  # those of an earlier build: stale
            raise


def folder_of(
    found: sketch.Sketch, board: str, variant: str = "trace", out: Path | None = None
) -> Path:
    """Where the outputs of a sketch lie, and those of its last run."""
    name = board + variants.SUFFIX[variant]
    return Path(out).resolve() if out else output_folder(found.folder, name)


class _Job:
    """One build, its folder locked."""

    def __init__(self, compiler: Compiler, progress: Progress | None) -> None:
        self.compiler, self.progress = compiler, progress
        self.target, self.board, self.out = compiler.target, compiler.board, compiler.out
        self.file = ninja.NinjaFile()
        self.linked = self.out / "obj" / "linked.elf"
        self.stack_source = self.out / "obj" / "stacks.S"
        self.said, self.called = "", list[str]()

    def run(self, admit: bool, cpus: int) -> Build:
        self.compiler.prepare()
        objects = self.compiler.objects(self.file)
        self._add_link(objects)
        self.file.write(self.out / "build.ninja")
        self._compile(objects)
        where = shown(self.compiler.sketch.main_file)
        own = nm.names(self.target.tool("nm"), objects)
        self.called = loops.wanted(own, where)
        place = places([*self.compiler.sketch.tabs, *self.compiler.sketch.sources])
        program, threads, stacks = self._link(objects, own)
        layout.check_count(program, self.board, place, where)
        interrupts = stacks.interrupts()
        isr_size = layout.interrupt_stack(program)
        warnings = variants.check(program, self.compiler.variant, where)
        warnings += layout.check_stacks(threads, where, self.compiler.trace)
        warnings += layout.check_interrupt_stack(isr_size, interrupts, where)
        pins = events.find(threads, self.board, program)
        warnings += pins.warnings()
        asked = pipe_records.find(program, threads, pins.costs.start_us)
        asked.require_possible(place)
        found_locks = locks.find(program, stacks, threads, self.board, self.target)

        def judge(given: list[Thread]) -> tuple[admission.Admission | None, list[pipes.Pipe]]:
            verdict = verdicts.judge(given, self.board, program, pins, asked, found_locks, cpus)
            return verdict, asked.judge(verdict, pins.bottoms, place)

        usual = threads
        if self.called:
            threads = plain.fitted(usual, lambda given: plain.admitted(*judge(given)))
        verdict, proved = judge(threads)
        if verdict and admit:
            verdict.require(place)
            pipes.require(proved)
        stack = (interrupts.bytes, isr_size)
        unseen = "takt_mutex_lock" in own.referred and not found_locks.seen
        rests_on = verdicts.assumed(self.board, program, pins, unseen, asked) if verdict else []
        rests_on = [*plain.told(usual, threads), *rests_on]
        filled = dict(found_locks.ceilings)
        if found_locks.seen:
            filled |= known.in_image(program, verdict, threads, pins, asked)
        if threads != usual:
            filled |= plain.in_image(program, threads)
        elf = images.with_bytes(self.linked.read_bytes(), filled)
        built = self._finish(program, elf, threads, stack, warnings, verdict, rests_on)
        found = pins.events(verdict.case, verdict.admitted) if verdict and verdict.case else []
        ring = self.target.trace_events if built.trace else 0
        return replace(
            built,
            events=found,
            pipes=proved,
            lines=pins.lines,
            ring=ring,
            sections=found_locks.held,
        )

    def _add_link(self, objects: list[Path]) -> None:
        stacks = self.out / "obj" / "stacks.o"
        cpu = [flag for flag in self.target.flags if flag.startswith("-m")]
        assemble = [self.target.cc, *cpu, "-c", str(self.stack_source), "-o", str(stacks)]
        self.file.add(stacks, [self.stack_source], assemble, "stacks")
        archives = self.compiler.archives
        script = self.target.link_script
        # The board's archive comes whole: its sections are kept by the script, not by reference.
        command = [self.target.cxx, *self.target.link_flags, "-fdiagnostics-color=never"]
        command += [f"-T{script}", f"-L{Path(script).parent}", *map(str, objects), str(stacks)]
        command += [*self.compiler.lto_flags, "-Wl,--emit-relocs"]  # where addresses are taken
        command += ["-Wl,--whole-archive", archives[0], "-Wl,--no-whole-archive"]
        # What the libraries need may be in the drivers.
        command += ["-Wl,--start-group", *archives[1:], *self.target.libraries]
        command += [f"-Wl,-Map={self.linked.with_suffix('.map')}", "-o", str(self.linked)]
        self.file.add(self.linked, [*objects, stacks, script, *archives], command, "link")

    def _compile(self, objects: list[Path]) -> None:
        ok, said = ninja.run(self.out, objects, self.progress)
        self.said += diagnostics.without_ninja(said)
        if not ok:
            own = self.compiler.sketch
            raise diagnostics.compile_error(said, [*own.tabs, *own.sources])

    def _link(
        self, objects: list[Path], own: nm.Names
    ) -> tuple[Program, list[Thread], Stacks | HostStacks]:
        """Links until every stack is as large as the analysis says: twice, or once when the sizes
        of the last build still hold."""
        archives = self.compiler.archives
        memory = self.out / "obj" / "stacks.json"
        names = stackfile.wanted(self.target, own, archives)
        sizes = self._link_first(objects, stackfile.remembered(memory, names))
        stacks = None
        for _ in range(3):
            self._link_once(objects, sizes)
            program = Program(self.linked)
            stacks = stacks_of(program, self.board, stacks)
            threads = layout.threads(program, stacks)
            needed = sizes | {
                symbol: thread.stack_need
                for thread in threads
                for symbol in sizes
                if program.by_name.get(symbol) and program.by_name[symbol].address == thread.stack
            }
            if stackfile.INTERRUPTS in sizes:
                needed[stackfile.INTERRUPTS] = stacks.aligned(stacks.interrupts().bytes)
            if needed == sizes:
                break
            sizes = needed
        memory.write_text(json.dumps(sizes))
        return program, threads, stacks

    def _link_first(self, objects: list[Path], sizes: dict[str, int]) -> dict[str, int]:
        """The sizes it links with: those of the last build may be more than there is room for."""
        try:
            self._link_once(objects, sizes)
        except UserError:
            sizes = dict.fromkeys(sizes, stackfile.PROVISIONAL)
            self._link_once(objects, sizes, at_least=bool(sizes))
        return sizes

    def _link_once(
        self, objects: list[Path], sizes: dict[str, int], at_least: bool = False
    ) -> None:
        """at_least: the sizes are not known yet."""
        text = stackfile.source(sizes, 1 if self.board.core == "avr" else 8, self.called)
        ninja.write_if_changed(self.stack_source, text)
        ok, said = ninja.run(self.out, [self.linked], self.progress)
        if ok:
            return
        error = diagnostics.link_error(said, self.board, at_least)
        if "bytes more than" in error.what:
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

    def _finish(
        self,
        program: Program,
        elf: bytes,
        threads: list[Thread],
        isr_stack: tuple[int, int],
        warnings: list[str],
        verdict: admission.Admission | None,
        assumed: list[str],
    ) -> Build:
        start, image = images.flat(program, elf)
        flash, ram = layout.memory(program, self.board)
        files = images.outputs(self.out, self.compiler.sketch.name, self.board)
        contents = {"elf": elf, **images.made(self.board, start, image)}
        images.publish({path: contents[kind] for kind, path in files.items()})
        return Build(
            self.compiler.sketch, self.board, self.out, files, flash, ram, threads, warnings,
            self.compiler.trace, *isr_stack, verdict, self.said, assumed,
        )  # fmt: skip
