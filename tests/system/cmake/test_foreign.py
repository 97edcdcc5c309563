"""A CMake project that is not Takt's, with a board of its own."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from takt.code.elf import Program
from takt.paths import ROOT

PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(foreign LANGUAGES NONE)
{found}
add_library(numbers INTERFACE)
target_include_directories(numbers INTERFACE numbers)
target_compile_definitions(numbers INTERFACE "GREETING=\\"number \\"")
takt_firmware(app BOARD ./board/mine SOURCES main.c numbers/numbers.c {how})
target_link_libraries(app INTERFACE numbers)
"""
HEADER = "int numbers_next(int n);\n"
NUMBERS = '#include "numbers.h"\nint numbers_next(int n)\n{\n    return n + 1;\n}\n'
MAIN = """
#include <takt/console.h>
#include <takt/sem.h>
#include <takt/time.h>
#include <takt/vcpu.h>

#include "numbers.h"

static struct takt_sem ready = TAKT_SEM_INIT(0);
static volatile int number;

static void say(const char *text)
{
    while (*text)
        board_console_put(*text++);
}

static void make(void *arg)
{
    (void)arg;
    for (;;) {
        number = numbers_next(number);
        takt_sem_signal(&ready);
        takt_sleep(100000);
    }
}

static void tell(void *arg)
{
    (void)arg;
    for (;;) {
        takt_sem_wait(&ready);
        char digit[] = {(char)('0' + number % 10), '\\r', '\\n', 0};
        say(GREETING);
        say(digit);
    }
}

TAKT_BUDGET_THREAD(maker, 10000, 100000, make, 0, 512);
TAKT_BUDGET_THREAD(teller, 20000, 200000, tell, 0, 512);

int main(void)
{
    takt_start();
}
"""
ADDED = f'add_subdirectory("{ROOT}" takt)'
FOUND = "find_package(Takt REQUIRED)"


def make_project(folder: Path, found: str = ADDED, how: str = "") -> Path:
    """A project whose board is the microbit under another name, in a folder of its own."""
    board = folder / "board" / "mine"
    shutil.copytree(ROOT / "board" / "microbit", board)
    (board / "microbit.ld").rename(board / "mine.ld")
    for name, old, new in (
        ("board.cmake", "microbit.ld", "mine.ld"),
        ("board.toml", 'name = "microbit"', 'name = "mine"'),
        ("start.c", '"../../drivers/nrf51/nrf51.h"', "<nrf51/nrf51.h>"),
    ):
        text = (board / name).read_text()
        assert old in text
        (board / name).write_text(text.replace(old, new))
    (folder / "numbers").mkdir()
    (folder / "numbers" / "numbers.h").write_text(HEADER)
    (folder / "numbers" / "numbers.c").write_text(NUMBERS)
    (folder / "main.c").write_text(MAIN)
    (folder / "CMakeLists.txt").write_text(PROJECT.format(found=found, how=how))
    return folder


def cmake(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["cmake", *arguments], cwd=folder, capture_output=True, text=True, timeout=500
    )


def configured(folder: Path, *arguments: str) -> Path:
    done = cmake(folder, "-G", "Ninja", "-B", "build", *arguments)
    assert done.returncode == 0, done.stderr
    return folder


def built(folder: Path) -> subprocess.CompletedProcess[str]:
    return cmake(folder, "--build", "build")


@pytest.mark.parametrize("compiler", ["gcc", pytest.param("clang", marks=pytest.mark.wide)])
def test_a_project_with_a_board_of_its_own(tmp_path: Path, takt: Callable, compiler: str) -> None:
    if compiler == "clang" and not any(map(shutil.which, ("clang", "clang-14"))):
        pytest.skip("no clang")
    folder = configured(make_project(tmp_path, how=f"COMPILER {compiler}"))
    done = built(folder)
    assert done.returncode == 0, done.stdout
    assert "admitted: 0.200 of the CPU" in done.stdout
    assert "no work to do" in built(folder).stdout

    out = folder / "build" / "app"
    names = {symbol.name for symbol in Program(out / "app.elf").functions}
    assert {"numbers_next", "takt_sleep"} <= names
    unused = ("mutex", "pipe", "takt_job", "takt_task", "Serial", "malloc")
    assert [name for name in names if any(word in name for word in unused)] == []

    commands = json.loads((out / "compile_commands.json").read_text())
    how = {Path(one["file"]): one["arguments"] for one in commands}
    assert set(how) == {folder / "main.c", folder / "numbers" / "numbers.c"}
    check = [*how[folder / "main.c"], "-fsyntax-only"]
    assert subprocess.run(check, cwd=out, capture_output=True).returncode == 0
    assert ("clang" in check[0]) == (compiler == "clang")

    board = folder / "board" / "mine"
    how = ("--board", board, "--out", out, "--compiler", compiler, "--seconds", "0.35", "--json")
    ran = takt("run", out / "app.program", *how)
    assert ran.code == 0, ran.err
    assert ran.json["board"] == "mine"
    assert [thread["misses"] for thread in ran.json["threads"]] == [0, 0]
    assert ran.json["serial"].split() == [
        "number",
        "1",
        "number",
        "2",
        "number",
        "3",
        "number",
        "4",
    ]

    (folder / "numbers" / "numbers.h").write_text(HEADER + "#error a header is read again\n")
    assert "a header is read again" in built(folder).stdout


@pytest.mark.wide
def test_a_promise_that_cannot_be_kept_fails_the_build(tmp_path: Path) -> None:
    folder = make_project(tmp_path)
    text = MAIN.replace("teller, 20000", "teller, 199000")
    (folder / "main.c").write_text(text)
    done = built(configured(folder))
    assert done.returncode != 0
    assert "error: " in done.stdout and "fix: " in done.stdout and "teller" in done.stdout
    assert not (folder / "build" / "app" / "app.elf").exists()
    (folder / "main.c").write_text(MAIN)
    assert built(folder).returncode == 0


@pytest.mark.wide
def test_takt_is_found_as_a_package(tmp_path: Path) -> None:
    folder = make_project(tmp_path, FOUND)
    done = built(configured(folder, f"-DTakt_DIR={ROOT / 'cmake'}"))
    assert done.returncode == 0, done.stdout


def test_what_is_wrong_in_a_project_is_told(tmp_path: Path) -> None:
    text = "takt_firmware(app BOARD pico)\n"
    head = f"cmake_minimum_required(VERSION 3.25)\nproject(foreign LANGUAGES NONE)\n{ADDED}\n"
    (tmp_path / "CMakeLists.txt").write_text(head + text)
    assert "takt_firmware(app) needs SOURCES" in cmake(tmp_path, "-B", "build").stderr
