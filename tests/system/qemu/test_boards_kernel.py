"""The kernel on every port and emulator, by programs that are the same everywhere."""

from __future__ import annotations

import re

import pytest
from everywhere import ARMV7M, AVR, BOARDS, SIM
from programs import HOW

NOISE = {"lm3s6965evb": "isr_timer1a", "mps2-an386": "isr_dualtimer"}  # of noise.h

REGISTERS = "../kernel/preempt/registers.S"


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("board", (*BOARDS, "atmega324p"))
def test_basics(start, board: str, how: str) -> None:
    start(board, "basics.c", how=how).passed()


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("board", (*BOARDS, "atmega324p"))
def test_threads_and_semaphores_alone(start, board: str, how: str) -> None:
    start(board, "plain.c", how=how).passed()


@pytest.mark.parametrize("board", (*BOARDS, "atmega324p"))
def test_the_order_of_threads(start, board: str) -> None:
    start(board, "order.c").passed()


@pytest.mark.parametrize("budget", ["", "-DBUDGET"])
@pytest.mark.parametrize("board", (*BOARDS, "atmega324p"))
def test_above_the_ceiling_nothing_waits(start, board: str, budget: str) -> None:
    start(board, "ceiling.c", *filter(None, [budget])).passed()


@pytest.mark.parametrize("board", (*BOARDS, "atmega324p"))
def test_what_is_handed_over_is_whole(start, board: str) -> None:
    run = start(board, "exchange.c")
    run.passed(5000)
    assert run.value("fresh") > 300 and run.value("refused") > 20


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("board", (*BOARDS, "atmega324p"))
def test_what_is_waited_for_comes(start, board: str, how: str) -> None:
    run = start(board, "sync.c", how=how)
    run.passed(5000)
    assert run.value("refused") > 5 and run.value("late") > 0 and run.value("ticks") > 5


@pytest.mark.parametrize("board", ("pico", "microbit", *AVR, "sim"))
def test_what_is_not_there_is_told(start, board: str) -> None:
    start(board, "nulls.c").passed(5000)


@pytest.mark.parametrize("board", (*BOARDS, "atmega324p"))
def test_a_lock_is_held_while_sleeping(start, board: str) -> None:
    run = start(board, "locks.c")
    run.passed(5000)
    assert run.value("turns") > 1000


@pytest.mark.parametrize("board", (*BOARDS, "atmega324p"))
def test_nothing_is_disturbed(start, board: str) -> None:
    run = start(board, "storm.c", REGISTERS, "fpu.S")
    longer = {"uno": 3, "atmega324p": 6}.get(board, 1)  # so many times more is between interrupts
    assert run.until_done(1500 * longer) == "time", f"{run.machine.fault()}; {run.text}"
    assert run.value("failures") == 0, f"line {run.value('first_failure')}"
    assert run.value("told") > 2000
    assert run.value("told") - run.value("served") <= 100  # the rest waits for its budget
    assert all(run.value("rounds", n) > 500 for n in range(3))
    assert run.value("fpu_rounds") > 500
    if board in ARMV7M and "fpu" in run.board.raw["capabilities"]:
        assert run.value("lazily") > 50
    assert run.value("sleeps") > 150 and run.value("pings") > 100


@pytest.mark.parametrize("board", (*BOARDS, "atmega324p"))
def test_interrupts_at_every_instruction_of_a_switch(start, board: str) -> None:
    longest = {"microbit": 60, "mps2-an386": 60, "uno": 120, "atmega324p": 240}.get(board, 30)
    run = start(board, "window.c", REGISTERS, "fpu.S", f"-DLONGEST_US={longest}")
    run.passed({"atmega324p": 12000}.get(board, 9000))
    assert run.value("told") >= (longest - 2) * 24  # at least a burst for each microsecond
    run.machine.run(run.machine.now + run.board.clock_hz // 50)
    assert run.value("served", 0) + run.value("served", 1) == run.value("told")
    assert run.value("rounds") > 300


@pytest.mark.parametrize("board", (*BOARDS, "atmega324p"))
def test_two_runs_are_the_same(start, board: str) -> None:
    def life() -> list[object]:
        run = start(board, "storm.c", REGISTERS, "fpu.S")
        run.until_done(200)
        memory: object
        if board == SIM:  # what of its memory holds no addresses
            counts = ("told", "served", "sleeps", "pings", "fpu_rounds", "failures")
            memory = [run.value("rounds", n) for n in range(3)] + [run.value(c) for c in counts]
        else:
            memory = run.machine.read(run.board.raw["ram"]["origin"], 2048)
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
    said = re.search(r"fatal: kernel called above TAKT_IRQ_PRIORITY by exception (\d+)", run.text)
    assert said, run.text
    vector = run.board.raw["flash"]["origin"] + 4 * int(said[1])
    named = int.from_bytes(run.machine.read(vector, 4), "little")
    assert named & ~1 == run.machine.symbol(NOISE[board]) & ~1
