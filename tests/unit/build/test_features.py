"""What programs use of the kernel (features.py), and that the kernel is compiled for it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from takt import boards
from takt.build import build, cmake, features, kernel
from takt.code import elf_tables, relocations
from takt.paths import ROOT

THREADS = """
#include <takt/sem.h>
#include <takt/thread.h>
%s
static struct takt_sem one = TAKT_SEM_INIT(0);
static void first(void *arg) { (void)arg; for (;;) { takt_sem_wait(&one); %s } }
static void second(void *arg) { (void)arg; for (;;) takt_sem_signal(&one); }
%s
TAKT_THREAD(second, 2, second, 0, 300);
int main(void) { takt_start(); }
"""
PLAIN = "TAKT_THREAD(first, 1, first, 0, 300);"
MUTEX = "#include <takt/mutex.h>\nstatic struct takt_mutex m = TAKT_MUTEX_INIT(0);"
JOB = "#include <takt/periodic.h>\nstatic void job(void) {}"
CASES = {
    "threads": (("", "", PLAIN), set()),
    "sleep": (("#include <takt/time.h>", "takt_sleep(5);", PLAIN), {"TIME"}),
    "timeout": (("", "takt_sem_wait_for(&one, 5);", PLAIN), {"TIME"}),
    "mutex": ((MUTEX, "takt_mutex_lock(&m); takt_mutex_unlock(&m);", PLAIN), {"MUTEX"}),
    "only asks": ((MUTEX, "if (takt_mutex_held()) takt_sem_try(&one);", PLAIN), set()),
    "told": (("TAKT_TELLS_FATAL;", "", PLAIN), {"TELLING"}),
    "budget": (
        ("#include <takt/vcpu.h>", "", "TAKT_BUDGET_THREAD(first, 100, 100000, first, 0, 300);"),
        {"BUDGETS"},
    ),
    "never called": (
        (MUTEX + "\nvoid unused(void) { takt_mutex_lock(&m); }", "", PLAIN),
        set(),
    ),
}


@pytest.mark.parametrize("board", ["pico", "uno"])
@pytest.mark.parametrize("case", CASES)
def test_of_programs(case: str, board: str, tmp_path: Path) -> None:
    parts, expected = CASES[case]
    folder = tmp_path / "program"
    folder.mkdir()
    (folder / "program.c").write_text(THREADS % parts)
    built = build.build(folder, boards.load(board), trace=False, out=tmp_path / "out")
    assert built.used == expected | {"THREADS"}


SKETCHES = {
    "void loop() {}": {"TELLING"},
    "void loop() { delay(5); }": {"TELLING", "TIME"},
    "void loop(1, 5, 50) {}": {"BUDGETS", "TELLING"},
    "void periodic(a, 1, 50) {}": {"BUDGETS", "JOBS", "TELLING"},
    "void task(a, 10) {}": {"TASKS", "TELLING"},
    "void periodic(a, 1, 50) { delay(3); }": {"BUDGETS", "JOBS", "TELLING", "TIME"},
    "Mutex m; void loop() { Guard g(m); }": {"MUTEX", "TELLING"},
}


@pytest.mark.parametrize("text", SKETCHES)
def test_of_sketches(text: str, tmp_path: Path) -> None:
    folder = tmp_path / "sketch"
    folder.mkdir()
    (folder / "sketch.ino").write_text(f"#include <Takt.h>\nvoid setup() {{}}\n{text}\n")
    built = build.build(folder, boards.load("pico"), trace=False, out=tmp_path / "out")
    assert built.used == SKETCHES[text]


def test_features_are_of_functions_that_there_are() -> None:
    headers = "".join(h.read_text() for h in sorted((ROOT / "include" / "takt").glob("*.h")))
    text = (ROOT / "kernel" / "core" / "uses.h").read_text()
    assert len(features.known()) == len(re.findall("#define TAKT_USES_", text)) >= 8
    for name, functions in features.known().items():
        follows = rf"^#define TAKT_HAS_\w+ (?:.*\\\n)*.*TAKT_USES_{name}\b"
        assert re.search(follows, text, re.MULTILINE), name
        for function in functions:
            assert re.search(rf"\b{function}\(", headers), function


def test_other_names_are_no_feature() -> None:
    assert features.used(["takt_sem_wait", "printf"]) == set()
    assert features.used(["takt_sleep"], ["BUDGETS"]) == {"TIME", "BUDGETS"}
    assert "TAKT_USES_TIME 1" in features.header({"TIME"})
    assert "TAKT_USES_JOBS 0" in features.header({"TIME"})


def test_kernels_that_would_be_the_same_are_one() -> None:
    follows = features.with_what_follows
    assert follows({"BUDGETS"}, []) == {"BUDGETS", "PREEMPTION", "THREADS"}
    assert follows({"TASKS"}, []) == {"TASKS", "TIME", "PREEMPTION", "THREADS"}
    assert follows(set(), ["TAKT_TRACE_EVENTS > 0"]) == {"TELLING", "THREADS"}
    assert follows({"PROMISES"}, []) == set()
    assert follows(set(), ["PORT_HAS_DISPATCHER"]) == {"THREADS"}
    assert {"PROMISES", "BUDGETS", "MUTEX"} <= follows({"PROMISES"}, ["TAKT_DYNAMIC"])


def test_what_only_setup_uses_is_seen(tmp_path: Path) -> None:
    """It is called by the kernel, which is not there when the build looks."""
    folder = tmp_path / "sketch"
    folder.mkdir()
    text = "#include <Takt.h>\nvoid setup() { delay(5); }\nvoid periodic(a, 1, 50) {}\n"
    (folder / "sketch.ino").write_text(text)
    built = build.build(folder, boards.load("pico"), trace=False, out=tmp_path / "out")
    assert "TIME" in built.used


def test_a_program_on_a_pc_that_says_nothing(tmp_path: Path) -> None:
    """There the port tells of faults, whatever the program uses."""
    folder = tmp_path / "program"
    folder.mkdir()
    text = THREADS % ("", "", PLAIN)
    (folder / "program.c").write_text(text.replace("300", "4096"))
    built = build.build(folder, boards.load("pc"), trace=False, out=tmp_path / "out")
    assert built.used == {"THREADS"}


WORKS_ON = {
    "takt_vcpu": {"BUDGETS"},
    "takt_io": {"BUDGETS", "IO"},
    "takt_pipe": {"BUDGETS"},
    "takt_periodic": {"BUDGETS", "JOBS"},
    "takt_task": {"TASKS"},
}


def _linked_for(name: str, target: cmake.Target, board: str, out: Path) -> set[str]:
    """What remains undefined of a program that refers to this function only, and has the VCPU or
    the task that it works on."""
    of = next((found for start, found in WORKS_ON.items() if name.startswith(start)), set())
    used = features.used([name], of)
    with kernel.compiled(target, board, "plain", used) as made:
        tool = target.tool("ld")
        command = [tool, "-r", "--gc-sections", "-u", name, "--start-group", *made, "--end-group"]
        if subprocess.run([*command, "-o", out], capture_output=True).returncode:
            return set()  # it is part of more than is called so
    with elf_tables.opened(out) as elf:
        entries = elf_tables.symbols(elf, elf.get_section_by_name(".symtab"))
        referred = [entries[one.symbol] for one in relocations.filled_in(elf)]
    return {entry.name for entry in referred if entry.section == 0 and not entry.weak}


@pytest.mark.parametrize("board", ["pico"])
def test_each_function_has_all_that_it_calls(board: str, tmp_path: Path) -> None:
    """By calling it alone a program has of the kernel what it needs."""
    target = cmake.target_libraries(board, "plain")
    with kernel.compiled(target, board, "plain", features.known()) as made:
        command = [target.tool("nm"), "-g", "--defined-only", *made]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    defined = {line.split()[-1] for line in said.splitlines() if " T " in line}
    headers = "".join(h.read_text() for h in (ROOT / "include" / "takt").glob("*.h"))
    public = sorted(name for name in defined if re.search(rf"\b{name}\(", headers))
    assert len(public) > 50
    out = tmp_path / "linked.o"
    lacking = {name: _linked_for(name, target, board, out) & defined for name in public}
    assert {name: what for name, what in lacking.items() if what} == {}
