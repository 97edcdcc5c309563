"""Stacks of AVR programs: frames against the compiler's, needs against what runs have used."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from takt import boards
from takt.build import build
from takt.code.callgraph import CallGraph
from takt.code.codeflow import Function
from takt.code.elf import Program
from takt.code.stacks import Stacks
from takt.errors import UserError
from takt.paths import BUILD

UNO = boards.load("uno")

DEEP = """\
struct Shape { virtual int area(int n) = 0; };
struct Small : Shape { int area(int n) override { return n; } };
struct Large : Shape {
    int area(int n) override
    {
        volatile char room[250];
        for (unsigned i = 0; i < sizeof room; i++)
            room[i] = (char)n;
        return room[n & 127];
    }
};
Small small;
Large large;
Shape *shapes[] = {&small, &large};
void setup() { Serial.begin(115200); }
void loop(1, 10, 50) { Serial.println(1.5f * shapes[1]->area(millis())); delay(5); }
void loop(2, 10, 60) { volatile char big[100]; big[0] = 1; big[99] = big[0]; delay(7); }
void loop(3, 10, 70) { delay(3); }
"""


@pytest.fixture(scope="module")
def deep(tmp_path_factory: pytest.TempPathFactory) -> build.Build:
    folder = tmp_path_factory.mktemp("avr") / "deep"
    folder.mkdir()
    (folder / "deep.ino").write_text(DEEP)
    return build.build(folder, UNO)


def reported(folder: Path) -> dict[str, set[int]]:
    """Frames as the compiler tells, by function; of C files."""
    found: dict[str, set[int]] = {}
    for file in folder.rglob("*.su"):
        for line in file.read_text().splitlines():
            place, size, kind = line.split("\t")
            if re.search(r"\.c:", place) and kind == "static":
                found.setdefault(place.rsplit(":", 1)[-1], set()).add(int(size))
    return found


def test_frames_are_those_the_compiler_reports(deep: build.Build) -> None:
    """Every C function of kernel, port and drivers that is linked."""
    told = reported(BUILD / "uno")
    functions = CallGraph(Program(deep.elf)).functions.values()
    compared = [f for f in functions if f.name in told and not f.name.startswith("__vector_")]
    assert len(compared) > 60
    assert [(f.name, f.frame) for f in compared if f.frame not in told[f.name]] == []


def test_a_virtual_call_counts_its_deepest_target(deep: build.Build) -> None:
    first, second, third = deep.threads
    assert 250 + 45 < first.stack_need < 500
    assert "_ZN5Large4areaEi" in first.chain
    assert 90 < second.stack_need - third.stack_need < 110
    assert not first.doubts + second.doubts + third.doubts


def test_what_runs_stays_within_what_was_computed(takt: Callable, write: Callable) -> None:
    ran = takt("run", write("deep", DEEP), "--board", "uno", "--seconds", "3", "--json")
    assert ran.code == 0, ran.err
    for thread in ran.json["threads"]:
        assert 0.4 * thread["stack_size"] < thread["stack_used"] <= thread["stack_size"] - 2
    assert ran.json["threads"][0]["stack_used"] > 250


FORMS = """\
typedef int (*fn)(int);
volatile int v;
volatile fn held;
extern int printf_like(const char *, ...);
int one(int n) { return n + v; }
int large(int n)
{
    volatile char room[300];
    room[n] = 1;
    return room[5];
}
fn const table[] = {one, large};
__attribute__((noinline)) int pick(int n) { return table[n](n) + 1; }
__attribute__((noinline)) int tail(fn f) { return f(3); }
__attribute__((noinline)) int many(const char *text, ...) { return text[v]; }
__attribute__((noinline)) int pushes(int n) { return many("a", n, n, n, n) + many("b", n, n, n); }
__attribute__((noinline)) int cases(int n)
{
    switch (n) {
    case 1: return v;
    case 2: return v / 3;
    case 3: v = 7; return large(n) + 1;
    case 4: return one(2) * 3;
    case 5: return pick(n) + v;
    case 6: return 77;
    }
    return 0;
}
__attribute__((noinline)) int vla(int n)
{
    char room[n];
    __asm__("" : : "r"(room) : "memory");
    return room[v];
}
int main(void)
{
    held = one;
    for (;;)
        v += pick(v) + tail(held) + cases(v) + vla(v) + pushes(v);
}
"""


@pytest.fixture(scope="module", params=["plain", "-mcall-prologues"])
def forms(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, Function], CallGraph, dict[str, set[int]]]:
    folder = tmp_path_factory.mktemp("forms")
    (folder / "a.c").write_text(FORMS)
    flags = ["-mmcu=atmega328p", "-Os", "-fstack-usage", "-fno-inline"]
    flags += [request.param] if request.param.startswith("-") else []
    subprocess.run(["avr-gcc", *flags, "-c", "a.c"], cwd=folder, check=True)
    command = ["avr-gcc", *flags[:2], "a.o", "-o", "a.elf", "-Wl,--emit-relocs,-Map=a.map"]
    subprocess.run(command, cwd=folder, check=True)
    graph = CallGraph(Program(folder / "a.elf"))
    return {f.name: f for f in graph.functions.values()}, graph, reported(folder)


def test_frames_of_all_forms(forms: tuple) -> None:
    """Small and large frames, arguments on the stack, cases by a table, with shared prologues."""
    named, _, told = forms
    assert {name for name in told if named[name].frame not in told[name]} <= {"pushes"}
    assert named["large"].frame == 304
    assert named["vla"].dynamic and not any(named[n].dynamic for n in told)
    # return address, saved registers, and ten bytes of arguments at most at a time
    assert 10 <= named["pushes"].taken[named["many"].address] - 2 <= named["pushes"].frame <= 24


def test_calls_of_all_forms(forms: tuple) -> None:
    named, graph, _ = forms
    address = {name: f.address for name, f in named.items()}
    assert {address["one"], address["large"]} <= graph.address_taken
    assert set(graph.callees(named["pick"])) == set(graph.callees(named["tail"]))
    assert address["large"] in set(graph.callees(named["tail"]))
    assert {address["large"], address["pick"], address["one"]} <= named["cases"].calls
    assert named["tail"].taken_by_pointer in (0, 2)


def test_threads_are_read_from_the_program(deep: build.Build) -> None:
    program = Program(deep.elf)
    first = program.threads()[0]
    body = program.by_name["_Z16takt_loop_1_bodyv"]
    entry = program.by_name["takt_arduino_thread"]
    assert (first.name, first.called, first.entry) == ("loop 1", body.address, entry.address)
    assert (first.budget_us, first.period_us) == (10_000, 50_000)
    assert first.stack == program.by_name["takt_stack_loop_1"].address
    assert first.stack_end - first.stack == deep.threads[0].stack_size


SHARES = """\
#include <takt/io.h>

