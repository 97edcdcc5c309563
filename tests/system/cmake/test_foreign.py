"""A CMake project that is not Takt's, with a board of its own."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import needed
import pytest
from takt.build.cmake import CLANGS
from takt.code.elf import Program
from takt.paths import ROOT

PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(foreign LANGUAGES NONE)
{found}
add_library(numbers INTERFACE)
target_include_directories(numbers INTERFACE numbers)
target_compile_definitions(numbers INTERFACE "GREETING=\\"number \\"")
target_compile_options(numbers INTERFACE -DSTEP=1)
target_sources(numbers INTERFACE numbers/numbers.c numbers/numbers.h)
takt_firmware(app BOARD ./board/mine SOURCES main.c {how})
target_link_libraries(app INTERFACE later)
add_library(later INTERFACE)
target_link_libraries(later INTERFACE numbers)
add_custom_command(OUTPUT copy.hex DEPENDS $<TARGET_PROPERTY:app,TAKT_HEX>
    COMMAND ${{CMAKE_COMMAND}} -E copy $<TARGET_PROPERTY:app,TAKT_HEX> copy.hex)
add_custom_target(copied ALL DEPENDS copy.hex)
install(FILES $<TARGET_PROPERTY:app,TAKT_BIN> DESTINATION firmware)
"""
HEADER = "int numbers_next(int n);\n"
NUMBERS = (
    '#include "numbers.h"\nint numbers_next(int n)\n{\n    int unused;\n    return n + STEP;\n}\n'
)
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
    if compiler == "clang" and not any(map(shutil.which, CLANGS)):
        needed.lacks("no clang")
    folder = configured(make_project(tmp_path, how=f"COMPILER {compiler}"))
    done = built(folder)
    assert done.returncode == 0, done.stdout
    assert "admitted: 0.200 of the CPU" in done.stdout
    assert f"{folder}/numbers/numbers.c:4:9: warning: unused variable" in done.stdout
    assert ("this is clang" in done.stdout) == (compiler == "clang")
    assert "no work to do" in built(folder).stdout

    out = folder / "build" / "app"
    assert (folder / "build/copy.hex").read_bytes() == (out / "app.hex").read_bytes()
    assert cmake(folder, "--install", "build", "--prefix", "there").returncode == 0
    assert (folder / "there/firmware/app.bin").read_bytes() == (out / "app.bin").read_bytes()
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


@pytest.mark.wide
def test_targets_that_ask_takt(tmp_path: Path) -> None:
    folder = make_project(tmp_path)
    with (folder / "CMakeLists.txt").open("a") as file:
        file.write("set_property(TARGET app PROPERTY TAKT_SECONDS 0.35)\n")
    configured(folder)
    assert "350 ms of virtual time" in cmake(folder, "--build", "build", "-t", "app-run").stdout
    assert "maker" in cmake(folder, "--build", "build", "-t", "app-check").stdout
    assert "stacks in bytes" in cmake(folder, "--build", "build", "-t", "app-size").stdout
    refused = cmake(folder, "--build", "build", "-t", "app-flash")
    assert refused.returncode != 0 and "takt flash knows no way to mine" in refused.stderr


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("takt_firmware(app BOARD pico)", "takt_firmware(app) needs SOURCES"),
        ("takt_firmware(app BOARD picco SOURCES main.c)", "did you mean pico?"),
        (
            "takt_firmware(app BOARD pico SOURCES main.c)\nadd_library(other STATIC IMPORTED)\n"
            "add_library(between INTERFACE)\ntarget_link_libraries(between INTERFACE other)\n"
            "target_link_libraries(app INTERFACE between)",
            "is linked with other",
        ),
        (
            "takt_firmware(app BOARD pico SOURCES main.c)\ntarget_link_libraries(app INTERFACE m)",
            "is linked with m",
        ),
    ],
)
def test_what_is_wrong_in_a_project_is_told(tmp_path: Path, lines: str, said: str) -> None:
    head = f"cmake_minimum_required(VERSION 3.25)\nproject(foreign LANGUAGES NONE)\n{ADDED}\n"
    (tmp_path / "CMakeLists.txt").write_text(f"{head}{lines}\n")
    (tmp_path / "main.c").touch()
    done = cmake(tmp_path, "-G", "Ninja", "-B", "build")
    assert done.returncode != 0 and said in done.stderr.replace("\n ", "")


@pytest.mark.parametrize(("line", "said"), [("option -O0", "-O0"), ("linking -lm", "-lm")])
def test_options_that_takt_would_not_heed(
    tmp_path: Path, takt: Callable, line: str, said: str
) -> None:
    program = tmp_path / "app.program"
    (tmp_path / "main.c").write_text("int main(void) {}\n")
    program.write_text(f"folder {tmp_path}\nsource {tmp_path}/main.c\noption -DA=1\n{line}\n")
    refused = takt("build", program, "--json")
    assert refused.code == 2 and f"is not given {said}" in refused.json["error"]["what"]


@pytest.mark.wide
@pytest.mark.parametrize(("asked", "found"), [("0.1", True), ("0.2", False), ("1", False)])
def test_versions(tmp_path: Path, asked: str, found: bool) -> None:
    text = "cmake_minimum_required(VERSION 3.25)\nproject(foreign LANGUAGES NONE)\n"
    (tmp_path / "CMakeLists.txt").write_text(f"{text}find_package(Takt {asked} REQUIRED)\n")
    done = cmake(tmp_path, "-G", "Ninja", "-B", "build", f"-DTakt_DIR={ROOT / 'cmake'}")
    assert (done.returncode == 0) == found, done.stderr
    assert found or "0.1.0" in done.stderr
