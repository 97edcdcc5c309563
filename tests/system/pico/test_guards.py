"""Which stacks the MPU guards when they are many and large: what the build says, and what the
machine's registers hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt import boards
from takt.build.build import build
from takt.code.elf import Program
from takt.machine.machines import machine_of

RNR, RBAR, RASR = 0xE000ED98, 0xE000ED9C, 0xE000EDA0
READ_ONLY, EIGHTH = 5, 8
RECURSION = """
volatile int k;
int f(int n) { volatile char b[16]; b[0] = n; return f(n + 1) + b[0]; }
"""


def sketch(folder: Path, loops: int, last: str = "", recursion: str = "") -> Path:
    """Loops with stacks of 3000 bytes each, but for the last one, which has the longest period."""
    text = "#include <Takt.h>\n" + recursion + "void setup() {}\n"
    for n in range(1, loops):
        text += f"void loop({n}, 1, {100 + n}, 3000) {{ delay(50); }}\n"
    text += f"void loop({loops}, 1, {100 + loops}{last}) {{ delay(50);"
    text += " k = f(0); }\n" if recursion else " }\n"
    folder.mkdir()
    (folder / f"{folder.name}.ino").write_text(text)
    return folder


def read_only(machine: object) -> list[range]:
    """What stores may not go to, by the registers."""
    found = []
    for number in range(8):
        machine.bus_write(RNR, number)
        base, attributes = machine.bus_read(RBAR) & ~0xFF, machine.bus_read(RASR)
        size = 2 << (attributes >> 1 & 31)
        if attributes & 1 and attributes >> 24 & 7 == READ_ONLY:
            found += [
                range(base + n * size // EIGHTH, base + (n + 1) * size // EIGHTH)
                for n in range(EIGHTH)
                if not attributes >> (8 + n) & 1
            ]
    return found


@pytest.mark.parametrize("loops", [2, 6, 9])
def test_the_build_says_what_the_machine_does(tmp_path: Path, loops: int) -> None:
    board = boards.load("pico")
    built = build(sketch(tmp_path / "many", loops), board, trace=False)
    machine = machine_of(board)
    machine.load_elf(built.elf)
    machine.run(board.clock_hz // 50)
    guards = read_only(machine)
    guarded = [any(t.stack in g and t.stack + 255 in g for g in guards) for t in built.threads]
    assert [t.guarded for t in built.threads] == guarded
    assert guarded.count(True) >= min(loops, 6)
    assert all(guarded) == (loops <= 6)


def test_a_recursion_on_a_stack_that_is_left_over_looks_for_room(tmp_path: Path) -> None:
    board = boards.load("pico")
    few = build(sketch(tmp_path / "few", 4, recursion=RECURSION), board)
    assert any("stack of loop 4 is a guess" in warning for warning in few.warnings)
    assert "takt_too_deep" not in Program(few.elf).by_name
    many = build(sketch(tmp_path / "many", 9, recursion=RECURSION), board)
    assert "takt_too_deep" in Program(many.elf).by_name
    given = build(sketch(tmp_path / "given", 9, ", 3000", RECURSION), board)
    assert any("stack of loop 9 is a guess (3000 bytes)" in warning for warning in given.warnings)
