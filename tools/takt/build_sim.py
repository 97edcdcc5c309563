"""Builds a sketch for the simulated board: a shared library for machine_sim.SimMachine.

As build.build(), but stacks are simply large, since the host's functions have no known need, and
nothing is analysed.
"""

from __future__ import annotations

from pathlib import Path

from takt import boards, cmake, diagnostics, libraries, loops, ninja, sketch, stackfile
from takt.compile import Compiler
from takt.paths import output_folder

STACK_BYTES = 128 * 1024


def build(path: Path, out: Path | None = None, trace: bool = True) -> Path:
    """Builds, or raises UserError; returns the library."""
    board = boards.load("sim")
    found = sketch.find(Path(path))
    out = Path(out).resolve() if out else output_folder(found.folder, board.name)
    out.mkdir(parents=True, exist_ok=True)
    variant = "trace" if trace else "plain"
    target = cmake.target_libraries(board.name, variant)
    roots = libraries.roots(found.folder, ())
    compiler = Compiler(target, board, variant, found, out, roots)
    compiler.prepare()
    file = ninja.NinjaFile()
    objects = compiler.objects(file)
    archives = compiler.archives
    program = out / f"{found.name}.so"
    _add_link(file, target, objects, archives, program)
    file.write(out / "build.ninja")
    _run(out, objects, found)
    sizes = dict.fromkeys(stackfile.wanted(target, [*objects, *archives]), STACK_BYTES)
    called = loops.wanted(target, objects, str(found.main_file))
    (out / "obj" / "stacks.S").write_text(stackfile.source(sizes, threads=called))
    _run(out, [program], found)
    return program


def _add_link(
    file: ninja.NinjaFile,
    target: cmake.Target,
    objects: list[Path],
    archives: list[str],
    program: Path,
) -> None:
    source = program.parent / "obj" / "stacks.S"
    stacks = source.with_suffix(".o")
    file.add(stacks, [source], [target.cc, "-c", str(source), "-o", str(stacks)], "stacks")
    command = [target.cxx, *target.link_flags, f"-T{target.link_script}"]
    command += [*map(str, objects), str(stacks), "-Wl,--whole-archive", *archives[:2]]
    command += ["-Wl,--no-whole-archive", "-Wl,--start-group", *archives[2:], "-Wl,--end-group"]
    inputs = [*objects, stacks, target.link_script, *archives]
    file.add(program, inputs, [*command, "-lm", "-o", str(program)], "link")


def _run(out: Path, goals: list[Path], found: sketch.Sketch) -> None:
    ok, said = ninja.run(out, goals, None)
    if not ok:
        raise diagnostics.compile_error(diagnostics.without_ninja(said), [found.folder])
