"""C programs on boards, for all tests here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from everywhere import QEMU
from programs import Run, link
from takt import run
from takt.machine_qemu import QemuMachine
from takt.result import Result
from takt.run import SENTINEL_BYTES

STOP_BYTES = 108  # what QEMU's stops push, with an FPU
BOOT_BYTES = 256  # the pico's boot code at the end of the interrupts' stack


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
            assert thread["stack_used"] <= thread["stack_size"] - SENTINEL_BYTES, thread
        if used is not None:
            assert used <= own.isr_stack_size - SENTINEL_BYTES
        if used is not None and not any("interrupts is a guess" in w for w in own.warnings):
            more = STOP_BYTES if own.board.name in QEMU else 0
            assert used <= max(own.isr_stack_need, BOOT_BYTES) + more
        return result

    monkeypatch.setattr(run, "Result", checked)


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
    for begun in runs:
        if isinstance(begun.machine, QemuMachine):
            begun.machine.close()
