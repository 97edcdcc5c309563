"""A program that stops is told with function, file and line, and with the calls that led there;
what is expected stands in the sketch, as comments."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest

CORTEX = ("pico", "stm32f051")
EVERYWHERE = (*CORTEX, "lm3s6965evb", "uno", "pc")

# A write that faults: nothing is there, on AVR beyond the RAM, on a PC no canonical address; QEMU's
# Cortex-M lets all pass but what the MPU guards.
FAULT = """
#if defined(__ARM_ARCH_7M__)
#define NOWHERE 8
#elif defined(__AVR__)
#define NOWHERE 0xFFF0
#elif defined(__x86_64__)
#define NOWHERE 0x8000000000000000
#else
#define NOWHERE 0xC0000001
#endif
volatile int *volatile nowhere = (volatile int *)NOWHERE;
volatile int used;
#define APART __attribute__((noinline))
"""

CALLS = """
struct Motor { int port; };
APART int drive(Motor *motor, int speed) {
  *nowhere = motor->port + speed;  // 0
  return used;
}
APART int steer(int angle) {
  Motor left = {angle};
  return drive(&left, 3) + angle;  // 1
}
"""
SKETCHES = {
    "loop": (
        CALLS + """
void setup() {}
void loop(left, 10, 100) {
  delay(50);
  used = steer(7) + 1;  // 2
}
void loop(right, 10, 100) { delay(10); }
""",
        ["drive(Motor*, int)", "steer(int)", "loop left"], "in loop left",
    ),
    "ordinary loop": (
        CALLS + "void setup() {}\nvoid loop() {\n  delay(5);\n  used = steer(2) + 1;  // 2\n}\n",
        ["drive(Motor*, int)", "steer(int)", "loop()"], "in loop",
    ),
    "setup": (
        CALLS + "void setup() {\n  used = steer(2) + 1;  // 2\n}\n"
        "void loop(1, 1, 10) { delay(5); }\n",
        ["drive(Motor*, int)", "steer(int)", "setup()"], "in setup()",
    ),
    "job": (
        "#include <Takt.h>\n" + CALLS
        + "void setup() {}\nvoid periodic(control, 2, 20) {\n  used = steer(1) + 1;  // 2\n}\n",
        ["drive(Motor*, int)", "steer(int)", "periodic control"], "in periodic control",
    ),
}  # fmt: skip
HANDLERS = {
    "handler": ("attachInterrupt", "in handlers"),
    "interrupt": ("attachInterruptIsr", "in an interrupt"),
}


def stopped(takt: Callable, write: Callable, source: str, board: str, world: str = "") -> Any:
    files = {"world_DOT_toml": world} if world else {}
    folder = write("stops", FAULT + source, **files)
    ran = takt("run", folder, "--board", board, "--seconds", "1", "--json")
    assert ran.code == 1 and "Traceback" not in ran.err, ran.err
    return ran


def check(ran: Any, source: str, functions: list[str], who: str) -> None:
    lines = (FAULT + source).splitlines()
    numbers = {m[1]: n for n, x in enumerate(lines, 1) if (m := re.search(r"// (\d+)$", x))}
    calls, error = ran.json["calls"], ran.json["error"]
    assert [call["function"] for call in calls] == functions, calls
    assert all(call["sure"] for call in calls), calls
    assert [call["line"] for call in calls] == [numbers[str(n)] for n in range(len(functions))]
    assert all(call["file"].endswith("stops/stops.ino") for call in calls)
    assert error["where"] == f"{calls[0]['file']}:{calls[0]['line']}"
    assert f" {who}: " in error["what"]
    for function, call in zip(functions, calls, strict=True):
        assert re.search(rf"{re.escape(function)} +{call['file']}:{call['line']}\n", ran.err)


@pytest.mark.parametrize("board", EVERYWHERE)
@pytest.mark.parametrize("case", SKETCHES)
def test_a_fault_is_told_with_its_calls(
    takt: Callable, write: Callable, board: str, case: str
) -> None:
    source, functions, who = SKETCHES[case]
    ran = stopped(takt, write, source, board)
    check(ran, source, functions, who)


@pytest.mark.parametrize("board", CORTEX)
@pytest.mark.parametrize("case", HANDLERS)
def test_a_fault_in_a_handler(takt: Callable, write: Callable, board: str, case: str) -> None:
    attach, who = HANDLERS[case]
    source = CALLS + "void hit() {\n  used = steer(2) + 1;  // 2\n}\nvoid setup() {\n"
    source += f"  {attach}(3, hit, RISING);\n}}\nvoid loop() {{\n  delay(5);\n}}\n"
    world = '[[stimuli]]\nat = "300 ms"\npin = 3\nlevel = "high"\n'
    ran = stopped(takt, write, source, board, world)
    functions = ["drive(Motor*, int)", "steer(int)", "hit()"]
    check(ran, source, functions if case == "handler" else functions[:1], who)


CALLED = """\
void (*volatile never)(int);
APART int apply(int n) {
  never(n);  // 0
  return n + 1;
}
void setup() {}
void loop(1, 5, 50) {
  delay(5);
  used = apply(2) + 1;  // 1
}
"""


@pytest.mark.parametrize("board", [*CORTEX, "microbit", "lm3s6965evb", "uno"])
def test_a_call_by_a_null_pointer(takt: Callable, write: Callable, board: str) -> None:
    ran = stopped(takt, write, CALLED, board)
    error = ran.json["error"]
    assert "in loop 1: a function was called by a null pointer" in error["what"]
    assert "a pointer to a function that has not been set" in error["fix"]
    line = (FAULT + CALLED).splitlines().index("  never(n);  // 0") + 1
    assert error["where"].endswith(f"stops.ino:{line}")
    assert ran.json["calls"][0]["function"] == "apply(int)" and ran.json["calls"][0]["sure"]


LONG_TEXT = """
__attribute__((noinline)) int put(const char *text) {
  char b[40];
  sprintf(b, "%s %s", text, text);
  return b[3];
}
const char *volatile text = "00000000000000000000000000000000000000";
void setup() {}
void loop() { delay(5); put(text); }
"""


@pytest.mark.parametrize("board", CORTEX)
def test_a_return_address_that_is_text(takt: Callable, write: Callable, board: str) -> None:
    """What a buffer on the stack has overwritten is no pointer that has not been set."""
    ran = takt("run", write("text", LONG_TEXT), "--board", board, "--seconds", "1", "--json")
    error = ran.json["error"]
    assert "it returned to 0x30303030, which is text ('0000')" in error["what"]
    assert "an array on the stack was written beyond its end" in error["fix"]


def test_a_fault_before_the_first_thread(takt: Callable, write: Callable) -> None:
    source = "struct Early { Early() { *nowhere = 1; } } early;\nvoid setup() {}\nvoid loop() {}\n"
    what = stopped(takt, write, source, "pico").json["error"]["what"]
    assert "hard fault" in what and "interrupt" not in what


def test_a_pure_virtual_function(takt: Callable, write: Callable) -> None:
    """The compiler refers to it weakly: it is linked all the same."""
    source = """\
