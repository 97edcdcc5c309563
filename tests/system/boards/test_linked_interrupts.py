"""Changes of budgets at run time are judged with the interrupts that the build counts: those of
drivers that are part of the program, and of no others that lie in the same files."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from everywhere import AVR, BOARDS, PC, SIM
from takt import boards
from takt.build.build import build
from takt.code.elf import Program

IRQ = struct.Struct("<3I")  # struct takt_admit_irq
POINTER = {PC: "<QQQ3I"}  # the beginning of struct takt_admit_set: 3 pointers, 3 counts
SKETCH = """#include <Takt.h>
#include <takt/vcpu.h>
void setup() {{ {setup} }}
void loop(1, 20, 100) {{ takt_vcpu_set_budget(0, 10000); }}
"""
SETUPS = {"nothing": "", "serial": "Serial.begin(9600);", "pulses": "pulseIn(3, HIGH);"}


def known_to(elf: Path, board: str) -> list[tuple[int, int]]:
    """Cost and separation of what the program counts."""
    program = Program(elf)
    if board in AVR:
        irqs = program.by_name["takt_admit_irqs"].address
        count = len(boards.load(board).raw["interrupts"])
    else:
        head = struct.Struct(POINTER.get(board, "<III3I"))
        at = program.by_name["takt_admit_board"].address
        _, irqs, _, _, count, _ = head.unpack(program.read(at, head.size))
    table = [IRQ.unpack(program.read(irqs + n * IRQ.size, IRQ.size)) for n in range(count)]
    return [(cost, separation) for cost, separation, _ in table if cost]


CASES = [
    (board, kind)
    for board in (*(b for b in BOARDS if b != SIM), "atmega324p")
    for kind in SETUPS
    if kind != "pulses" or "edge" in boards.load(board).raw["capabilities"]
]


@pytest.mark.parametrize(("board", "kind"), CASES)
def test_the_program_counts_what_the_build_does(board: str, kind: str, tmp_path: Path) -> None:
    loaded = boards.load(board)
    folder = tmp_path / "counts"
    folder.mkdir()
    (folder / "counts.ino").write_text(SKETCH.format(setup=SETUPS[kind]))
    built = build(folder, loaded, trace=False, admit=False)
    told = [(one.cost_ns, one.separation_us) for one in built.admission.case.interrupts]
    assert known_to(built.elf, board) == told
    clock = 1 if board in AVR else 0  # its counter comes round
    assert (len(told) > clock) == (kind != "nothing")
