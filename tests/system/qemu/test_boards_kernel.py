"""The kernel on every port and emulator, by programs that are the same everywhere."""

from __future__ import annotations

import pytest
from programs import ALL, ARMV7M, FPU, QEMU, Run

REGISTERS = "../kernel/preempt/registers.S"
PAINT = 0xA5
EXTENDED_FRAME = (26 - 8) * 4  # more than the basic one, on a thread that uses the FPU


def stack_used(run: Run, name: str) -> int:
    """Bytes of a painted stack that hold something else."""
    place, size = run.machine.symbol(f"takt_stack_{name}"), 1024
    stack = run.machine.read(place, size)[4:]
    return len(stack.lstrip(bytes([PAINT])))


@pytest.mark.parametrize("board", ALL)
def test_basics(start, board: str) -> None:
    start(board, "basics.c").passed()


@pytest.mark.parametrize("board", ALL)
def test_nothing_is_disturbed(start, board: str) -> None:
    run = start(board, "storm.c", REGISTERS, "fpu.S")
    for name in ("watch_c", "fpu"):
        place = run.machine.symbol(f"takt_stack_{name}")
        run.machine.write(place, bytes([PAINT]) * 1024)
    assert run.until_done(1500) == "time", f"{run.machine.fault()}; {run.text}"
    assert run.value("failures") == 0, f"line {run.value('first_failure')}"
    assert run.value("told") > 2000
    assert run.value("told") - run.value("served") <= 40  # the rest waits for its budget
    assert all(run.value("rounds", n) > 500 for n in range(3))
    assert run.value("fpu_rounds") > 500
    assert run.value("sleeps") > 150 and run.value("pings") > 100
    # Who has never touched the FPU has no frame with its registers.
    extra = stack_used(run, "fpu") - stack_used(run, "watch_c")
    if board in FPU:
        assert extra >= EXTENDED_FRAME


@pytest.mark.parametrize("board", QEMU)
def test_two_runs_are_the_same(start, board: str) -> None:
    def life() -> list[object]:
        run = start(board, "storm.c", REGISTERS, "fpu.S")
        run.until_done(200)
        memory = run.machine.read(0x20000000, 16384)
        return [run.machine.now, memory, run.text]

    assert life() == life()


@pytest.mark.parametrize("board", ARMV7M)
def test_urgent_interrupts_are_never_held_up(start, board: str) -> None:
    jitter = {}
    for urgent in (0, 1):
        run = start(board, "urgent.c", f"-DURGENT={urgent}")
        run.passed(4000)
        jitter[urgent] = run.value("most") - run.value("least")
    instruction = run.board.clock_hz * 2 ** run.board.raw["qemu"]["shift"] / 1e9  # in ticks
    assert jitter[1] <= 4 * instruction + 2
    assert jitter[0] > 20 * instruction, "the kernel's lock is not seen to hold anything up"


@pytest.mark.parametrize("board", ARMV7M)
def test_the_kernel_called_above_its_lock_is_named(start, board: str) -> None:
    run = start(board, "urgent.c", "-DURGENT=1", "-DCALL_KERNEL", "-DTAKT_CHECKS=1")
    assert run.until_done(1000) == "halt"
    assert "takt: fatal: kernel called above TAKT_IRQ_PRIORITY" in run.text
