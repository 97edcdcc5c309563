"""Random instruction streams, executed here and by unicorn (QEMU's Cortex-M0)."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass

import pytest
import random_code
from takt.machine.machine import Machine
from unicorn import UC_ARCH_ARM, UC_MODE_MCLASS, UC_MODE_THUMB, Uc
from unicorn.arm_const import (
    UC_ARM_REG_APSR,
    UC_ARM_REG_LR,
    UC_ARM_REG_PC,
    UC_ARM_REG_R0,
    UC_ARM_REG_R8,
    UC_ARM_REG_SP,
    UC_CPU_ARM_CORTEX_M0,
)

REGISTERS = [UC_ARM_REG_R0 + k for k in range(8)] + [UC_ARM_REG_R8 + k for k in range(5)]
REGISTERS += [UC_ARM_REG_SP, UC_ARM_REG_LR]
BATCHES, BLOCKS, LENGTH = 8, 640, 64
INTERESTING = [0, 1, 2, 31, 32, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFE, 0x55555555]


@dataclass(frozen=True)
class Layout:
    """Where code and data lie on a chip."""

    flash: int
    ram: int
    data: int
    size: int


LAYOUTS = {
    "rp2040": Layout(0x10001000, 0x20001000, 0x20020000, 0x2000),
    "stm32f051": Layout(0x08001000, 0x20000100, 0x20000800, 0x1800),
}


def new_unicorn() -> Uc:
    uc = Uc(UC_ARCH_ARM, UC_MODE_THUMB | UC_MODE_MCLASS)
    uc.ctl_set_cpu_model(UC_CPU_ARM_CORTEX_M0)
    uc.mem_map(0x10000000, 0x10000)
    uc.mem_map(0x08000000, 0x10000)
    uc.mem_map(0x20000000, 0x40000)
    return uc


def start_state(rng: random.Random, on: Layout) -> list[int]:
    values = [
        rng.choice(INTERESTING) if rng.random() < 0.3 else rng.getrandbits(32) for _ in range(15)
    ]
    values[6] = rng.randrange(64) * 4
    values[7] = on.data + 0x100
    values[13] = on.data + on.size - 0x800
    return values


def run_unicorn(uc: Uc, start: int, size: int, state: list[int], psr: int) -> tuple[list[int], int]:
    for register, value in zip(REGISTERS, state, strict=True):
        uc.reg_write(register, value)
    uc.reg_write(UC_ARM_REG_APSR, psr)
    uc.emu_start(start | 1, start + size)
    assert uc.reg_read(UC_ARM_REG_PC) & ~1 == start + size
    return [uc.reg_read(r) for r in REGISTERS], uc.reg_read(UC_ARM_REG_APSR) & 0xF0000000


def run_takt(
    m: Machine, start: int, size: int, state: list[int], psr: int
) -> tuple[list[int], int]:
    for number, value in enumerate(state):
        m.set_register(number, value)
    m.set_register(16, psr)
    m.set_register(15, start)
    stop = m.run(m.now + 1_000_000)
    assert stop.reason == "halt" and m.register(15) == start + size, (stop, m.fault())
    return [m.register(k) for k in range(15)], m.register(16) & 0xF0000000


def describe(code: bytes, start: int, state: list[int], psr: int) -> str:
    words = " ".join(f"{w:04x}" for w in struct.unpack(f"<{len(code) // 2}H", code))
    registers = " ".join(f"r{k}={v:#x}" for k, v in enumerate(state))
    return f"code at {start:#x}: {words}\nfrom {registers} psr={psr:#x}"


@pytest.mark.parametrize("chip", LAYOUTS)
@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_instructions(batch: int, chip: str) -> None:
    rng, on = random.Random(7000 + batch), LAYOUTS[chip]
    uc, m = new_unicorn(), Machine(chip)
    data = rng.randbytes(on.size)
    uc.mem_write(on.data, data)
    m.write(on.data, data)
    for number in range(BLOCKS):
        start = on.flash if number % 2 else on.ram
        code = b"".join(struct.pack("<H", w) for w in random_code.block(rng, LENGTH))
        tail = struct.pack("<H", 0xBE00) + rng.randbytes(62)
        uc.mem_write(start, code + tail)
        uc.ctl_remove_cache(start, start + 0x400)
        m.write(start, code + tail)
        state, psr = start_state(rng, on), rng.randrange(16) << 28
        expected = run_unicorn(uc, start, len(code), state, psr)
        found = run_takt(m, start, len(code), state, psr)
        assert found == expected, describe(code, start, state, psr)
        if number % 4 == 3:
            ours, theirs = m.read(on.data, on.size), bytes(uc.mem_read(on.data, on.size))
            assert ours == theirs, describe(code, start, state, psr)
    assert m.instructions >= 25_000 and BATCHES * 25_000 >= 200_000, m.instructions
    assert m.unimplemented() == []
