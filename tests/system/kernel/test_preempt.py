"""Preemption at any instruction: registers, flags and signals survive a storm of interrupts."""

import random
from pathlib import Path

import pytest
from takt import boards
from takt.build.build import build
from takt.machine.machine import Machine
from takt.world.world import empty

HERE = Path(__file__).parent
PIN = 15
GAP = {"pico": (1_700, 20_000), "stm32f051": (1_700, 20_000)}  # cycles between edges
SECONDS = 2


def word(machine: Machine, name: str, index: int = 0) -> int:
    return int.from_bytes(machine.read(machine.symbol(name) + 4 * index, 4), "little")


@pytest.mark.parametrize("name", GAP)
@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_disturbed(seed: int, name: str, tmp_path: Path) -> None:
    board = boards.load(name)
    built = build(HERE / "preempt", board, trace=seed % 2 == 0, admit=False, out=tmp_path)
    machine = Machine(board.chip, board.core)
    pin = empty(board).chip[PIN]
    machine.load_elf(built.elf)
    machine.run(2_000_000)
    chance = random.Random(seed)
    edges, level, at = 0, 0, machine.now
    end = machine.now + SECONDS * built.board.clock_hz
    while at < end:
        for _ in range(100):
            at += chance.randrange(*GAP[name])
            level ^= 1
            machine.pin_drive(pin, level, at)
            edges += 1
        assert machine.run(at).reason == "time", machine.fault()
    machine.run(at + built.board.clock_hz)  # what the storm left behind is served in its budget
    assert word(machine, "wrong_registers") == 0
    assert word(machine, "edges_seen") == edges
    assert word(machine, "edges_served") == edges
    assert word(machine, "takt_fatal_record") == 0
    assert all(word(machine, "rounds", i) > 1000 for i in range(3))
    assert word(machine, "sleeps") > 500
