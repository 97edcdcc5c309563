"""Sets of threads that no board can run: what the build says, or the program when it starts."""

from __future__ import annotations

from pathlib import Path

import pytest
from everywhere import AVR, BOARDS, PC, SIM
from takt import boards
from takt.build import build
from takt.errors import UserError

WITH_RAM = (*(board for board in BOARDS if board not in (SIM, PC)), "atmega324p")
LOOPS = """
#include <takt/sem.h>
#include <takt/thread.h>

TAKT_TELLS_FATAL;

static struct takt_sem never = TAKT_SEM_INIT(0);
static void wait(void *arg) {{ (void)arg; for (;;) takt_sem_wait(&never); }}
{threads}
int main(void) {{ takt_start(); }}
"""


def program(tmp_path: Path, *stacks: int) -> Path:
    folder = tmp_path / "set"
    folder.mkdir()
    threads = (f"TAKT_THREAD(t{n}, {n}, wait, 0, {size})\n" for n, size in enumerate(stacks))
    (folder / "set.c").write_text(LOOPS.format(threads="".join(threads)))
    return folder


def refused(board: str, folder: Path, out: Path) -> UserError:
    with pytest.raises(UserError) as raised:
        build(folder, boards.load(board), out=out)
    return raised.value


@pytest.mark.parametrize("board", WITH_RAM)
def test_stacks_that_do_not_fit(board: str, tmp_path: Path) -> None:
    ram = boards.load(board).ram.size
    told = refused(board, program(tmp_path, ram // 2, ram // 2), tmp_path / "out")
    assert f"bytes more than the RAM of {ram}" in told.what


@pytest.mark.parametrize("board", WITH_RAM)
def test_a_stack_below_what_an_interrupt_pushes(board: str, tmp_path: Path) -> None:
    told = refused(board, program(tmp_path, 1024, 32, 24), tmp_path / "out")
    assert told.what.startswith("t1 has 32 bytes of stack and needs")
    assert "; t2 has 24 bytes of stack and needs" in told.what
    assert "--no-trace" in told.fix and "leave" not in told.fix, "TAKT_THREAD() wants a size"


@pytest.mark.parametrize("board", (*BOARDS, "atmega324p"))
def test_too_many_threads(start, board: str, tmp_path: Path) -> None:
    most = 8 if board in AVR else 64 if board == PC else 32
    folder = program(tmp_path, *[64] * (most + 1))
    run = start(board, str(folder / "set.c"))
    assert run.until_done(50) == "halt"
    assert run.text == f"\r\ntakt: fatal: a program needs 1 to {most} threads\r\n"
