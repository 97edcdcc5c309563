"""Locks in C (takt/lock.h): a holder that sleeps states how long it uses the CPU."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt import boards
from takt.build.build import Build, build

PROGRAM = """
#include <takt/lock.h>
#include <takt/time.h>
#include <takt/vcpu.h>

static struct takt_lock bus = TAKT_LOCK_COMPUTED(%d);

static void use(void *arg)
{
    (void)arg;
    for (;;) {
        takt_lock_take(&bus);
        takt_sleep(500);
        takt_lock_give(&bus);
        takt_sleep(3000);
    }
}

TAKT_BUDGET_THREAD(first, 1000, 10000, use, 0, 512);
TAKT_BUDGET_THREAD(second, 1000, 20000, use, 0, 512);

int main(void)
{
    takt_start();
}
"""


def built(folder: Path, us: int, board: str) -> Build:
    (folder / "locked").mkdir()
    (folder / "locked" / "locked.c").write_text(PROGRAM % us)
    return build(folder / "locked", boards.load(board), admit=False, out=folder / "out")


@pytest.mark.parametrize("board", ["pico", "uno"])
def test_its_length_is_stated(tmp_path: Path, board: str) -> None:
    assert built(tmp_path, 50, board).admission.admitted


@pytest.mark.parametrize("board", ["pico", "uno"])
def test_what_is_stated_is_counted(tmp_path: Path, board: str) -> None:
    """The more urgent thread waits for so long: too long for it."""
    verdict = built(tmp_path, 9900, board).admission
    assert not verdict.admitted and "9.9 ms, of second, under bus" in verdict.refusals[0].text


@pytest.mark.parametrize("board", ["pico", "uno"])
def test_else_it_is_refused(tmp_path: Path, board: str) -> None:
    verdict = built(tmp_path, 0, board).admission
    assert not verdict.admitted and "cannot be found out" in verdict.refusals[0].text
