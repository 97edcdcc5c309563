"""How the files of a sketch and of its libraries are compiled."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from takt.boards import CLANG, GCC, Board
from takt.build import libraries, platformio, precompiled, prototypes, recursions, sketch
from takt.build.cmake import Target
from takt.build.ninja import NinjaFile, write_if_changed
from takt.code import source_names
from takt.code.callgraph import READ
from takt.errors import UserError
from takt.paths import shown

# Arduino's own compiler settings: sketches rely on what these let pass.
TOLERANT = {
    GCC: ["-fpermissive", "-Wno-narrowing"],
    CLANG: ["-Wno-c++11-narrowing"],
}
# Errors in loop(id, C, T) are told where it stands; clang does so.
PLACES = {GCC: ["-ftrack-macro-expansion=0"], CLANG: []}
TARGET = "--target="  # an option of clang's only
COMMANDS = "compile_commands.json"
ARDUINO_VERSION = 10819
# The major version of GCC whose code of the kernel the boards' costs were measured of, by core.
MEASURED = {"arm": "12", "avr": "5", "x86_64": "12", "host": ""}
NAMES = {GCC: "GCC", CLANG: "clang"}


@dataclass
class Compiler:
    target: Target
    board: Board
    variant: str  # of the libraries, see cmake.target_libraries()
    sketch: sketch.Sketch
    out: Path
    library_roots: list[Path]
    libraries: list[libraries.Library] = field(default_factory=list)
    looking: recursions.Looking = field(default_factory=dict)
    defines: Sequence[str] = ()  # NAME or NAME=VALUE, of the command line

    @property
    def trace(self) -> bool:
        return self.variant == "trace"

    @property
    def archives(self) -> list[str]:
        return self.target.archives[self.variant]

    def costs_of(self, verdict: object) -> list[str]:
        """What a verdict rests on where the kernel's costs were measured of another compilation."""
        measured = MEASURED.get(self.board.core, MEASURED["arm"])
        version, _, _ = self.target.version.partition(".")
        same = self.board.compiler == GCC and version == measured
        if not verdict or not measured or (same and not self.board.checks):
            return []
        how = f"{NAMES[self.board.compiler]} {version}" + ", with checks" * self.board.checks
        what = "the kernel's own costs, on which this rests, were measured of code of GCC"
        return [f"{what} {measured}; this is {how}"]

    def said_of_own(self, objects: list[Path]) -> str:
        """What the compiler has said of the sketch's own files, whenever they were compiled."""
        own = [one for one in objects if not one.is_relative_to(self.out / "obj" / "libraries")]
        files = [Path(f"{said}.said") for one in own for said in (one, one.with_suffix(".s"))]
        texts = [file.read_text(errors="replace") for file in files if file.is_file()]
        return "".join(dict.fromkeys(texts))

    @property
    def lto_flags(self) -> list[str]:
        return self.target.lto_flags if self.variant == "lto" else []

    @property
    def clock(self) -> list[str]:
        """F_CPU, where the flags of the board have none."""
        known = any(flag.startswith("-DF_CPU=") for flag in self.target.flags)
        return [] if known else [f"-DF_CPU={self.board.clock_hz}L"]

    @property
    def source_names(self) -> source_names.SourceNames:
        """What the program calls the folders its files are in."""
        own = [(library.name, library.includes[0]) for library in self.libraries]
        return source_names.names(self.target.renaming, self.sketch.folder, self.out, own)

    @property
    def merged(self) -> Path:
        """The file the tabs become."""
        return self.out / "obj" / f"{self.sketch.name}.ino.cpp"

    def command(self, suffix: str) -> list[str]:
        """Compiler and flags for files of a suffix, without include folders."""
        events = self.target.trace_events if self.trace else 0
        plus_plus = suffix not in (".c", ".S")
        tolerant = self.target.cxx_flags + TOLERANT[self.board.compiler]
        flags = tolerant if plus_plus else self.target.c_flags
        return [
            self.target.cxx if plus_plus else self.target.cc,
            *self.target.flags,
            *self.lto_flags,
            *(flags if suffix != ".S" else []),
            "-Wall",
            *([] if self.board.core == "avr" else ["-Wcast-function-type"]),  # _shown() for AVR
            "-fdiagnostics-color=never",
            *PLACES[self.board.compiler],
            f"-DARDUINO={ARDUINO_VERSION}",
            "-DARDUINO_ARCH_TAKT",
            *(f"-D{name}" for name in self.board.defines),
            f"-DARDUINO_TAKT_{self.board.name.upper().replace('-', '_')}",
            *self.clock,
            f"-DTAKT_TRACE_EVENTS={events}",
            *(f"-D{definition}" for definition in self.sketch.definitions),
            *self._defined,
        ]

    @property
    def _defined(self) -> list[str]:
        return [f"-D{name}" for name in self.defines]

    @property
    def includes(self) -> list[Path]:
        """Include folders in order: the sketch, its libraries, Takt."""
        return self._own_includes + [Path(folder) for folder in self.target.includes]

    @property
    def _own_includes(self) -> list[Path]:
        found = [folder for library in self.libraries for folder in library.includes]
        own = [self.sketch.folder, *self.sketch.includes]
        return [*own, *platformio.includes(self.sketch.folder), *found]

    def prepare(self) -> None:
        """Merges the tabs, finds the libraries, adds the prototypes."""
        self.merged.parent.mkdir(parents=True, exist_ok=True)
        if not self.sketch.tabs:
            self._find_libraries([])
            return
        scratch = self.out / "obj" / "merged.cpp"
        text = sketch.merge(self.sketch)
        write_if_changed(scratch, text)
        self._find_libraries([scratch])
        preprocessed = self._preprocess(scratch)
        if preprocessed is not None:
            files = {str(tab) for tab in self.sketch.tabs}
            text = prototypes.add(text, preprocessed, files, self.out / "obj" / "tags.cpp")
        write_if_changed(self.merged, text)

    def require_headers(self) -> None:
        """Raises for one that no library has, which a compilation would say, too."""
        commands = {suffix: self.command(suffix) for suffix in sketch.SOURCES}
        sources = [self.merged] if self.sketch.tabs else []
        sources += [*self.sketch.sources, *(s for one in self.libraries for s in one.sources)]
        found = libraries.unresolved(sources, commands, self.includes)
        if found:
            header, source = found
            asks = self.sketch.main_file if source == self.merged else source
            raise UserError(f"no header {header}", shown(asks), libraries.PUT)

    def _find_libraries(self, merged: list[Path]) -> None:
        """Those that the merged tabs and the other files ask for."""
        commands = {suffix: self.command(suffix) for suffix in sketch.SOURCES}
        sources = [*merged, *self.sketch.sources]
        found = libraries.resolve(sources, commands, self.includes, self.library_roots)
        names = dict.fromkeys(merged, self.sketch.main_file)
        self.libraries = [replace(one, asker=names.get(one.asker, one.asker)) for one in found]

    def _preprocess(self, source: Path) -> str | None:
        """Headers included, conditionals decided, macros left alone, which is GCC's; None if that
        fails, for then the compilation will say why."""
        folders = [f"-I{folder}" for folder in self.includes]
        _, *flags = self.command(".cpp")
        flags = [flag for flag in flags if not flag.startswith(TARGET)]
        command = [
            self.target.linker,
            *flags,
            *folders,
            "-E",
            "-fdirectives-only",
            "-w",
            str(source),
        ]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        return done.stdout if done.returncode == 0 else None

    def objects(self, file: NinjaFile) -> list[Path]:
        """Adds the compilation of everything to the ninja file."""
        result = []
        if self.sketch.tabs:
            result.append(self._object(file, self.merged, self.out / "obj" / "sketch.o", "sketch"))
        for source in self.sketch.sources:
            inside = source.is_relative_to(self.sketch.folder)
            name = source.relative_to(self.sketch.folder if inside else source.anchor)
            result.append(self._object(file, source, self._path("sketch", name), str(name)))
        for library in self.libraries:
            root = library.includes[0]
            for source in library.sources:
                name = source.relative_to(root)
                place = self._path(f"libraries/{library.name}", name)
                result.append(self._object(file, source, place, f"{library.name}/{name}"))
        file.write_commands(self.out / COMMANDS, self.sketch.tabs, self.merged)
        return result

    def _path(self, group: str, name: Path) -> Path:
        return self.out / "obj" / group / f"{name}.o"

    def _object(self, file: NinjaFile, source: Path, output: Path, text: str) -> Path:
        dep = f"{output}.d"
        unit = re.sub(r"\W", "_", text)
        command = [*self.command(source.suffix), f"-DTAKT_UNIT={unit}"]  # arduino/interrupts.h
        takt = [f"-I{folder}" for folder in self.target.includes]
        needs: list[Path | str] = [source]
        if source == self.merged and self.board.compiler == GCC:
            kind = self.target.folder / self.variant, self.board.core
            usual = [word for word in command if word not in self._defined]
            header = precompiled.header(*kind, [*usual, *takt])
            takt = [*(f"-I{place.parent}" for place in header), *takt]
            needs += header  # the compiler names no headers that it has from there
        command += [*(f"-I{folder}" for folder in self._own_includes), *takt]
        command += self.source_names.flags()
        command += ["-MD", "-MF", dep, *self._shown(source, output)]
        functions = self.looking.get(str(output.relative_to(self.out)), [])
        if functions and source.suffix != ".S":
            self._object_that_looks(file, command, source, functions, output, needs, text)
        else:
            file.add(output, needs, [*command, "-c", str(source), "-o", str(output)], text, dep)
        return output

    def _shown(self, source: Path, output: Path) -> list[str]:
        """Where casts of functions are seen (code/callgraph.py)."""
        is_read = self.board.core == "avr" and source.suffix != ".S"
        return [f"-fdump-tree-original={output}{READ}"] if is_read else []

    def _object_that_looks(
        self,
        file: NinjaFile,
        command: list[str],
        source: Path,
        functions: list[str],
        output: Path,
        needs: list[Path | str],
        text: str,
    ) -> None:
        """By way of assembler text, in which these functions look for room (recursions.py)."""
        compiled, looks = output.with_suffix(".s"), output.with_suffix(".looks.s")
        command = [*command, *recursions.OPTIONS, "-S", str(source), "-o", str(compiled)]
        file.add(compiled, needs, command, text, f"{output}.d")
        file.add(
            looks,
            [compiled],
            recursions.inserting(self.board.core, functions, compiled, looks),
            f"{text}, looks",
        )
        cpu = [flag for flag in self.target.flags if flag.startswith("-m")]
        assemble = [self.target.gcc, *cpu, "-c", str(looks), "-o", str(output)]
        file.add(output, [looks], assemble, f"{text}, assembled")
