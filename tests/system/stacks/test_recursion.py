"""A recursion whose depth is not known: an overflow is named where the board guards stacks, and
where the recursion looks for room itself, on AVR; elsewhere the program is refused, unless it gives
the stack."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from takt import boards
from takt.build.build import build
from takt.cli import run
from takt.code.elf import Program
from takt.errors import UserError
from takt.machine.machines import machine_of
from takt.world import world

GUARDED, LOOKS = ("pico", "lm3s6965evb"), ("stm32f051", "uno", "atmega324p")
PAINT = 0xA7
SKETCH = """
#include <Takt.h>
volatile int k;
int f(int n) { volatile char b[%d]; b[0] = n; return f(n + 1) + b[0]; }
void setup() { Serial.begin(115200); Serial.println("before"); }
void loop(1, 10, 50%s) { delay(30); k = f(0); }
void loop(2, 20, 100) { delay(10); }
"""
VARIABLE = """
#include <Takt.h>
volatile int n = 100;
void setup() {}
void loop(1, 10, 50%s) { volatile char room[n]; for (int i = 0; i < n; i++) room[i] = 1; delay(3); }
"""
HANDLER = """
#include <Takt.h>
volatile int k;
int f(int n) { volatile char b[16]; b[0] = n; return f(n + 1) + b[0]; }
void tick() { k = f(0); }
void setup() { pinMode(2, INPUT); attachInterruptIsr(2, tick, RISING); }
void loop(1, 10, 50) {}
"""


@pytest.mark.parametrize(
    ("board", "frame"),
    [(board, frame) for board in GUARDED for frame in (8, 64, 200)]
    + [(board, frame) for board in ("microbit", *LOOKS) for frame in (8, 64)],
)
def test_an_overflow_is_named(write: Callable, board: str, frame: int) -> None:
    folder, on = write("recur", SKETCH % (frame, "")), boards.load(board)
    built = build(folder, on)
    (warning,) = built.warnings
    assert warning.startswith("stack of loop 1 is a guess") and "recursion of f" in warning
    with pytest.raises(UserError) as raised:
        run.run(built, world.load(folder, on), 0.5)
    assert "in loop 1: stack overflow" in raised.value.what
    assert "before" in str(raised.value.detail)


@pytest.mark.parametrize("frame", [8, 200, 4000, 60_000])
def test_of_a_program_on_the_host(write: Callable, frame: int) -> None:
    """Which gives stacks more than is asked for; the command line goes on."""
    folder, on = write("recur", SKETCH % (frame, "")), boards.load("sim")
    with pytest.raises(UserError, match="in loop 1: stack overflow") as raised:
        run.run(build(folder, on), world.load(folder, on), 0.5)
    assert "before" in str(raised.value.detail)


FRAMES = (300, 400, 500, 600, 1500, 3000)  # more than the guard of a pico


@pytest.mark.parametrize("frame", FRAMES)
def test_a_frame_that_may_pass_the_guard(write: Callable, frame: int) -> None:
    """On the pico the program lies below the stacks."""
    folder, on = write("recur", SKETCH % (frame, "")), boards.load("pico")
    built = build(folder, on)
    with pytest.raises(UserError, match="in loop 1: stack overflow"):  # since it looks for room
        run.run(built, world.load(folder, on), 0.5)
    given = build(write("recur", SKETCH % (frame, ", 4000")), on)
    (warning,) = given.warnings
    told = (
        rf"is a guess \(4000 bytes\).*a frame of {frame // 100}\d+ bytes may pass its guard of 256"
    )
    assert re.search(told, warning)


BESIDE = """
#include <Takt.h>
volatile int k;
int large(int n) { volatile char b[600]; b[n] = n; return b[0]; }
int f(int n) { volatile char b[16]; b[0] = n; return f(n + 1) + b[0] + INSIDE; }
void setup() { Serial.begin(115200); Serial.println("before"); }
void loop(1, 10, 50) { delay(30); k = large(9); k = f(0); }
void loop(2, 20, 100) { delay(10); }
"""


def test_a_large_frame_beside_a_recursion_passes_no_guard(write: Callable) -> None:
    """It lies where it was counted to. For one that the recursion calls it looks for room."""
    on = boards.load("pico")
    for name, inside in {"beside": "0", "inside": "large(n % 9)"}.items():
        folder = write(name, BESIDE.replace("INSIDE", inside))
        built = build(folder, on)
        (warning,) = built.warnings
        assert "is a guess" in warning and "may pass" not in warning
        looks = "takt_too_deep" in Program(built.elf).by_name
        assert looks == (name == "inside")
        with pytest.raises(UserError, match="in loop 1: stack overflow"):
            run.run(built, world.load(folder, on), 0.5)


@pytest.mark.parametrize("frame", FRAMES)
def test_one_that_jumps_over_the_guard_reaches_the_end_of_ram(write: Callable, frame: int) -> None:
    """On an ARMv7-M, whose program is in flash."""
    folder, on = write("recur", SKETCH % (frame, "")), boards.load("lm3s6965evb")
    with pytest.raises(UserError, match="in loop 1: stack overflow"):
        run.run(build(folder, on), world.load(folder, on), 0.5)


def test_one_that_reaches_the_stack_of_the_interrupts_is_the_loop_s(write: Callable) -> None:
    folder, on = write("array", VARIABLE.replace("100", "5000", 1) % ""), boards.load("lm3s6965evb")
    with pytest.raises(UserError, match="in loop 1: stack overflow"):
        run.run(build(folder, on), world.load(folder, on), 0.5)


# By a name, two that call each other, and by a pointer; what is called below them takes more stack
# than they do, and a thread above preempts them there.
DEEP = """
#include <Takt.h>
volatile int k;
int f(int n);
int (*volatile again)(int) = f;
__attribute__((noinline)) int leaf(int n) {
  volatile char b[60];
  for (int i = 0; i < 60; i++) b[i] = n;
  delayMicroseconds(200);
  return b[n & 31];
}
__attribute__((noinline)) int other(int n) { volatile char b[9]; b[0] = n; return f(n) + b[0]; }
int f(int n) {
  volatile char b[%d];
  b[0] = n;
  if (n == 0) return leaf(n);
  return leaf(n) + b[0] + (n %% 3 == 2 ? other(n - 1) : n %% 3 == 1 ? again(n - 1) : f(n - 1));
}
void setup() { Serial.begin(115200); }
void loop(1, 1, 5) { k = leaf(1); delay(1); }
void loop(2, 20, 100) {
  for (int n = 0;; n++) { Serial.println(n); k = f(n); delay(20); }
}
"""
LONGEST_S = 8.0


@pytest.mark.parametrize("board", LOOKS)
@pytest.mark.parametrize("frame", [4, 30])
def test_it_looks_for_room(write: Callable, board: str, frame: int) -> None:
    """Before anything is written below its stack, however deep it goes in between."""
    on = boards.load(board)
    built = build(write("recur", DEEP % frame), on)
    mine = next(thread for thread in built.threads if thread.name == "loop 2")
    assert any("recursion of" in doubt and "other" in doubt for doubt in mine.doubts)
    machine = machine_of(on)
    machine.load_elf(built.elf)
    machine.write(mine.stack, bytes([PAINT]) * mine.stack_size)
    machine.run(round(LONGEST_S * on.clock_hz))
    said = bytes(byte for _, byte in machine.uart_take(0)).decode()
    assert said.endswith("takt: fatal: stack overflow (in loop 2)\r\n"), said
    assert int(said.partition("takt:")[0].split()[-1]) > 4  # levels
    stands = (b"KTAT" if board == "stm32f051" else b"KT") + bytes([PAINT])
    assert machine.read(mine.stack, len(stands)) == stands  # the sentinel, and what is above


SHORT = """
volatile int k;
volatile char most_of_ram[%d];
int f(int n) {
  volatile char b[100];
  b[0] = n;
  Serial.print('.');
  return f(n + 1) + b[0];
}
void setup() { Serial.begin(115200); most_of_ram[0] = 1; }
void loop() { k = f(0); }
"""


@pytest.mark.parametrize("board", LOOKS[1:])
@pytest.mark.parametrize(("taken", "levels"), [(600, 8), (1000, 4), (1300, 2), (1450, 1)])
def test_where_ram_is_short_fewer_levels_are_counted(
    write: Callable, board: str, taken: int, levels: int
) -> None:
    """The rest is found by looking: no byte below the stack is written."""
    folder, on = write("recur", SHORT % taken), boards.load(board)
    built = build(folder, on, trace=False)
    (warning,) = built.warnings
    assert f"{levels} counted" in warning
    (mine,) = built.threads
    machine = machine_of(on)
    machine.load_elf(built.elf)
    machine.write(mine.stack, bytes([PAINT]) * mine.stack_size)
    machine.run(round(0.2 * on.clock_hz))
    said = bytes(byte for _, byte in machine.uart_take(0)).decode()
    depth, _, told = said.partition("\r\n")
    assert told == "takt: fatal: stack overflow (in loop)\r\n"
    assert set(depth) == {"."} and levels - 1 <= len(depth) <= levels + 5
    assert machine.read(mine.stack, 3) == b"KT" + bytes([PAINT])


@pytest.mark.parametrize("board", LOOKS[1:])
def test_where_no_level_has_room(write: Callable, board: str) -> None:
    with pytest.raises(UserError, match="bytes more than the RAM"):
        build(write("recur", SHORT % 1800), boards.load(board), trace=False)


QSORT = """
#include <Takt.h>
int values[20];
int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
void setup() {}
void loop(1, 10, 50%s) { qsort(values, 20, sizeof *values, order); delay(30); }
"""


@pytest.mark.parametrize("board", LOOKS[:2])
def test_of_a_function_of_the_c_library_it_is_refused(write: Callable, board: str) -> None:
    """Which is not compiled here, so that it cannot look for room. Unless the stack is given."""
    with pytest.raises(UserError) as raised:
        build(write("sort", QSORT % ""), boards.load(board))
    assert "the stack of loop 1 has no bound: recursion of qsort" in raised.value.what
    assert raised.value.where.endswith("sort.ino:6")
    assert "loop(id, C, T, bytes)" in raised.value.fix
    built = build(write("sort", QSORT % ", 400"), boards.load(board))
    assert [w for w in built.warnings if "stack of loop 1 is a guess (400 bytes)" in w]


@pytest.mark.parametrize("board", ["pico", "stm32f051", "uno"])
def test_an_array_of_variable_size_is_refused(write: Callable, board: str) -> None:
    """Where no guard would stop it whatever its size."""
    with pytest.raises(UserError, match="takes stack at run time") as raised:
        build(write("array", VARIABLE % ""), boards.load(board))
    assert "give the array a constant size, or give a stack" in raised.value.fix
    built = build(write("array", VARIABLE % ", 400"), boards.load(board))
    assert [w for w in built.warnings if "stack of loop 1 is a guess (400 bytes)" in w]


def test_of_a_handler(write: Callable) -> None:
    """On a Cortex-M the end of RAM, or the guard, is a fault that is named."""
    folder = write("recur", HANDLER)
    for board in ("pico", "stm32f051"):
        warnings = build(folder, boards.load(board)).warnings
        assert any("stack of the interrupts is a guess" in warning for warning in warnings)
    with pytest.raises(UserError, match="the stack of the interrupts has no bound"):
        build(folder, boards.load("uno"))


GIVEN = """
#include <Takt.h>
volatile int n;
void setup() { Serial.begin(115200); }
void loop(1, 20, 80, 600) { n++; delay(3); }
void loop(2, 20, 100, 604) { Serial.println(n); delay(4); }
void loop(3, 20, 120, 606) { n++; delay(4); }
"""


@pytest.mark.parametrize("board", GUARDED)
def test_the_guard_of_a_stack_that_is_given_is_its_own(write: Callable, board: str) -> None:
    """It does not reach into the stack below, whatever the sizes."""
    folder, on = write("given", GIVEN), boards.load(board)
    built = build(folder, on)
    guard = Program(built.elf).by_name["port_guard_bytes"].address
    assert guard > 8 and [thread.stack % guard for thread in built.threads] == [0, 0, 0]
    used = run.run(built, world.load(folder, on), 0.5).stack_used  # and it does not stop
    assert sorted(used) == [0, 1, 2]


BORN = """
#include <Takt.h>
struct Born {
  Born(int n) { grow(n); }
  __attribute__((noinline)) int grow(int n) {
    volatile char b[12];
    b[0] = n;
    return n ? grow(n - 1) + b[0] : 1;
  }
} born(%d);
void setup() { Serial.begin(115200); Serial.println("begun"); }
void loop(1, 2, 20) { born.grow(2); delay(10); }
"""


@pytest.mark.parametrize("board", LOOKS)
def test_of_a_constructor(write: Callable, board: str) -> None:
    """Which has the stack of the interrupts."""
    on = boards.load(board)
    good = build(write("born", BORN % 3), on)
    assert run.run(good, world.load(good.sketch.folder, on), 0.2).as_dict()["serial"].split() == [
        "begun"
    ]
    deep = build(write("born", BORN % 400), on)
    with pytest.raises(UserError, match=r"stack overflow.*interrupts"):
        run.run(deep, world.load(deep.sketch.folder, on), 0.2)


TASK = """
#include <Takt.h>
volatile int k;
int f(int n) { volatile char b[16]; b[0] = n; return n ? f(n - 1) + b[0] : 1; }
void setup() {}
int task(one, 10, int state) { k = f(3); return 0; }
"""


def test_of_a_task(write: Callable) -> None:
    """On top of which others may come; their stack has no size that a program could give."""
    folder = write("task", TASK)
    for board in LOOKS:
        with pytest.raises(UserError, match="the stack of tasks has no bound: recursion of f"):
            build(folder, boards.load(board))
    (warning,) = build(folder, boards.load("pico")).warnings
    assert warning.startswith("stack of tasks is a guess") and "recursion of f" in warning
