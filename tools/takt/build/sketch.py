"""Sketches: a folder of .ino tabs becomes one C++ file, as Arduino makes it.

The main tab comes first, the others in alphabetical order; #line directives keep messages about
the user's own files. prototypes.py then adds the prototypes.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

from takt.errors import UserError
from takt.paths import COMMAND, LOCK, shown

TABS = (".ino", ".pde")
SOURCES = (".c", ".cpp", ".cc", ".cxx", ".S")
HEADERS = (".h", ".hh", ".hpp", ".hxx")  # may stand among sources
PROGRAM = ".program"
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_. -]*")  # of a new one


@dataclass(frozen=True)
class Sketch:
    name: str
    folder: Path
    tabs: list[Path]  # in order; none for a C program with a main() of its own
    sources: list[Path]  # C, C++ and assembler files beside the tabs and below src/
    includes: list[Path] = field(default_factory=list)  # of a program file
    definitions: list[str] = field(default_factory=list)  # of one

    @property
    def main_file(self) -> Path:
        """What messages about the whole program name."""
        return (self.tabs or self.sources)[0]


def find(path: Path) -> Sketch:
    """The sketch in a folder, or the one a .ino file belongs to."""
    if not path.exists():
        raise UserError("no such sketch", shown(path), "give a folder with a .ino file", 2)
    if path.suffix == PROGRAM:
        return _described(path)
    folder = (path.parent if path.is_file() else path).resolve()
    found = sorted((f for f in folder.iterdir() if f.suffix in TABS and f.is_file()), key=_order)
    if not found and (sources := _sources(folder)):
        return Sketch(folder.name, folder, [], sources)
    if not found:
        fix = f"give a folder with a .ino file, or make one: {COMMAND} new my-sketch"
        fix = f"{COMMAND} new {shlex.quote(shown(folder))}" if _possible(folder) else fix
        raise UserError("no .ino file here", shown(folder), fix, 2)
    main = [f for f in found if f.stem == folder.name] or (found if len(found) == 1 else [])
    if path.is_file() and path.suffix in TABS and not main:
        main = [path.resolve()]
    if not main:
        names = ", ".join(f.name for f in found)
        raise UserError(
            f"which of these is the main tab? {names}",
            shown(folder),
            f"name it like its folder: {folder.name}.ino",
            2,
        )
    tabs = main[:1] + [f for f in found if f != main[0]]
    return Sketch(main[0].stem, folder, tabs, _sources(folder))


def _described(file: Path) -> Sketch:
    """By a program file, which takt_firmware() of cmake/TaktConfig.cmake writes: a word and a value
    a line; folder is where the world of the program is."""
    said: dict[str, list[str]] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        word, _, value = line.partition(" ")
        said.setdefault(word, []).extend([value] if value else [])
    given = [Path(source) for source in dict.fromkeys(said.get("source", []))]
    tabs = [source for source in given if source.suffix in TABS]
    sources = [source for source in given if source.suffix not in (*TABS, *HEADERS)]
    for source in sources:
        if source.suffix not in SOURCES:
            what = f"not a source that Takt compiles: {shown(source)}"
            raise UserError(what, shown(file), f"those end in {' '.join((*TABS, *SOURCES))}", 2)
    if not (tabs or sources):
        raise UserError("a program without sources", shown(file), "name some: SOURCES main.c", 2)
    (folder,) = map(Path, said["folder"])
    includes, definitions = said.get("include", []), said.get("define", [])
    for option in said.get("option", []):
        if option.startswith("-I") and option != "-I":
            includes.append(option[2:])
        elif option.startswith("-D") and option != "-D":
            definitions.append(option[2:])
        else:
            fix = f"of target_compile_options({file.stem} INTERFACE ...), and of what it is linked "
            fix += "with, leave -DNAME and -IFOLDER only; the other options are Takt's"
            raise UserError(f"the compiler is not given {option}", shown(file), fix, 2)
    for option in said.get("linking", []):
        fix = f"leave target_link_options({file.stem} INTERFACE ...) out: how is linked is Takt's"
        raise UserError(f"the linker is not given {option}", shown(file), fix, 2)
    folders = [Path(one) for one in dict.fromkeys(includes)]
    return Sketch(file.stem, folder, tabs, sources, folders, definitions)


def _possible(folder: Path) -> bool:
    """Whether a new sketch can be made in the folder, which exists."""
    return bool(NAME.fullmatch(folder.name)) and not any(folder.iterdir())


def _order(path: Path) -> tuple[str, str]:
    return path.name.lower(), path.name


def _sources(folder: Path) -> list[Path]:
    beside = [f for f in folder.iterdir() if f.suffix in SOURCES and f.is_file()]
    below = [f for f in (folder / "src").rglob("*") if f.suffix in SOURCES and f.is_file()]
    return sorted(beside) + sorted(f for f in below if not _is_made(f, folder))


def _is_made(file: Path, folder: Path) -> bool:
    """Whether it lies among the outputs of a build, when src/ has been built as a sketch."""
    inside = file.relative_to(folder).parents
    return any((folder / place / LOCK).is_file() for place in inside)


def line_directive(line: int, file: Path | str) -> str:
    name = str(file).replace("\\", "\\\\").replace('"', '\\"')
    return f'#line {line} "{name}"\n'


def merge(sketch: Sketch) -> str:
    """All tabs in one text, without prototypes."""
    parts = ["#include <Arduino.h>\n"]
    for tab in sketch.tabs:
        try:
            text = tab.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as error:
            raise UserError(
                "not a UTF-8 text", f"{shown(tab)}: byte {error.start}", "save it as UTF-8"
            ) from error
        parts.append(line_directive(1, tab) + text.replace("\r\n", "\n").rstrip("\n") + "\n")
    return "".join(parts)
