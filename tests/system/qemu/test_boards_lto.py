"""Programs optimised at link time, where the switch is inlined into the threads."""

from __future__ import annotations

import pytest
from everywhere import ARMV6M, OURS
from takt import boards
from takt.build.build import build
from takt.code.elf import Program
from takt.paths import ROOT

REGISTERS = "../kernel/preempt/registers.S"


@pytest.mark.parametrize("board", ARMV6M)
@pytest.mark.parametrize("program", ["plain.c", "basics.c"])
def test_the_kernel_answers_the_same(start, board: str, program: str) -> None:
    start(board, program, "-flto").passed()


@pytest.mark.parametrize("board", ARMV6M)
def test_interrupts_at_every_instruction_of_a_switch(start, board: str) -> None:
    run = start(board, "window.c", REGISTERS, "fpu.S", "-DLONGEST_US=30", "-flto")
    run.passed(5000)


@pytest.mark.parametrize("board", OURS)
def test_the_switch_is_where_it_is_called(board: str, tmp_path) -> None:
    folder = ROOT / "lab" / "elli" / "switch"
    built = build(folder, boards.load(board), trace=False, lto=True, out=tmp_path, admit=False)
    assert built.warnings == []
    names = {symbol.name for symbol in Program(built.elf).symbols}
    assert not names & {"takt_sem_wait", "takt_sem_signal"}
