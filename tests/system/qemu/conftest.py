"""Programs on boards, for the tests here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from programs import HERE, Run, link
from takt.machine_qemu import QemuMachine


@pytest.fixture(scope="session")
def linked(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Each program once."""
    folder = tmp_path_factory.mktemp("programs")

    def once(board: str, names: tuple[str, ...], *flags: str) -> Path:
        out = folder / re.sub(r"[^\w-]", "_", "-".join([board, *names, *flags]))
        sources = [HERE / name for name in names]
        return out if out.exists() else link(board, sources, out, *flags)

    return once


@pytest.fixture
def start(linked: Callable[..., Path]) -> Iterator[Callable[..., Run]]:
    """start(board, "a.c", "b.S", "-DFLAG") -> the program on the board, at its beginning."""
    runs: list[Run] = []

    def begin(board: str, *arguments: str) -> Run:
        names = tuple(a for a in arguments if not a.startswith("-"))
        flags = [a for a in arguments if a.startswith("-")]
        runs.append(Run(board, linked(board, names, *flags)))
        return runs[-1]

    yield begin
    for run in runs:
        if isinstance(run.machine, QemuMachine):
            run.machine.close()
