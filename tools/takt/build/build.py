"""Builds a sketch for a board.

Two passes: linked once with provisional stacks, the program is analysed (stacks.py) and linked
again with stacks of the size each thread needs. Then admission decides. Outputs appear only when
all of this has succeeded, under their final names in one step each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from takt.admit import (
    admission,
    blocking,
    events,
    jitter,
    known,
    layout,
    locks,
    pipe_records,
    pipes,
    plain,
    verdicts,
)
from takt.admit.layout import Thread
from takt.admit.places import places
from takt.boards import Board
from takt.build import (
    cmake,
    features,
    images,
    kernel,
    libraries,
    loops,
    ninja,
    nm,
    recursions,
    sketch,
    variants,
)
from takt.build.built import Build
from takt.build.compile import Compiler
from takt.build.exclusive import exclusive
from takt.build.linker import Linker
from takt.build.mistakes import diagnostics
from takt.build.ninja import Progress
from takt.code.architecture import AVR
from takt.code.avr import clock_writes
from takt.code.elf import Program
from takt.code.lines import Lines
from takt.code.stacks import Stacks
from takt.code.stacks_host import HostStacks
from takt.errors import UserError
from takt.paths import output_folder, shown

MOST_LOOKS = 3  # times that recursions are sought: what is compiled anew may show others


def build(
    path: Path,
    board: Board,
    trace: bool = True,
    out: Path | None = None,
    extra_libs: Sequence[Path] = (),
    *,
    admit: bool = True,
    lto: bool = False,
    flash: bool = False,
    cpus: int = 1,
    defines: Sequence[str] = (),
    progress: Progress | None = None,
) -> Build:
    """Builds, or raises UserError and leaves no outputs. admit=False lets a program through that
    admission refuses; its verdict is in the result either way. lto: variants.py; flash: left.py."""
    found = sketch.find(Path(path))
    variant = variants.choose(found, board, trace, lto)
    out = folder_of(found, board, variant, out)
    with exclusive(out):
        try:
            if progress:
                progress("libraries", 0, 1)
            compiler = _compiler(found, board, variant, out, extra_libs, defines)
            with cmake.in_use(board.libraries):
                return _Job(compiler, progress, flash).run(admit, cpus)
        except BaseException:
            images.withdraw(out, found.name, board)  # those of an earlier build: stale
            raise


def libraries_of(
    path: Path, board: Board, extra_libs: Sequence[Path], defines: Sequence[str] = ()
) -> list[libraries.Library]:
    """Those that a build would take."""
    found = sketch.find(Path(path))
    variant = variants.choose(found, board, True, False)
    out = folder_of(found, board, variant)
    with exclusive(out):
        compiler = _compiler(found, board, variant, out, extra_libs, defines)
        compiler.prepare()
        compiler.require_headers()
        return compiler.libraries


def _compiler(
    found: sketch.Sketch,
    board: Board,
    variant: str,
    out: Path,
    extra_libs: Sequence[Path],
    defines: Sequence[str],
) -> Compiler:
    target = cmake.target_libraries(board, variant)
    extra = tuple(Path(path).resolve() for path in extra_libs)
    roots = libraries.roots(found.folder, extra, board.name)
    return Compiler(target, board, variant, found, out, roots, defines=defines)


def folder_of(
    found: sketch.Sketch, board: Board, variant: str = "trace", out: Path | None = None
) -> Path:
    """Where the outputs of a sketch lie, and those of its last run."""
    name = board.libraries + variants.SUFFIX[variant]
    return Path(out).resolve() if out else output_folder(found.folder, name)


class _Job:
    """One build, its folder locked."""

    def __init__(self, compiler: Compiler, progress: Progress | None, flash: bool) -> None:
        self.compiler, self.progress = compiler, progress
        self.target, self.board, self.out = compiler.target, compiler.board, compiler.out
        self.linker = Linker(compiler, progress, flash)
        self.said, self.shared = "", False
        self.objects: list[Path] = []
        self.used: features.Features = frozenset()

    def run(self, admit: bool, cpus: int) -> Build:
        self.compiler.prepare()
        looking = recursions.remembered(self.out)
        try:
            return self._run(looking, admit, cpus)
        except UserError as error:
            if not looking or "recursion" not in error.what:
                raise
        return self._run({}, admit, cpus)  # functions that look are harder to see through

    def _run(self, looking: recursions.Looking, admit: bool, cpus: int) -> Build:
        self.compiler.looking = looking
        self.objects = objects = self._compiled()
        own = nm.names(self.target.tool("nm"), objects)
        self.used, self.shared = loops.find_used(self.linker, objects, own)
        variant = self.compiler.variant
        with kernel.compiled(
            self.target, self.board.name, variant, self.used, self.progress
        ) as made:
            self.linker.add(objects, made)
            linked = self.linker.link(objects, own)
            for _ in range(MOST_LOOKS):
                looking = recursions.wanted(self.compiler, objects, *linked[1:])
                if looking == self.compiler.looking:
                    break
                self.compiler.looking = looking
                self._compiled()
                linked = self.linker.link(objects, own)
            recursions.remember(self.out, self.compiler.looking)
            return self._linked(*linked, own, admit, cpus)

    def _linked(
        self,
        program: Program,
        threads: list[Thread],
        stacks: Stacks | HostStacks,
        own: nm.Names,
        admit: bool,
        cpus: int,
    ) -> Build:
        where = shown(self.compiler.sketch.main_file)
        place = places([*self.compiler.sketch.tabs, *self.compiler.sketch.sources])
        layout.check_count(program, self.board, place, where)
        verdicts.require_watched(threads, place)
        interrupts = stacks.interrupts()
        isr_size = layout.interrupt_stack(program)
        warnings = list(libraries.warnings(self.compiler.libraries, self.board))
        warnings += variants.check(program, self.compiler.variant, self.used, where)
        warnings += layout.check_stacks(threads, self.board, place, where, self.compiler.trace)
        caught = program.architecture is not AVR  # there RAM has no end that would be a fault
        warnings += layout.check_interrupt_stack(isr_size, interrupts, self.board, caught, where)
        self.board = blocking.with_waiters(self.board, program, len(threads))
        pins = events.find(threads, self.board, program)
        warnings += pins.warnings()
        asked = pipe_records.find(program, threads, pins.costs.start_us)
        asked.require_possible(place)
        lines = Lines(program.path, self.target.tool("addr2line"), self.compiler.source_names)
        clock_writes.require_none(stacks, lines)
        found_locks = locks.find(program, stacks, threads, self.board, lines)

        def judge(given: list[Thread]) -> tuple[admission.Admission | None, list[pipes.Pipe]]:
            verdict = verdicts.judge(given, self.board, program, pins, asked, found_locks, cpus)
            return verdict, asked.judge(verdict, pins.bottoms, place)

        usual = threads
        if self.shared:
            threads = plain.fitted(usual, lambda given: plain.admitted(*judge(given)))
        verdict, proved = judge(threads)
        if verdict and admit:
            verdict.require(place)
            pipes.require(proved)
        stack = (interrupts.bytes, isr_size)
        unseen = "takt_mutex_lock" in own.referred and not found_locks.seen
        rests_on = verdicts.assumed(threads, verdict, self.board, program, pins, unseen, asked)
        costs_of = self.compiler.costs_of(verdict)
        rests_on = [*plain.told(usual, threads), *rests_on, *costs_of]
        filled = dict(found_locks.ceilings)
        if found_locks.seen:
            filled |= known.in_image(program, verdict, threads, pins, asked)
        if threads != usual:
            filled |= plain.in_image(program, threads)
        if self.compiler.looking:
            filled |= recursions.limits(self.board.core, program, usual, stacks.least)
        if not proved:
            filled |= jitter.in_image(program, verdict, threads)
        elf = images.with_bytes(self.linker.linked.read_bytes(), filled)
        built = self._finish(program, elf, threads, stack, warnings, verdict, rests_on)
        found = pins.events(verdict.case, verdict.admitted) if verdict and verdict.case else []
        return replace(
            built,
            events=found,
            pipes=proved,
            lines=pins.lines,
            ring=self.target.trace_events if built.trace else 0,
            sections=found_locks.held,
            source_names=self.compiler.source_names,
            used=self.used,
            costs_of=costs_of,
            own_warnings=self.compiler.said_of_own(self.objects),
        )

    def _compiled(self) -> list[Path]:
        file = ninja.NinjaFile()
        objects = self.compiler.objects(file)
        file.write(self.out / "build.ninja")
        ok, said = ninja.run(self.out, objects, self.progress)
        self.said += diagnostics.without_ninja(said)
        if not ok:
            own = self.compiler.sketch
            raise diagnostics.compile_error(said, [*own.tabs, *own.sources])
        return objects

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
