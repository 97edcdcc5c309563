"""Stack sizes from the call graph: right against the compiler, enough at run time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from takt import boards
from takt.build import build
from takt.code.callgraph import CallGraph
from takt.code.elf import Program
from takt.errors import UserError
from takt.paths import BUILD, ROOT

BOARD = boards.load("pico")

DEEP = """\
struct Shape { virtual int area(int n) = 0; };
struct Small : Shape { int area(int n) override { return n; } };
struct Large : Shape {
    int area(int n) override
    {
        volatile char room[600];
        for (unsigned i = 0; i < sizeof room; i++)
            room[i] = (char)n;
        return room[n & 255];
    }
};
Small small;
Large large;
Shape *shapes[] = {&small, &large};
void setup() { Serial.begin(115200); }
void loop(1, 10, 50) { Serial.println(1.5f * shapes[1]->area(millis())); delay(5); }
void loop(2, 10, 60) { volatile char big[300]; big[0] = 1; big[299] = big[0]; delay(7); }
void loop(3, 10, 70) { delay(3); }
"""


def test_frames_are_those_the_compiler_reports(write: Callable) -> None:
    """Every C function of kernel, port and drivers that is linked: the frame read from its code is
    that of -fstack-usage."""
    built = build.build(write("deep", DEEP), BOARD)
    reported: dict[str, set[int]] = {}
    for file in (BUILD / "pico").rglob("*.su"):
        for line in file.read_text().splitlines():
            place, size, kind = line.split("\t")
            if "(" not in place and kind == "static":
                reported.setdefault(place.rsplit(":", 1)[-1], set()).add(int(size))
    program = Program(built.elf)
    unhandled = program.by_name[
        "takt_unhandled_isr"
    ].address  # by the names of all that are not linked
    functions = CallGraph(program).functions.items()
    compared = [f for at, f in functions if f.name in reported and at != unhandled]
    assert len(compared) > 60
    assert [f.name for f in compared if f.frame not in reported[f.name]] == []


def test_a_virtual_call_counts_its_deepest_target(write: Callable) -> None:
    first, second, third = build.build(write("deep", DEEP), BOARD).threads
    assert first.stack_need > 600 + 150  # a preemption on top of that
    assert "_ZN5Large4areaEi" in first.chain
    assert 280 < second.stack_need - third.stack_need < 340
    assert not first.doubts + second.doubts + third.doubts


JOBS = """\
#include <takt/sem.h>
#include <takt/thread.h>

typedef void (*job)(int);
static struct takt_sem given = TAKT_SEM_INIT(0);
static volatile job jobs[2];

static void small(int n) { (void)n; }
static void large(int n)
{
    volatile char room[700];
    room[n] = 0;
}

static void work(void *arg)
{
    jobs[0] = small;
    jobs[1] = large;
    for (int n = 0;; n++) {
        job next = arg ? (job)arg : jobs[n & 1];
        next(n);
        takt_sem_wait(&given);
    }
}

TAKT_THREAD(any, 1, work, NULL, 1000)
TAKT_THREAD(given, 2, work, (void *)small, 1000)
int main(void) { takt_start(); }
"""


@pytest.mark.parametrize("board", ["stm32f051", "lm3s6965evb"])
def test_what_a_thread_calls_by_pointer_may_be_anything(tmp_path: Path, board: str) -> None:
    """Also where the thread has an argument: not all are what a sketch's loops are."""
    (tmp_path / "jobs.c").write_text(JOBS)
    built = build.build(tmp_path, boards.load(board), trace=False, out=tmp_path / "out")
    for thread in built.threads:
        assert thread.stack_need > 700 + 36 and "large" in thread.chain


HANDLERS = """\
void blink() { volatile char room[700]; room[0] = 0; }
void setup() { attachInterrupt(2, blink, RISING); }
void loop() {}
"""


