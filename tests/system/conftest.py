"""C programs on boards, for all tests here."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import programs
import pytest
from everywhere import QEMU
from programs import FLASHED, LINKED, Run, changed, link
from takt.cli import run
from takt.cli.run import SENTINEL_BYTES
from takt.machine.qemu import QemuMachine
from takt.result.result import Result

STOP_BYTES = 108  # what QEMU's stops push, with an FPU
BOOT_BYTES = 256  # the pico's boot code at the end of the interrupts' stack


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """write(name, text, files) makes a sketch folder."""

    def make(name: str, text: str, files: Mapping[str, str] | None = None) -> Path:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        for path, content in {f"{name}.ino": text, **(files or {})}.items():
            (folder / path).write_text(content)
        return folder

    return make


@pytest.fixture(scope="session")
def linked(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Each program once."""
    folder = tmp_path_factory.mktemp("programs")

    def once(board: str, sources: list[Path], *flags: str) -> Path:
        names = [f"{source.parent.name}_{source.name}" for source in sources]
        out = folder / re.sub(r"[^\w-]", "_", "-".join([board, *names, *flags]))
        return out if out.exists() else link(board, sources, out, *flags)

    return once


@pytest.fixture(autouse=True)
def stacks_suffice(monkeypatch: pytest.MonkeyPatch) -> None:
    """For every sketch that runs in a test: no stack has been used more than the build said."""

    def checked(**facts: Any) -> Result:
        result = Result(**facts)
        own, used = result.build, result.isr_stack_used
        for thread in result.threads():
            if thread["stack_used"] is None:  # made at run time
                continue
            assert thread["stack_used"] <= thread["stack_size"] - SENTINEL_BYTES, thread
        if used is not None:
            assert used <= own.isr_stack_size - SENTINEL_BYTES
        known = own.isr_stack_need and used is not None  # that of a PC is not
        if known and not any("interrupts is a guess" in w for w in own.warnings):
            more = STOP_BYTES if own.board.name in QEMU else 0
            assert used <= max(own.isr_stack_need, BOOT_BYTES) + more
        return result

    monkeypatch.setattr(run, "Result", checked)


@pytest.fixture(scope="session")
def flashed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Path], Path]:
    """The image of each program once, for all who run tests."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "flashed"
    return cache(
        lambda board, source: programs.flashed(board, source, folder / board / source.stem)
    )


@pytest.fixture
def start(
    linked: Callable[..., Path],
    flashed: Callable[[str, Path], Path],
    request: pytest.FixtureRequest,
    tmp_path: Path,
) -> Iterator[Callable[..., Run]]:
    """start(board, "a.c", "b.S", "-DFLAG") -> the program on the board, at its beginning. how:
    LINKED, or FLASHED, of one source; values: of constants of the program."""
    runs: list[Run] = []

    def begin(board: str, *arguments: str, how: str = LINKED, cpus: int = 1, **values: int) -> Run:
        sources = [request.path.parent / a for a in arguments if not a.startswith("-")]
        flags = [a for a in arguments if a.startswith("-")]
        elf = flashed(board, *sources) if how == FLASHED else linked(board, sources, *flags)
        if values:
            elf = changed(elf, tmp_path / f"{len(runs)}.elf", values)
        runs.append(Run(board, elf, how == LINKED, cpus))
        return runs[-1]

    yield begin
    for begun in runs:
        if isinstance(begun.machine, QemuMachine):
            begun.machine.close()
