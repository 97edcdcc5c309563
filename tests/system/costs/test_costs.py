"""What board.toml says of costs, against the running program, instruction by instruction."""

from __future__ import annotations

from pathlib import Path

import pytest
from stepping import Profile, profile
from takt import boards
from takt.boards import Board
from takt.build.build import build
from takt.code.elf import Program
from takt.code.owners import BUDGETS, C_LIBRARY, KERNEL, TRACE, pieces
from takt.machine.machines import machine_of

CLOCK = ("port_now", "port_alarm")  # the board's, but part of the kernel's work
KERNELS = (KERNEL, BUDGETS, TRACE, C_LIBRARY)
START, END = 0.1, 0.32  # s
ALARM = {"pico": 0, "stm32f051": 15}  # numbers of interrupts
PRIORITIES = {"pico": {13: 0, 0: 1}, "stm32f051": {5: 0, 6: 0, 7: 0, 15: 1}}
LOOPS = """
#include <Takt.h>
volatile unsigned long n;
void setup() { Serial.begin(115200); }
void loop(1, 200_us, 9_ms) { n = n + 1; }
void loop(2, 200_us, 20_ms) { n = n + 1; }
void loop(3, 200_us, 30_ms) { n = n + 1; delay(2); }
void loop(4, 200_us, 40_ms) { n = n + 1; }
void loop(5, 200_us, 50_ms) { n = n + 1; delay(500_us); }
void loop(6, 2, 60) { n = n + 1; delay(7); }
void loop(7, 200_us, 70_ms) { n = n + 1; Serial.println(n); delay(11); }
void loop(8, 2, 100) { n = n + 1; }
"""


def stepped(board: Board, folder: Path) -> Profile:
    (folder / "probe.ino").write_text(LOOPS)
    built = build(folder, board, out=folder / "out")
    program, machine = Program(built.elf), machine_of(board)
    machine.load_elf(built.elf)
    code = [range(s.address, s.address + s.size) for s in program.sections if s.executable]
    kernel: set[int] = set()
    for piece in pieces(built.out / "obj" / "linked.map"):
        if piece.owner in KERNELS and any(piece.address in part for part in code):
            kernel.update(range(piece.address, piece.address + piece.size, 2))
    for name in CLOCK:
        function = program.by_name[name]
        kernel.update(range(function.address, function.address + function.size, 2))
    machine.run(int(START * board.clock_hz))
    until = int(END * board.clock_hz)
    return profile(machine, program, kernel, PRIORITIES[board.name], until)


@pytest.mark.parametrize("name", ALARM)
def test_switches_alarms_and_interrupts_off(tmp_path: Path, name: str) -> None:
    board, folder = boards.load(name), tmp_path / "probe"
    folder.mkdir()
    found = stepped(board, folder)

    def ns(cycles: list[int], share: float) -> float:
        return sorted(cycles)[int(len(cycles) * share)] * 1e9 / board.clock_hz

    off, where = found.masked
    measured = {
        "switch": ns(found.dispatches, 0.95),
        "alarm": ns(found.handlers[ALARM[name]], 0.9),
        "critical": ns([off], 0),
    }
    print(name, measured, where)
    assert len(found.dispatches) > 150
    for what, most in measured.items():
        assert 0.7 * board.costs[what] <= most <= board.costs[what], (what, where)