def test_handlers_of_pins_may_be_anything(write: Callable) -> None:
    threads = {t.name: t for t in build.build(write("handlers", HANDLERS), BOARD).threads}
    assert threads["handlers"].stack_need > 700 + 100
    assert threads["loop"].stack_need < 700


def test_a_function_may_go_on_in_the_next(tmp_path: Path) -> None:
    """takt_sem_wait() in takt_sem_leave(); what merely stands before another does not, be it
    filled up with an instruction."""
    (tmp_path / "jobs.c").write_text(JOBS)
    built = build.build(tmp_path, BOARD, trace=False, out=tmp_path / "out")
    functions = CallGraph(Program(built.elf)).functions
    named = {f.name: f for f in functions.values()}
    assert named["takt_sem_wait"].calls == {named["takt_sem_leave"].address}
    further = {f.name: functions[f.goes_on].name for f in functions.values() if f.goes_on}
    assert further == {"takt_sem_wait": "takt_sem_leave"}


def test_what_runs_stays_within_what_was_computed(takt: Callable, write: Callable) -> None:
    ran = takt("run", write("deep", DEEP), "--seconds", "3", "--json")
    assert ran.code == 0, ran.err
    for thread in ran.json["threads"]:
        assert thread["stack_used"] <= thread["stack_size"]
    assert ran.json["threads"][0]["stack_used"] > 600


def test_recursion_is_named_and_may_be_bounded(takt: Callable, write: Callable) -> None:
    text = "int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n"
    text += "void setup() { Serial.begin(115200); }\n"
    text += "void loop(1, 10, 100) { Serial.println(fib(millis() & 7)); delay(50); }\n"
    ran = takt("build", write("fib", text), "--json")
    assert ran.code == 0
    assert "recursion of fib" in ran.json["warnings"][0]
    assert "loop(id, C, T, bytes)" in ran.json["warnings"][0]
    bounded = takt("build", write("fib", text.replace("100)", "100, 2000)")), "--json").json
    assert bounded["threads"][0]["stack_size"] == 2000 + 256, "and the guard"


def test_setup_is_in_the_first_stack_only(write: Callable) -> None:
    text = "void setup() { volatile char big[2000]; big[0] = 1; big[1999] = big[0]; }\n"
    text += "void loop(1, 1, 10) {}\nvoid loop(2, 1, 20) {}\n"
    first, second = build.build(write("once", text), BOARD).threads
    assert first.stack_need > 2000 > 600 > second.stack_need


@pytest.mark.parametrize("name", ["blink", "rover"])
def test_interrupt_stack_is_enough(name: str, tmp_path: Path) -> None:
    built = build.build(ROOT / "examples" / name, BOARD, out=tmp_path)
    assert 200 < built.isr_stack_need <= built.isr_stack_size


def with_array(outside: str, inside: str = "") -> str:
    setup = "void setup() { Serial.begin(9600); }"
    return f"{setup} {outside} void loop() {{ {inside} Serial.println(b[millis() & 7]); }}"


def test_stacks_of_the_last_build_are_forgotten_where_they_do_not_fit(write: Callable) -> None:
    """An array that moves from the stack to a variable: both at once are more than there is."""
    board, array = boards.load("stm32f051-4k"), "volatile char b[1800];"
    assert build.build(write("moves", with_array("", array)), board).threads[0].stack_size > 1800
    built = build.build(write("moves", with_array(array)), board)
    assert built.threads[0].stack_size == built.threads[0].stack_need < 600


def test_how_much_too_much_is_a_bound_until_stacks_are_known(write: Callable) -> None:
    told = {}
    for size in (3000, 5000):
        folder = write(f"large{size}", with_array(f"volatile char b[{size}];"))
        with pytest.raises(UserError) as raised:
            build.build(folder, boards.load("stm32f051-4k"))
        told[size] = raised.value.what
        assert "--no-trace" in raised.value.fix
    assert "needs at least" in told[5000] and "bytes more than the RAM of 4096" in told[5000]
    assert "at least" not in told[3000]
