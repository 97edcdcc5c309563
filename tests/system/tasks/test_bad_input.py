"""What cannot be, of tasks and periodic jobs, in sketches and in C: refused, with what helps."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt import boards
from takt.build.build import build
from takt.errors import UserError

TASK_T = "choose T a multiple of 1 ms above 0, up to 12 days (AVR: 16.383 s), in task(id, T)"
SHARE = "choose 0 < C <= T <= 268.4 s in tasksVcpu(C, T)"
STATE = (
    "a task has a state and returns it, or neither",
    "write int task(id, T, int state), or void",
)
POLICIES = "write TERMINATE, SKIP, CONTINUE, or NOTIFY(semaphore)"
ONE = "void task(1, 10) {}\n"
BOTH = {  # compilers
    "period 0": ("void task(1, 0) {}", "task 1: the period T must be above 0", TASK_T),
    "no multiple": (
        "void task(1, 1.5) {}",
        "task 1: the period T is no multiple of the tick",
        TASK_T,
    ),
    "a variable": (
        "int n = 3; void task(1, n) {}",
        "T of task() must be a constant, and 'n' is none",
        "write the number, or make it constexpr",
    ),
    "no state": ("int task(1, 5) { return 1; }", *STATE),
    "share": (f"{ONE}tasksVcpu(30, 20);", "tasksVcpu: the budget C is longer than the p", SHARE),
    "job": (
        "void periodic(1, 1, 10) {}\nvoid periodic(1, 2, 10) {}",
        "periodic 1 is defined twice",
        "give every periodic a number of its own, the first argument of periodic(...)",
    ),
    "no policy": (
        "void periodic(a, 1, 5, BOGUS) {}",
        "periodic(a, 1, 5, BOGUS): BOGUS is no policy",
        POLICIES,
    ),
    "a number for a policy": (
        "void periodic(a, 1, 5, 3) {}",
        "periodic(a, 1, 5, 3): 3 is no policy",
        POLICIES,
    ),
    "without void": ("task(a, 5) {}", "void is missing before task(a, 5)", "write void task(a, 5)"),
    "one argument": ("void task(a) {}", "task(a) is not task(id, T)", "write void task(id, T)"),
}
SKETCHES = {
    "without int": (
        "task(a, 5, int state) { return state; }",
        "int is missing before task(a, 5, int state)",
        "write int task(a, 5, int state)",
    ),
    "a job without void": (
        "periodic(a, 1, 5) {}",
        "void is missing before periodic(a, 1, 5)",
        "write void periodic(a, 1, 5)",
    ),
    "a loop without void": (
        "loop(1, 5, 50) {}",
        "void is missing before loop(1, 5, 50)",
        "write void loop(1, 5, 50)",
    ),
    "no budget": (
        "void periodic(a, 1) {}",
        "periodic(a, 1) is not periodic(id, C, T)",
        "write void periodic(id, C, T)",
    ),
    "a variable for a policy": (
        "auto p = takt::overrun::SKIP;\nvoid periodic(a, 1, 5, p) {}",
        "periodic(a, 1, 5, p): p is no policy",
        POLICIES,
    ),
    "a semaphore that is none": (
        "void periodic(a, 1, 5, NOTIFY(done)) {}",
        "'done' was not declared in this scope",
        "check the spelling",
    ),
    "below 0": ("void task(1, -5) {}", "task 1: the period T must be above 0", TASK_T),
    "too long": ("void task(1, 1100000000) {}", "task 1: the period T is too long", TASK_T),
    "text": (
        'void task(1, "5") {}',
        "T of task() must be a number",
        "write milliseconds, or 500_us",
    ),
    "nothing returned": ("void task(1, 5, int state) {}", *STATE),
    "twice": (
        f"{ONE}void task(1, 20) {{}}",
        "task 1 is defined twice",
        "the first argument of task(",
    ),
    "twice, with a state": (
        "int task(1, 5, int s) { return s; }\nint task(1, 9, int s) { return s; }",
        "task 1 is defined twice",
        "give every task a number of its own",
    ),
    "no share": (f"{ONE}tasksVcpu(0, 20);", "tasksVcpu: the budget C must be above 0", SHARE),
    "two shares": (
        f"{ONE}tasksVcpu(1, 20);\ntasksVcpu(1, 30);",
        "tasksVcpu(C, T) stands there twice",
        "give all tasks together one share",
    ),
    "a share of nobody": ("tasksVcpu(1, 20);", "no task to run", "define one with"),
    "the same beside a loop": ("void loop() {}\ntasksVcpu(1, 20);", "no task to run", "define one"),
    "more than levels": (
        "".join(f"void task(t{n}, 10) {{}}\n" for n in range(256)),
        "more than 255 tasks",
        "leave some out, there are no more levels",
    ),
}
TASK_C = "a period that is a multiple of TAKT_TICK_US above 0 in TAKT_TASK(id, priority, period_us)"
JOB_C = (
    "choose 0 < C <= T <= 268435456, T a multiple of TAKT_PERIODIC_TICK_US (100), in TAKT_PERIODIC("
)
HOST = "TAKT_TASKS(1, 512);"
PROGRAMS = {
    "period 0": (f"TAKT_TASK(a, 0, 0) {{}} {HOST}", "task a: the period must be above 0", TASK_C),
    "no multiple": (f"TAKT_TASK(a, 0, 1500) {{}} {HOST}", "the period is not a multiple", TASK_C),
    "priority": (f"TAKT_TASK(a, -1, 1000) {{}} {HOST}", "the priority must be 0 to 2^30", TASK_C),
    "no task": (HOST, "no task to run", "define one with TAKT_TASK()"),
    "share": (
        "TAKT_TASK(a, 0, 1000) {} TAKT_TASKS_VCPU(3000, 2000, 512);",
        "thread tasks: not 0 < C <= T",
        "choose 0 < C <= T <= 268435456 in TAKT_BUDGET_THREAD(",
    ),
    "a thread's T": (
        "TAKT_BUDGET_THREAD(one, 9, 300000000, takt_tasks_thread, 0, 512)",
        "thread one: the period T is longer than 268.4 s",
        "choose 0 < C <= T <= 268435456 in TAKT_BUDGET_THREAD(",
    ),
    "C > T": ("TAKT_PERIODIC(a, 200, 100, TAKT_SKIP, job, 512);", "a: not 0 < C <= T", JOB_C),
    "C = 0": ("TAKT_PERIODIC(a, 0, 100, TAKT_SKIP, job, 512);", "a: not 0 < C <= T", JOB_C),
    "T = 0": ("TAKT_PERIODIC(a, 0, 0, TAKT_SKIP, job, 512);", "a: not 0 < C <= T", JOB_C),
    "T off": ("TAKT_PERIODIC(a, 9, 150, TAKT_SKIP, job, 512);", "a: T is no multiple of", JOB_C),
    "T long": ("TAKT_PERIODIC(a, 9, 300000000, 0, job, 512);", "<= TAKT_PERIOD_MAX", JOB_C),
}
C_PROGRAM = """#include <takt/task.h>
#include <takt/periodic.h>
void job(void) {}
%s
int main(void) { takt_start(); }
"""


def refused(folder: Path, name: str, text: str, board: str) -> UserError:
    probe = folder / "probe"
    probe.mkdir()
    (probe / name).write_text(text)
    with pytest.raises(UserError) as caught:
        build(probe, boards.load(board), trace=False, out=folder / "out")
    return caught.value


@pytest.mark.parametrize(
    ("board", "case"),
    [(b, case) for b in ("pico", "uno") for case in BOTH] + [("pico", case) for case in SKETCHES],
)
def test_sketches(tmp_path: Path, board: str, case: str) -> None:
    text, what, fix = (BOTH | SKETCHES)[case]
    head = "#include <Takt.h>\nvoid setup() {}\n"
    error = refused(tmp_path, "probe.ino", f"{head}{text}\n", board)
    assert what in error.what
    assert "redefined" not in error.detail  # nothing but what is about the sketch
    assert fix in error.fix


@pytest.mark.parametrize("board", ["pico", "uno"])
@pytest.mark.parametrize("call", ["periodic(a, 1, 20)", "task(a, 20)"])
def test_without_takt_h(tmp_path: Path, board: str, call: str) -> None:
    error = refused(tmp_path, "probe.ino", f"void setup() {{}}\nvoid {call} {{}}\n", board)
    assert error.what == f"{call} is of Takt.h, which is not included"
    assert "probe.ino:2:" in error.where and "#include <Takt.h>" in error.fix


@pytest.mark.parametrize("case", PROGRAMS)
def test_c_programs(tmp_path: Path, case: str) -> None:
    text, what, fix = PROGRAMS[case]
    error = refused(tmp_path, "probe.c", C_PROGRAM % text, "pico")
    assert what in error.what
    assert fix in error.fix
