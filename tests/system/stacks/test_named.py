"""No tool knows a function by its name: what a program calls its own changes no stack."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from takt import boards
from takt.build import build

SKETCH = """\
#include <Takt.h>
extern "C" void work(void);
void setup() {}
void loop(1, 20, 100) { work(); delay(10); }
"""
WORK = """\
#include <takt/thread.h>
static %s NAME(void)
{
    volatile char big[BYTES];
    for (unsigned i = 0; i < sizeof big; i++)
        big[i] = (char)i;
}
static void (*volatile chosen)(void) = NAME;
void work(void) { chosen(); }
"""
# As the kernel's, its ports', its drivers' and their interrupts' functions are called.
NAMES = (
    "port_deep", "alarm_deep", "isr_deep", "takt_deep", "takt_task_deep", "takt_thread_deep",
    "dispatch_work", "passes", "takt_task_look_locked", "breathe_locked", "port_idle",
    "__vector_deep", "takt_sem_leave", "port_on_isr_stack", "alarm_serve",
)  # fmt: skip
BYTES = {"pico": 1500, "uno": 300}


def needed(write: Callable, board: str, text: str) -> int:
    folder = write("named", SKETCH, {"work.c": text})
    loop = build.build(folder, boards.load(board)).threads[0]
    assert not loop.doubts
    return loop.stack_need


def work(board: str, name: str, linkage: str = "__attribute__((noinline)) void") -> str:
    return (WORK % linkage).replace("NAME", name).replace("BYTES", str(BYTES[board]))


@pytest.mark.parametrize("board", BYTES)
def test_the_name_of_a_function_says_nothing(write: Callable, board: str) -> None:
    needs = {name: needed(write, board, work(board, name)) for name in ("chosen_one", *NAMES)}
    assert needs["chosen_one"] > BYTES[board]
    assert set(needs.values()) == {needs["chosen_one"]}, needs


TABLE = """\
static void deep(void)
{
    volatile char big[BYTES];
    for (unsigned i = 0; i < sizeof big; i++)
        big[i] = (char)i;
}
void (*volatile takt_%s_own[2])(void) = {deep, deep};
void work(void) { takt_%s_own[1](); }
"""


@pytest.mark.parametrize("board", BYTES)
@pytest.mark.parametrize("kind", ["thread", "task"])
def test_nor_does_that_of_a_table(write: Callable, board: str, kind: str) -> None:
    text = TABLE.replace("%s", kind).replace("BYTES", str(BYTES[board]))
    assert needed(write, board, text) > BYTES[board]


AGAIN = """\
void deep() { volatile char big[500]; for (unsigned i = 0; i < sizeof big; i++) big[i] = (char)i; }
__attribute__((noinline)) void setup() { deep(); }
void loop(1, 20, 100) { delay(10); }
void loop(2, 20, 200) { setup(); delay(10); }
"""


def test_setup_is_counted_where_a_loop_calls_it(write: Callable) -> None:
    """It is the start of setup(), not the function, that is one thread's."""
    threads = build.build(write("again", AGAIN), boards.load("pico")).threads
    assert all(thread.stack_need > 500 for thread in threads)


FOREVER = """\
volatile int k;
%s
void setup() { Serial.begin(115200); if (k) %s; }
void loop(1, 10, 50) { if (k) %s; delay(5); }
"""
ENDLESS = ("for (;;);", "for (;;) k++;", "for (;;) Serial.println(k++);")


@pytest.mark.parametrize("board", BYTES)
@pytest.mark.parametrize("body", ENDLESS)
def test_a_loop_without_end_is_no_recursion(write: Callable, board: str, body: str) -> None:
    text = f"__attribute__((noinline)) void stop() {{ {body} }}"
    built = build.build(write("forever", FOREVER % (text, "stop()", "stop()")), boards.load(board))
    assert [t.doubts for t in built.threads] == [()]
    built = build.build(write("forever", FOREVER % ("", body[:-1], body[:-1])), boards.load(board))
    assert [t.doubts for t in built.threads] == [()]


def test_setup_without_end_is_no_recursion(write: Callable) -> None:
    text = "void setup() { for (;;); }\nvoid loop(1, 10, 100) {}\nvoid loop(2, 10, 100) {}\n"
    for board in BYTES:
        built = build.build(write("ever", text), boards.load(board))
        assert [w for w in built.warnings if "recursion" in w] == []


# Assembler, for the compiler makes loops of such calls. Without POPS each round leaves some bytes.
ANEW = {
    "pico": """\
    .syntax unified
    .global again
    .type again, %function
    .thumb_func
again:
    ldr r3, =k
    ldr r3, [r3]
    cmp r3, #0
    bne again
    push {r4, lr}
#if POPS
    pop {r4}
    add sp, #4
#endif
    bl other
    b again
    .pool
    .size again, . - again
""",
    "uno": """\
    .global again
    .type again, @function
again:
    lds r24, k
    cpi r24, 0
    brne again
    push r24
#if POPS
    pop r24
#endif
    call other
    rjmp again
    .size again, . - again
""",
}
CALLS_IT = """\
extern "C" { void again(); volatile uint8_t k; void other() {} }
void setup() {}
void loop(1, 10, 50, 600) { again(); delay(5); }
"""


@pytest.mark.parametrize("board", BYTES)
def test_what_goes_on_at_its_own_start_is_none_if_it_leaves_nothing(
    write: Callable, board: str
) -> None:
    for pops in (1, 0):
        text = f"#define POPS {pops}\n    .text\n" + ANEW[board]
        folder = write("anew", CALLS_IT, {"again.S": text})
        loop = build.build(folder, boards.load(board)).threads[0]
        assert bool(loop.doubts) == (not pops), (pops, loop.doubts)
