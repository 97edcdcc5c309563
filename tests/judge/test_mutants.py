"""A kernel that is wrong is found out by its pins: among the programs that are judged here is one
that it fails and that the right one passes. One that merely stops is not found out."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np
import pins
import pytest
from fitting import Fitted, fit
from found import program
from mutants import Change, Mutant, built_wrong
from pins import SETUP_ENDS, Seen
from sketches import draw
from takt.cli import run as takt_run
from takt.world import world
from test_random import ORDINARY
from verdict import ended, judge, run

USE, DISPATCH, LINE = "kernel/budget/use.h", "kernel/budget/dispatch.c", "kernel/budget/line.c"
ACCOUNTS = "kernel/budget/accounts.c"
CHARGE_NOTHING = Mutant(
    "charge nothing",
    (Change(USE, r"\*takt_cpu\.payer -= parts;", "*takt_cpu.payer -= parts & 0u;"),),
)
CHARGE_THE_PREEMPTED = Mutant(
    "charge the preempted for the way in and out",
    (
        Change(ACCOUNTS, r"(?<=takt_cpu\.payer = )takt_cpu\.asked \? &takt_cpu\.kernel : ", ""),
        Change(DISPATCH, r"(?<=else if \()!takt_use_stopped_locked\(\)(?=\) \{\n)", "false"),
    ),
)
CHARGE_HALF = Mutant(
    "charge half",
    (Change(USE, r"\*takt_cpu\.payer -= parts;", "*takt_cpu.payer -= parts / 2u;"),),
)
NO_CEILING = Mutant(
    "a mutex raises no ceiling",
    (Change("kernel/core/mutex.c", r"(?<=uint8_t ceiling =)[^;]*(?=;\n)", " takt_locks.ceiling"),),
)  # fmt: skip
CALLED_TWICE = Mutant(
    "a handler is called twice for an event",
    (
        Change(LINE, r"line->waiting = false;", "line->waiting = line->delivered % 2 == 0;"),
        Change(LINE, r"(?<=port_irq_restore\(irq\);\n)    return taken;",
               "    if (taken && line->delivered % 2 == 1)\n"
               "        line->wake->count = 1;\n    return taken;"),
    ),
)  # fmt: skip
ACCOUNTING = (CHARGE_NOTHING, CHARGE_THE_PREEMPTED)
SLEEPS = ("100_us", "8_us", "300_us", "1_ms")  # of a loop above one that never waits


def random_is_short(seed: int, board: str, folder: Path) -> bool:
    fitted = fit(draw(seed, board), folder / str(seed))
    return bool(falls_short(fitted, run(fitted)))


def falls_short(fitted: Fitted, seen: Seen) -> list[str]:
    """Of a program that ran to the end, and has shown that it began."""
    return [] if ended(seen) else judge(fitted, seen)


def below_is_short(sleep: str, board: str, folder: Path) -> bool:
    found = program("vk8", board, folder / sleep, **{"8_us": sleep})
    seen = pins.run(found.built.board, found.built.elf, 2.0)
    if ended(seen):
        return False
    try:
        found.has(seen, 3, 5_000, 100_000)
    except AssertionError:
        return True
    return False


SEEDS = (9, *range(9))  # on the pico the first one tells
PROGRAMS = [partial(random_is_short, seed) for seed in SEEDS]
PROGRAMS += [partial(below_is_short, sleep) for sleep in SLEEPS]


BOARDS = [b if b == "pico" else pytest.param(b, marks=pytest.mark.wide) for b in ORDINARY]


def is_seen(mutant: Mutant, programs: list[Callable[..., bool]], board: str, folder: Path) -> bool:
    wrong = built_wrong(mutant, folder / "kernel")
    for is_short in programs:
        with wrong():
            seen = is_short(board, folder / "wrong")
        if seen and not is_short(board, folder / "right"):
            return True
    return False


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("mutant", ACCOUNTING, ids=str)
def test_wrong_accounting_is_seen(board: str, mutant: Mutant, tmp_path: Path) -> None:
    assert is_seen(mutant, PROGRAMS, board, tmp_path), f"{mutant} on {board} passes for right"


def test_a_run_tells_a_loop_that_has_more_than_its_budget(tmp_path: Path) -> None:
    """No other loop is short then, and nothing late."""
    ran = {}
    for wrong in (True, False):
        with built_wrong(CHARGE_HALF, tmp_path / "kernel")() if wrong else nullcontext():
            # loop 1 wakes rarely: else it would have the CPU alone, charged half
            built = program("vk8", "pico", tmp_path / str(wrong), **{"8_us": "2000_us"}).built
        around = world.load(built.sketch.folder, built.board)
        ran[wrong] = takt_run.run(built, around, 2.0).failures
    more = {wrong: [f for f in found if "more than its C" in f] for wrong, found in ran.items()}
    assert more[True] and more[True][0].startswith("loop 2") and not more[False]


@pytest.mark.parametrize(("mutant", "seeds"), [(NO_CEILING, (10,)), (CALLED_TWICE, (5,))], ids=str)
def test_what_is_called_or_excluded_wrongly_is_seen(
    mutant: Mutant, seeds: tuple[int, ...], tmp_path: Path
) -> None:
    programs = [partial(random_is_short, seed) for seed in seeds]
    assert is_seen(mutant, programs, "pico", tmp_path), f"{mutant} passes for right"


def test_a_mutant_that_stops_is_not_seen() -> None:
    fitted = cast(Fitted, None)  # is not looked at
    assert not falls_short(fitted, Seen(1, 1, {SETUP_ENDS: np.array([1])}, stopped="a fault"))
    assert not falls_short(fitted, Seen(1, 1, {SETUP_ENDS: np.array([1])}, said=b"takt: fatal: x"))
    assert not falls_short(fitted, Seen(1, 1))


def test_a_kernel_that_is_compiled_anew_without_a_change_is_the_same(tmp_path: Path) -> None:
    text = "takt_cpu.payer = takt_account_of(first);"
    same = Mutant(
        "the same", (Change(DISPATCH, r"takt_cpu\.payer = takt_account_of\(first\);", text),)
    )
    with built_wrong(same, tmp_path / "kernel")():
        found = program("vk8", "pico", tmp_path, **{"8_us": "2000_us"})
    found.has(found.run(1.0), 3, 5_000, 100_000)
