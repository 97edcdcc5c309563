"""A kernel whose accounting is wrong is found out by its pins: among the programs that are judged
here is one that it fails and that the right one passes."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from fitting import fit
from found import program
from mutants import Change, Mutant, built_wrong
from sketches import draw
from test_random import ORDINARY
from verdict import judge, run

USE, MAIN = "kernel/use.h", "kernel/vcpu_main.c"
CHARGE_NOTHING = Mutant(
    "charge nothing",
    (Change(MAIN, r"return takt_span_take\(&v->owed\);",
            "return takt_span_take(&v->owed) & 0u;"),),
)  # fmt: skip
CHARGE_THE_PREEMPTED = Mutant(
    "charge the preempted for the way in and out",
    (
        Change(USE, r"(?<=takt_cpu\.asleep = false;\n)    takt_cpu\.stopped = true;",
               "    takt_cpu.stopped = takt_cpu.was_stopped;"),
        Change(MAIN, r"takt_cpu\.stopped \|= why == PREEMPTED \|\| first != TAKT_NOBODY;", ""),
    ),
)  # fmt: skip
MUTANTS = (CHARGE_NOTHING, CHARGE_THE_PREEMPTED)
SLEEPS = ("8_us", "300_us", "1_ms")  # of a loop above one that never waits


def random_is_short(seed: int, board: str, folder: Path) -> bool:
    fitted = fit(draw(seed, board), folder / str(seed))
    return bool(judge(fitted, run(fitted)))


def below_is_short(sleep: str, board: str, folder: Path) -> bool:
    found = program("vk8", board, folder / sleep, **{"8_us": sleep})
    try:
        found.has(found.run(2.0), 3, 5_000, 100_000)
    except AssertionError:
        return True
    return False


SEEDS = (9, *range(9))  # on the pico the first one tells
PROGRAMS = [partial(random_is_short, seed) for seed in SEEDS]
PROGRAMS += [partial(below_is_short, sleep) for sleep in SLEEPS]


BOARDS = [b if b == "pico" else pytest.param(b, marks=pytest.mark.wide) for b in ORDINARY]


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_wrong_accounting_is_seen(board: str, mutant: Mutant, tmp_path: Path) -> None:
    wrong = built_wrong(board, mutant, tmp_path / "kernel")
    for is_short in PROGRAMS:
        with wrong():
            seen = is_short(board, tmp_path / "wrong")
        if seen and not is_short(board, tmp_path / "right"):
            return
    pytest.fail(f"{mutant} on {board} passes for right")


def test_a_kernel_that_is_compiled_anew_without_a_change_is_the_same(tmp_path: Path) -> None:
    text = "takt_cpu.payer = place;"
    same = Mutant("the same", (Change(MAIN, r"takt_cpu\.payer = place;", text),))
    with built_wrong("pico", same, tmp_path / "kernel")():
        found = program("vk8", "pico", tmp_path, **{"8_us": "2000_us"})
    found.has(found.run(1.0), 3, 5_000, 100_000)
