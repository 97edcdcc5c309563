"""What a program does not use is not linked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from everywhere import BOARDS, PC, SIM
from takt import boards
from takt.build.build import build
from takt.code.elf import Program
from takt.code.owners import BUDGETS, TRACE, pieces
from takt.paths import ROOT

TWO_THREADS = """
#include <takt/sem.h>
#include <takt/thread.h>

static struct takt_sem ping = TAKT_SEM_INIT(0);

static void high(void *arg) { (void)arg; for (;;) takt_sem_wait(&ping); }
static void low(void *arg) { (void)arg; for (;;) takt_sem_signal(&ping); }

TAKT_THREAD(high, 1, high, 0, 720)
TAKT_THREAD(low, 2, low, 0, 720)

int main(void) { takt_start(); }
"""
FEATURES = r"vcpu|server|pibs|takt_io_|periodic|task|channel|ring|trace|rtt|sleep|alarm|mutex_"
STUB = {"takt_mutex_held"}  # a few instructions in place of the feature


def look(folder: Path, board: str, out: Path) -> None:
    built = build(folder, boards.load(board), trace=False, out=out)
    symbols = {symbol.name: symbol for symbol in Program(built.elf).symbols}
    names = symbols.keys()
    assert "takt_sem_wait" in names
    assert {n for n in names - STUB if re.search(FEATURES, n, re.IGNORECASE)} == set()
    linked = list(pieces(built.out / "obj" / "linked.map"))
    assert [piece for piece in linked if piece.owner in (BUDGETS, TRACE) and piece.size] == []


@pytest.mark.parametrize("board", [b for b in BOARDS if b not in (SIM, PC)])
def test_threads_and_semaphores_alone(board: str, tmp_path: Path) -> None:
    folder = tmp_path / "pair"
    folder.mkdir()
    (folder / "pair.c").write_text(TWO_THREADS)
    look(folder, board, tmp_path / "out")


TASKS = """
#include <takt/task.h>
#include <takt/thread.h>

#ifdef __AVR__
#define STACK 240
#else
#define STACK 1200
#endif

static void sleeper(void *arg) { (void)arg; for (;;) takt_sleep(5000); }
static volatile int runs;

TAKT_THREAD(sleeper, 1, sleeper, 0, STACK)
TAKT_TASK(blink, 1, 10000) { runs++; }
TAKT_TASKS(2, STACK);

int main(void) { takt_start(); }
"""


@pytest.mark.parametrize("board", [b for b in BOARDS if b not in (SIM, PC)])
def test_tasks_and_threads_without_budgets(board: str, tmp_path: Path) -> None:
    folder = tmp_path / "tasks"
    folder.mkdir()
    (folder / "tasks.c").write_text(TASKS)
    built = build(folder, boards.load(board), trace=False, out=tmp_path / "out")
    linked = list(pieces(built.out / "obj" / "linked.map"))
    assert any("(tasks.c" in piece.file for piece in linked)
    assert [piece for piece in linked if piece.owner == BUDGETS and piece.size] == []


def test_the_lab_s_program(tmp_path: Path) -> None:
    look(ROOT / "lab" / "elli" / "switch", "stm32f051", tmp_path / "out")
