"""Words of compiler and linker become one message about the sketch."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt import boards
from takt.build.mistakes import diagnostics

INO = "/home/me/my sketch/blink.ino"

COMPILER = {
    "place": (
        f"[1/2] sketch\nFAILED: sketch.o\narm-none-eabi-g++ -c x\n{INO}:7:3: error: expected ';'\n",
        "expected ';'",
        ":7:3",
    ),
    "loop twice": (
        f"{INO}:9:6: error: redefinition of 'constexpr const int64_t takt_budget_of_2'\n"
        f"{INO}:9:6: error: redefinition of 'void takt_loop_2_body()'\n",
        "loop 2 is defined twice",
        ":9:6",
    ),
    "loop body twice": (
        f"{INO}:9:6: error: redefinition of 'void takt_loop_fast_body()'\n",
        "loop fast is defined twice",
        ":9:6",
    ),
    "budget above period": (
        f"{INO}:3:6: error: static assertion failed: loop 1: the budget C is longer than T\n",
        "loop 1: the budget C is longer than T",
        ":3:6",
    ),
    "no sender": (
        f"{INO}:4:6: error: 'can_kvaser_out_attrs' was not declared in this scope; did you mean "
        "'can_kvaser_in_attrs'?\n",
        "nobody sends what is written to canOut(kvaser, ...)",
        ":4:6",
    ),
    "no adapter": (
        f"{INO}:4:6: error: 'can_kvazer_in_attrs' was not declared in this scope\n",
        "no CAN adapter is called kvazer",
        ":4:6",
    ),
    "no such kind": (
        f"{INO}:4:1: error: 'CAN_IN_peak' was not declared in this scope\n",
        "peak is no kind of CAN adapter",
        ":4:1",
    ),
    "several": (f"{INO}:1:1: error: a\n{INO}:2:1: error: b\n", "a (and 1 more)", ":1:1"),
    "header led back to the sketch": (
        f"In file included from /lib/a.h:3,\n                 from {INO}:2:\n"
        "/lib/b.h:5:1: error: unknown type name 'x'\n",
        "unknown type name 'x'",
        ":2 (",
    ),
    "no header": (
        f"{INO}:1:10: fatal error: Servo.h: No such file or directory\n",
        "no header Servo.h",
        ":1:10",
    ),
    "full disk": ("sketch.o: fatal error: No space left on device\n", "the disk is full", ""),
}


@pytest.mark.parametrize("name", COMPILER)
def test_compiler(name: str) -> None:
    output, what, where = COMPILER[name]
    error = diagnostics.compile_error(output, [Path(INO)])
    assert error.what == what
    assert where in error.where
    assert error.where.startswith(("", "/", ".."))
    assert error.fix
    assert "FAILED" not in error.detail


BOARD = boards.Board("small", "", "m0", 0, boards.Memory(0, 100), boards.Memory(0x1000, 50))
LINKER = {
    "no setup": ("main.cpp:(.text.f+0x1): undefined reference to `setup()'", "no setup()"),
    "no loop": ("ld: lib.a(plain.o):(.rodata.t+0x4): undefined reference to `loop()'", "no loop"),
    "undefined": (f"{INO}:4: undefined reference to `later(int)'", "later(int) is declared but"),
    "flash": ("ld: region `FLASH' overflowed by 12 bytes", "12 bytes more than the flash of 100"),
    "ram": ("ld: region `RAM' overflowed by 7 bytes", "7 bytes more than the RAM of 50"),
    "avr flash": ("ld: region `text' overflowed by 12 bytes", "more than the flash of 100"),
    "avr ram": ("ld: region `data' overflowed by 7 bytes", "7 bytes more than the RAM of 50"),
    "twice": (
        "multiple definition of `takt_thread_loop_3'; first defined here",
        "loop 3 is defined twice",
    ),
    "vector": (
        "avr.c:(.text+0x0): multiple definition of `__vector_13'\nTimer.cpp.o:Timer.cpp:38: first "
        "defined here",
        "interrupt 13 is Takt's own",
    ),
}


@pytest.mark.parametrize("name", LINKER)
def test_linker(name: str) -> None:
    output, what = LINKER[name]
    error = diagnostics.link_error(output, BOARD)
    assert what in error.what
    assert error.fix


def test_place_of_an_undefined_name() -> None:
    error = diagnostics.link_error(f"{INO}:4: undefined reference to `later(int)'", BOARD)
    assert error.where.endswith("blink.ino:4")
