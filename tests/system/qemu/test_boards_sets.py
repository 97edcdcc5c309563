"""Sets of threads that no board can run: what the build says, or the program when it starts."""

from __future__ import annotations

from pathlib import Path

import pytest
from everywhere import AVR, BOARDS, PC, SIM
from programs import FLASHED
from takt import boards
from takt.build.build import build
from takt.errors import UserError

WITH_RAM = (*(board for board in BOARDS if board not in (SIM, PC)), "atmega324p")
LOOPS = """
#include <takt/sem.h>
#include <takt/thread.h>

TAKT_TELLS_FATAL;

static struct takt_sem never = TAKT_SEM_INIT(0);
volatile uint32_t arrived, done;
static void wait(void *arg) {{ (void)arg; arrived++; for (;;) takt_sem_wait(&never); }}
static void last(void *arg) {{ (void)arg; arrived++; done = 1; for (;;) continue; }}
void (*const entries[])(void *) = {{wait, last}};
{threads}
int main(void) {{ takt_start(); }}
"""


def program(tmp_path: Path, *stacks: int) -> Path:
    folder = tmp_path / "set"
    folder.mkdir()
    least = len(stacks) - 1
    threads = (
        f"TAKT_THREAD(t{n}, {n}, {'last' if n == least else 'wait'}, 0, {size})\n"
        for n, size in enumerate(stacks)
    )
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


def most_threads(board: str) -> int:
    return 8 if board in AVR else 64 if board == PC else 32


@pytest.mark.parametrize("board", (*BOARDS, "atmega324p"))
def test_too_many_threads(start, board: str, tmp_path: Path) -> None:
    """Refused by the build, and by a program that was linked without it."""
    most = most_threads(board)
    folder = program(tmp_path, *[64] * (most + 1))
    told = refused(board, folder, tmp_path / "out")
    assert told.what == f"{most + 1} threads, and {board} has room for {most}"
    run = start(board, str(folder / "set.c"))
    assert run.until_done(50) == "halt"
    assert run.text == f"\r\ntakt: fatal: a program needs 1 to {most} threads\r\n"


@pytest.mark.parametrize("board", (*BOARDS, "atmega324p"))
def test_as_many_threads_as_there_can_be(start, board: str, tmp_path: Path) -> None:
    """Built, and they run."""
    own = {SIM: 65536, PC: 8192, "lm3s6965evb": 512, "mps2-an386": 768}
    stack = own.get(board, 110 if board in AVR else 192)
    folder = program(tmp_path, *[stack] * most_threads(board))
    run = start(board, str(folder / "set.c"), how=FLASHED)
    assert run.until_done(50) == "done", run.text
    assert run.value("arrived") == most_threads(board) and run.text == ""


@pytest.mark.parametrize("board", (*BOARDS, "atmega324p"))
def test_no_thread(start, board: str, tmp_path: Path) -> None:
    folder = program(tmp_path)
    told = refused(board, folder, tmp_path / "out")
    assert told.what == "no thread to run"
    run = start(board, str(folder / "set.c"))
    assert run.until_done(50) == "halt"
    assert run.text == f"\r\ntakt: fatal: a program needs 1 to {most_threads(board)} threads\r\n"
