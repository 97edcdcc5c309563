"""takt build --lto: programs optimised at link time."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from programs import Run
from takt import boards
from takt.boards import Board
from takt.build import build, cmake
from takt.build.variants import INLINED, has_lto
from takt.code.elf import Program
from takt.errors import UserError
from takt.paths import ROOT

ROUNDS = 1000
PAIR = """\
#include <stdint.h>
#include <takt/sem.h>
#include <takt/thread.h>
TAKT_TELLS_FATAL;
struct takt_sem ping = TAKT_SEM_INIT(0);
volatile uint32_t pings, pongs, checks, failures, first_failure, done;
static void high(void *arg)
{
    (void)arg;
    for (;;) {
        failures += takt_sem_wait(&ping) != TAKT_OK;
        failures += pings++ != pongs;
    }
}
static void low(void *arg)
{
    (void)arg;
    while (checks++ < ROUNDS) {
        failures += takt_sem_signal(&ping) != TAKT_OK;
        failures += ++pongs != pings;
    }
    done = 1;
    for (;;)
        checks++;
}
TAKT_THREAD(high, 1, high, NULL, HIGH)
TAKT_THREAD(low, 2, low, NULL, LOW)
int main(void)
{
    takt_start();
}
"""


@pytest.fixture
def pair(tmp_path: Path) -> Callable[..., Path]:
    """Two threads with so many bytes of stack."""

    def make(high: int, low: int) -> Path:
        folder = tmp_path / "pair"
        folder.mkdir(exist_ok=True)
        head = f"#define ROUNDS {ROUNDS}\n#define HIGH {high}\n#define LOW {low}\n"
        (folder / "pair.c").write_text(head + PAIR)
        return folder

    return make


def test_a_program_runs_in_the_stacks_it_is_told(takt: Callable, pair: Callable) -> None:
    ran = takt("build", pair(400, 400), "--lto", "--no-trace", "-b", "stm32f051", "--json")
    assert ran.code == 0, ran.err
    elf = ran.json["files"]["elf"]
    assert Path(elf).parent.name == "stm32f051-lto"
    assert not set(INLINED) & {symbol.name for symbol in Program(Path(elf)).symbols}
    assert ran.json["warnings"] == []
    Run("stm32f051", Path(elf)).passed()
    needs = [thread["stack_need"] for thread in ran.json["threads"]]
    exact = takt("run", pair(*needs), "--lto", "-b", "stm32f051", "-s", "0.1", "--json")
    assert exact.code == 0, exact.err
    assert [thread["stack_size"] for thread in exact.json["threads"]] == needs
    for thread in exact.json["threads"]:
        assert 0 < thread["stack_used"] <= thread["stack_size"]


def test_what_is_not_inlined_is_told(pair: Callable) -> None:
    folder = pair(400, 400)
    source = folder / "pair.c"
    source.write_text(source.read_text().replace("    done = 1;", "    takt_sem_wait(&ping);"))
    built = build.build(folder, boards.load("stm32f051"), lto=True)
    assert [warning.split("()")[0] for warning in built.warnings] == ["takt_sem_wait"]


def test_stacks_too_small_are_refused(pair: Callable) -> None:
    with pytest.raises(UserError, match="high has 64 bytes of stack and needs "):
        build.build(pair(64, 400), boards.load("stm32f051"), lto=True)


def test_what_is_inlined_is_the_programs(takt: Callable, pair: Callable) -> None:
    folder = pair(400, 400)
    sizes = [
        takt("size", folder, *flags, "-b", "stm32f051", "--json").json
        for flags in (("--no-trace",), ("--lto",))
    ]
    plain, lto = (size["owners"] for size in sizes)
    assert lto["sketch"]["flash"] > plain["sketch"]["flash"]
    assert lto.get("C library") == plain.get("C library")
    assert abs(lto["sketch"]["ram"] - plain["sketch"]["ram"]) <= 4  # and what aligns it


def test_boards_without_it_are_refused(takt: Callable, pair: Callable) -> None:
    ran = takt("build", pair(400, 400), "--lto", "-b", "lm3s6965evb")
    assert ran.code == 2
    assert "programs for lm3s6965evb cannot be optimised at link time" in ran.err
    able = ", ".join(name for name in boards.names() if has_lto(boards.load(name)))
    assert able in ran.err and "stm32f051" in able


MUTEX = "struct takt_mutex m = TAKT_MUTEX_INIT(0);\n"
HELD = """\
    failures += takt_mutex_lock(&m) != TAKT_OK;
    failures += takt_sem_signal(&ping) != TAKT_OK || pongs != pings;
    failures += takt_mutex_unlock(&m) != TAKT_OK || ++pongs != pings;
"""


def test_a_mutex_keeps_the_more_urgent_away(takt: Callable, pair: Callable) -> None:
    folder = pair(400, 400)
    source = folder / "pair.c"
    text = source.read_text().replace("static void high", f"{MUTEX}static void high", 1)
    source.write_text(
        f"#include <takt/mutex.h>\n{text.replace('    done = 1;', HELD + '    done = 1;')}"
    )
    ran = takt("build", folder, "--lto", "-b", "stm32f051", "--json")
    assert ran.code == 0, ran.err
    Run("stm32f051", Path(ran.json["files"]["elf"])).passed()


def test_programs_with_the_dispatcher_are_refused(tmp_path: Path) -> None:
    """It has other semaphores than those that would be inlined."""
    with pytest.raises(UserError, match="no use for a program with budgets or tasks"):
        folder = ROOT / "lab" / "elli" / "budgeted"
        build.build(folder, boards.load("stm32f051"), lto=True, out=tmp_path / "out")


def test_sketches_are_refused(takt: Callable, tmp_path: Path) -> None:
    for command in ("build", "run", "size"):
        ran = takt(command, ROOT / "examples" / "blink", "--lto")
        assert ran.code == 2 and "of no use for a sketch" in ran.err


@pytest.mark.parametrize("board", [b for b in map(boards.load, boards.names()) if b.core != "host"],
                         ids=lambda board: board.name)  # fmt: skip
def test_a_board_has_it_where_cmake_says_so(board: Board) -> None:
    """Configured; nothing is built."""
    folder = cmake.bring_up_to_date(board.name, "build.ninja")
    archives = json.loads((folder / "sketch.json").read_text())["archives"]
    assert has_lto(board) == bool(archives["lto"])
