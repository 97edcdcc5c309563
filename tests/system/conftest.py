"""C programs on boards, for all tests here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from programs import Run, link
from takt.machine_qemu import QemuMachine


@pytest.fixture(scope="session")
def linked(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Each program once."""
    folder = tmp_path_factory.mktemp("programs")

    def once(board: str, sources: list[Path], *flags: str) -> Path:
        names = [f"{source.parent.name}_{source.name}" for source in sources]
        out = folder / re.sub(r"[^\w-]", "_", "-".join([board, *names, *flags]))
        return out if out.exists() else link(board, sources, out, *flags)

    return once


@pytest.fixture
def start(
    linked: Callable[..., Path], request: pytest.FixtureRequest
) -> Iterator[Callable[..., Run]]:
    """start(board, "a.c", "b.S", "-DFLAG") -> the program on the board, at its beginning."""
    runs: list[Run] = []

    def begin(board: str, *arguments: str) -> Run:
        sources = [request.path.parent / a for a in arguments if not a.startswith("-")]
        flags = [a for a in arguments if a.startswith("-")]
        runs.append(Run(board, linked(board, sources, *flags)))
        return runs[-1]

    yield begin
    for run in runs:
        if isinstance(run.machine, QemuMachine):
            run.machine.close()
