"""What preemption leaves on the stacks of threads."""

from __future__ import annotations

import re
import subprocess
from collections import Counter

import pytest
from everywhere import ARMV7M

NOISE_IRQ = {"lm3s6965evb": 21, "mps2-an386": 10}
CURRENT = 4  # in struct takt_core
READ = {"isr_pendsv": 12, "isr_svcall": 4}  # bytes up to where r0 is PSP, of a thread
PC_IN_FRAME = 24


@pytest.mark.parametrize("board", ARMV7M)
def test_at_most_one_preemption_lies_on_a_stack(start, board: str) -> None:
    """Every PendSV is hit by an interrupt that asks for another one, which then waits for the lock
    to open: if it came in where the dispatcher opens it, it would put a second frame there."""
    run = start(board, "storm.c", "../kernel/preempt/registers.S", "fpu.S")
    machine = run.machine
    pendsv, svcall = (machine.symbol(name) + after for name, after in READ.items())
    machine.break_at(pendsv)
    machine.break_at(svcall)
    frames: Counter[int] = Counter()
    preempted = 0
    while preempted < 200:
        stop = machine.run(machine.now + run.board.clock_hz)
        assert stop.reason == "break", f"{stop}; {run.text}"
        thread = machine.read(machine.symbol("takt_core") + CURRENT, 1)[0]
        if stop.detail == svcall:
            frames[thread] -= 1
            continue
        if machine.word(machine.register(0) + PC_IN_FRAME) != machine.symbol("port_resume"):
            preempted += 1
            frames[thread] += 1
        assert frames[thread] == 1, f"{frames[thread]} on the stack of thread {thread}"
        irq = NOISE_IRQ[board]
        machine.write(0xE000E200 + irq // 32 * 4, (1 << irq % 32).to_bytes(4, "little"))
    assert run.value("failures") == 0


@pytest.mark.parametrize("board", ARMV7M)
def test_the_most_urgent_is_found_by_one_instruction(start, board: str) -> None:
    elf = start(board, "storm.c", "../kernel/preempt/registers.S", "fpu.S").elf
    command = ["arm-none-eabi-objdump", "-d", "--disassemble=takt_pick_locked", str(elf)]
    code = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert re.search(r"\brbit\b.*\n(?:.*\n){0,3}.*\bclz\b", code), code