struct Base {
  Base();
  virtual int size() = 0;
  APART int twice() { return 2 * size(); }
};
int sum;
Base::Base() { sum += twice(); }
struct Own : Base { int size() override { return 3; } };
void setup() { Own own; sum += own.size(); }
void loop(1, 5, 50) {}
"""
    what = stopped(takt, write, source, "pico").json["error"]["what"]
    assert "in setup(): pure virtual function called" in what


def test_a_null_pointer(takt: Callable, write: Callable) -> None:
    """The firmware tells no address there."""
    source = CALLS.replace("*nowhere", "*(volatile int *)used") + SKETCHES["loop"][0][len(CALLS) :]
    for board in ("lm3s6965evb", "pc"):
        ran = stopped(takt, write, source, board)
        assert "null pointer" in ran.json["error"]["what"]
        check(ran, source, SKETCHES["loop"][1], "in loop left")


def test_what_the_kernel_ends_has_the_calls_before_it(takt: Callable, write: Callable) -> None:
    source = """#include <stdlib.h>
APART int give_up(int n) {
  if (n > 2)
    abort();  // 0
  return n;
}
int n;
void setup() {}
void loop() {
  delay(10);
  used = give_up(++n) + 1;  // 1
}
"""
    ran = stopped(takt, write, source, "pico")
    calls, error = ran.json["calls"], ran.json["error"]
    line = 1 + (FAULT + source).splitlines().index("    abort();  // 0")
    assert [call["function"] for call in calls[-3:]] == ["abort", "give_up(int)", "loop()"]
    assert calls[-2]["line"] == line and error["where"].endswith(f"stops.ino:{line}")
    assert "in loop: the program called exit or abort" in error["what"]


def test_sim_tells_the_place(takt: Callable, write: Callable) -> None:
    source = CALLS.replace("*nowhere = ", "if (used == 0) __builtin_trap(); used = ")
    source += SKETCHES["loop"][0][len(CALLS) :]
    ran = stopped(takt, write, source, "sim")
    assert [call["function"] for call in ran.json["calls"]] == ["drive(Motor*, int)"]


# Kinds of frames: what is called next stands for {call}; each makes the next argument.
FRAMES = (
    "return {call} + n;",
    "volatile char room[{bytes}]; room[n & 7] = 1; used = room[3]; return {call} + room[n & 7];",
    "int a = used, b = used, c = used, d = used, e = used; int r = {call};"
    " return r + a * b + c * d + e * n;",
    "char room[(n & 15) + 8]; fill(room, n); int r = {call}; return r + room[n & 7];",
    "double x = used * 0.5; int r = {call}; return r + (int)(x * n);",
    "if (n == 12345) return 0; int r = {call}; used = r; return r - n;",
    "int (*volatile next)(int) = {function}; return next(n + 1) + 2;",
)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("board", ("pico", "lm3s6965evb", "uno", "pc"))
def test_random_chains(takt: Callable, write: Callable, board: str, seed: int) -> None:
    """Functions with frames of all kinds, one calling the other."""
    rng = random.Random(seed)
    depth = rng.randrange(4, 9)
    source = "APART void fill(char *room, int n) { room[n & 7] = (char)used; }\n"
    source += "APART int f0(int n) {\n  *nowhere = n;  // 0\n  return used;\n}\n"
    for level in range(1, depth):
        call = f"f{level - 1}(n + 1)"
        body = rng.choice(FRAMES).format(
            call=call, function=f"f{level - 1}", bytes=rng.randrange(8, 60)
        )
        source += f"APART int f{level}(int n) {{\n  {body}  // {level}\n}}\n"
    source += "void setup() {}\n"
    source += "void loop(1, 10, 100, 600) {\n  delay(50);\n"
    source += f"  used = f{depth - 1}(3) + 1;  // {depth}\n}}\n"
    ran = stopped(takt, write, source, board)
    functions = [f"f{level}(int)" for level in range(depth)] + ["loop 1"]
    assert [call["function"] for call in ran.json["calls"]] == functions, source
    assert all(call["sure"] for call in ran.json["calls"])