static void serve(void *io)
{
    for (;;)
        takt_io_wait(io);
}
TAKT_IO_THREAD(wires, 1, 10, serve, &takt_io_wires, 200)
TAKT_IO_THREAD(plain, 1, 20, serve, &takt_io_plain, 200)
static const struct takt_io_share stated TAKT_IO_SHARE_SECTION = {&takt_io_wires, 3000, 50000};

static void work(void *arg)
{
    for (;;)
        (void)arg;
}
TAKT_BUDGET_THREAD(main, 5000, 100000, work, NULL, 200)
int main(void) { takt_start(); }
"""


def test_shares_of_interrupts_are_read(tmp_path: Path) -> None:
    (tmp_path / "shares.c").write_text(SHARES)
    found = {t.name: t for t in build.build(tmp_path, UNO, out=tmp_path / "out").threads}
    shares = {name: (t.share.c_us, t.share.t_us) for name, t in found.items() if t.share}
    expected = {"wires": (3_000, 50_000), "plain": (1_000, 20_000)}
    assert shares == {f"bottom half of {name}": share for name, share in expected.items()}
    assert (found["main"].budget_us, found["main"].period_us) == (5_000, 100_000)


LAST = """\
__attribute__((noreturn, noinline)) void stay(void);
__attribute__((noinline)) void go(void) { stay(); }
void stay(void)
{
    volatile char room[40];
    for (;;)
        room[0] = 1;
}
int main(void) { go(); }
"""


def test_a_call_of_the_next_function_is_one(tmp_path: Path) -> None:
    """rcall to the next instruction takes two bytes of a frame, but not where a function begins."""
    (tmp_path / "a.c").write_text(LAST)
    command = ["avr-gcc", "-mmcu=atmega328p", "-Os", "-mrelax", "-fno-toplevel-reorder", "a.c"]
    subprocess.run([*command, "-Wl,--emit-relocs", "-o", "a.elf"], cwd=tmp_path, check=True)
    program = Program(tmp_path / "a.elf")
    named = {f.name: f for f in CallGraph(program).functions.values()}
    assert program.code(named["go"].address)[:2] == b"\x00\xd0"
    assert named["go"].calls == {named["stay"].address} and named["go"].frame == 2


OWN = """\
#include <avr/interrupt.h>
ISR(INT0_vect)
{
    volatile char room[90];
    room[0] = 1;
}
void setup() { EICRA = 3; EIMSK = 1; }
void loop(1, 5, 50) { delay(5); }
"""


def test_a_handler_that_stays_on_the_stack_it_finds(write: Callable) -> None:
    """avr-libc's ISR() may come on top of any thread."""
    (first,) = build.build(write("own", OWN), UNO).threads
    (without,) = build.build(
        write("none", OWN.replace("ISR(INT0_vect)", "void none()")), UNO
    ).threads
    assert 75 <= first.stack_need - without.stack_need <= 95


def test_a_handler_that_lets_others_in_is_refused(write: Callable) -> None:
    text = "#include <avr/interrupt.h>\nvolatile char n;\n"
    text += "ISR(TIMER2_COMPA_vect, ISR_NOBLOCK) { n++; }\n"
    with pytest.raises(UserError, match="handler __vector_7 lets other interrupts in"):
        build.build(
            write("nested", text + "void setup() {}\nvoid loop(1, 5, 50) {}\n"), boards.load("uno")
        )


def test_a_vector_with_a_short_way_takes_no_more(deep: build.Build) -> None:
    """That of sending bytes goes on in port_isr only when it must: a frame as all others'."""
    program = Program(deep.elf)
    assert "takt_uart_port0_slow" in program.by_name
    assert Stacks(program).frame == program.by_name["port_frame_bytes"].address
