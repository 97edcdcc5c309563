"""Stacks and verdicts hang on no function's name: with others they are the same."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from programs_of_all_kinds import MCUS, written
from takt import boards
from takt.build import build, cmake, kernel
from takt.build.cmake import Target
from takt.code.elf import Program
from takt.code.stacks import Stacks
from takt.code.stacks_host import stacks_of


def symbols(target: Target, path: Path | str) -> list[tuple[str, str]]:
    """Kind and name."""
    said = subprocess.run([target.tool("nm"), path], capture_output=True, text=True, check=True)
    rows = (line.split() for line in said.stdout.splitlines())
    return [(row[-2], row[-1]) for row in rows if len(row) > 1]


def renamed(target: Target, path: Path | str, names: dict[str, str], out: Path) -> Path:
    out.parent.mkdir(parents=True, exist_ok=True)
    listed = out.with_suffix(".names")
    listed.write_text("".join(f"{old} {new}\n" for old, new in names.items()))
    command = [target.tool("objcopy"), f"--redefine-syms={listed}", str(path), str(out)]
    subprocess.run(command, check=True)
    return out


def told(built: build.Build) -> list[object]:
    """What may not change: needs, doubts and the verdict."""
    threads = [(t.name, t.stack_need, len(t.doubts), t.handler, t.periodic) for t in built.threads]
    bounds = built.admission.bounds if built.admission else None
    return [threads, built.isr_stack_need, bounds, [s[:3] for s in map(tuple, held(built))]]


def held(built: build.Build) -> list[tuple[object, ...]]:
    return [(s.thread, s.us, s.stated) for s in built.sections]


@pytest.mark.parametrize("board", MCUS)
def test_static_functions_of_ours(
    board: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of kernel, port, drivers, board and API, each by a name that once meant something."""
    meant = ("takt_", "port_", "isr_", "alarm_", "__vector_", "takt_task_", "takt_thread_")
    target = cmake.target_libraries(board, "plain")
    real = kernel.compiled
    count = 0

    def other(archive: str, number: int) -> str:
        nonlocal count
        names = {}
        shared = {name for kind, name in symbols(target, archive) if kind != "t"}
        for kind, name in symbols(target, archive):
            own = kind == "t" and name not in shared and not name.startswith("_Z")
            if own and re.fullmatch(r"[A-Za-z_]\w*", name):
                new = f"{meant[len(names) % len(meant)]}{len(names)}_own_{number}"
                names.setdefault(name, new)
        count += len(names)
        return str(renamed(target, archive, names, tmp_path / "renamed" / Path(archive).name))

    @contextmanager
    def compiled(*args: object) -> Iterator[list[str]]:
        with real(*args) as archives:
            yield [other(archive, 9 - n) for n, archive in enumerate(archives)]

    others = [other(archive, n) for n, archive in enumerate(target.archives["plain"])]
    changed = replace(target, archives={**target.archives, "plain": others})
    for folder in written(boards.load(board), tmp_path):
        own = build.build(folder, boards.load(board), False, tmp_path / "a", admit=False)
        with monkeypatch.context() as patch:
            patch.setattr(cmake, "target_libraries", lambda *_, **__: changed)
            patch.setattr(kernel, "compiled", compiled)
            again = build.build(folder, boards.load(board), False, tmp_path / "b", admit=False)
        assert told(again) == told(own), folder.name
    assert count > 40


# What the core, the linker and the compiler call by name.
KEPT = re.compile(r"isr_\w+|__\w+|_Z.*|\$.*")


@pytest.mark.parametrize("trace", [False, True], ids=["plain", "trace"])
@pytest.mark.parametrize("board", MCUS)
def test_all_functions_of_a_program(board: str, trace: bool, tmp_path: Path) -> None:
    """Of a linked program, global ones, too: only the symbols change."""
    target = cmake.target_libraries(board, "trace" if trace else "plain")
    for folder in written(boards.load(board), tmp_path):
        out = tmp_path / "built" / folder.name
        built = build.build(folder, boards.load(board), trace, out, admit=False)
        functions = {s.name for s in Program(built.elf).symbols if s.kind == "FUNC"}
        own = sorted(name for name in functions if not KEPT.fullmatch(name))
        assert len(own) > 3
        names = {name: f"takt_fatal_{n}" for n, name in enumerate(own)}
        out = tmp_path / "all" / folder.name / "again.elf"
        again = renamed(target, built.elf, names, out)
        shutil.copytree(built.elf.parent / "obj", out.parent / "obj")
        assert not set(own) & {s.name for s in Program(again).symbols}
        assert needs(again, board) == needs(built.elf, board), folder.name


def needs(elf: Path, board: str) -> list[object]:
    program = Program(elf)
    stacks = stacks_of(program, boards.load(board))
    assert isinstance(stacks, Stacks)
    found = [(t.name, stacks.thread(t)) for t in program.threads()]
    told = [(name, need.bytes, len(need.doubts)) for name, need in found]
    return [*told, stacks.interrupts().bytes]
