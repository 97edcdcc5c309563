"""printf and scanf of reals, as Python has them; programs without take nothing for it. A failed
assertion is told with its text."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable

import pytest
from takt import boards
from takt.build.build import Build, build
from takt.code.elf import Program
from takt.machine.machines import machine_of

NEWLIB = ("pico", "stm32f051")
FORMATS = ("%5.2f", "%g", "%-12.4e|", "%+9.3f", "%.0f", "%G", "%f")


def built(write: Callable, board: str, text: str) -> Build:
    return build(write("reals", text), boards.load(board), trace=False)


def lines(of: Build) -> list[str]:
    machine = machine_of(of.board)
    machine.load_elf(of.elf)
    machine.run(of.board.clock_hz)
    return bytes(byte for _, byte in machine.uart_take(0)).decode().splitlines()


@pytest.mark.parametrize("board", NEWLIB)
def test_reals_are_printed_as_elsewhere(board: str, write: Callable) -> None:
    rng = random.Random(1)
    values = [0.0, -0.5, 1e30, 2.675, float("inf"), float("nan"), 5e-324]
    values += [rng.uniform(-1, 1) * 10 ** rng.uniform(-6, 6) for _ in range(9)]
    prints = "".join(
        f'    snprintf(text, sizeof text, "{format}", real({number}));\n    Serial.println(text);\n'
        for format in FORMATS
        for number in range(len(values))
    )
    bits = ", ".join(f"{int.from_bytes(_bytes(v), 'little'):#x}ull" for v in values)
    text = (
        f"const uint64_t bits[] = {{{bits}}};\n"
        "double real(int n) { double d; memcpy(&d, &bits[n], 8); return d; }\n"
        "void setup() {\n    Serial.begin(115200);\n    char text[50];\n"
        f"{prints}}}\nvoid loop() {{ delay(1000); }}\n"
    )
    wanted = [format % value for format in FORMATS for value in values]
    assert lines(built(write, board, text)) == wanted


def test_reals_are_read(write: Callable) -> None:
    text = (
        "void setup() {\n    Serial.begin(115200);\n"
        '    double read = 0;\n    sscanf("-12.75e1", "%lf", &read);\n'
        "    Serial.println(read == -127.5);\n}\n"
        "void loop() { delay(1000); }\n"
    )
    assert lines(built(write, "pico", text)) == ["1"]


def _bytes(value: float) -> bytes:
    return struct.pack("<d", value)


@pytest.mark.parametrize("board", NEWLIB)
def test_whole_numbers_alone_take_no_reals(board: str, write: Callable) -> None:
    text = (
        "void setup() { Serial.begin(115200); }\n"
        'void loop() { char t[20]; snprintf(t, sizeof t, "%5d%% full", 42); Serial.println(t); '
        'Serial.println("100%%free"); Serial.println("50% full"); delay(1000); }\n'
    )
    found = built(write, board, text)
    assert "_printf_float" not in Program(found.elf).by_name
    assert lines(found)[0] == "   42% full"


def test_a_failed_assertion_says_what_was_asserted(write: Callable) -> None:
    text = (
        "#include <assert.h>\nvoid setup() { Serial.begin(115200); }\n"
        "void loop() { delay(100); assert(millis() < 300); }\n"
    )
    assert lines(built(write, "pico", text))[-1] == (
        "takt: fatal: assertion failed: millis() < 300 (in loop)"
    )


@pytest.mark.parametrize("board", ["pico", "uno"])
def test_what_prints_has_printf(board: str, write: Callable) -> None:
    """Up to 127 characters."""
    text = (
        "void setup() {\n    Serial.begin(115200);\n"
        '    int n = Serial.printf("%s=%d %04x\\n", "a", -5, 0xBEu);\n'
        '    n = n * 1000 + Serial.printf("%0150d", 7);\n'
        "    Serial.println();\n    Serial.println(n);\n}\n"
        "void loop() { delay(1000); }\n"
    )
    assert lines(built(write, board, text)) == ["a=-5 00be", "0" * 127, str(10_127)]
