"""What is said of registers and flags is what another emulator's core makes of the same code."""

from __future__ import annotations

import random

import capstone
import pytest
from takt.code.thumb.instructions import Instruction, instruction
from takt.code.thumb.values import FLAGS, after, goes
from unicorn import UC_ARCH_ARM, UC_MODE_MCLASS, UC_MODE_THUMB, Uc
from unicorn.arm_const import UC_ARM_REG_APSR, UC_ARM_REG_PC, UC_ARM_REG_R0, UC_CPU_ARM_CORTEX_M0

CODE, REGISTERS = 0x1000, 4
BITS = {"n": 31, "z": 30, "c": 29, "v": 28}


def any_instruction(rng: random.Random) -> bytes:
    """Of those that compute, on r0 to r3."""
    d, n, m, imm8, imm3 = (rng.randrange(k) for k in (4, 4, 4, 256, 8))
    imm5 = rng.randrange(32)
    words = [
        *[0x2000 | d << 8 | imm8] * 6,  # movs
        0x2800 | d << 8 | imm8,  # cmp
        0x3000 | d << 8 | imm8,  # adds
        0x3800 | d << 8 | imm8,  # subs
        0x1800 | m << 6 | n << 3 | d,  # adds, three registers
        0x1A00 | m << 6 | n << 3 | d,  # subs
        0x1C00 | imm3 << 6 | n << 3 | d,
        0x1E00 | imm3 << 6 | n << 3 | d,
        0x4280 | n << 3 | d,  # cmp
        0x4600 | n << 3 | d,  # mov
        0x0000 | imm5 << 6 | n << 3 | d,  # lsls
        0x0800 | imm5 << 6 | n << 3 | d,  # lsrs
        0x4000 | n << 3 | d,  # ands
        0x4380 | n << 3 | d,  # bics
        0x4240 | n << 3 | d,  # rsbs
        0x4340 | n << 3 | d,  # muls
        0xB2C0 | n << 3 | d,  # uxtb
        0x1000 | imm5 << 6 | n << 3 | d,  # asrs
        0x4140 | n << 3 | d,  # adcs
    ]
    return rng.choice(words).to_bytes(2, "little")


def decoded(code: bytes) -> list[Instruction]:
    decoder = capstone.Cs(capstone.CS_ARCH_ARM, capstone.CS_MODE_THUMB | capstone.CS_MODE_MCLASS)
    return [instruction(*each) for each in decoder.disasm_lite(code, CODE)]


@pytest.mark.parametrize("seed", range(20))
def test_registers_and_flags(seed: int) -> None:
    rng = random.Random(seed)
    core = Uc(UC_ARCH_ARM, UC_MODE_THUMB | UC_MODE_MCLASS, UC_CPU_ARM_CORTEX_M0)
    core.mem_map(CODE, 0x1000)
    code = b"".join(any_instruction(rng) for _ in range(60))
    core.mem_write(CODE, code)
    known: dict[str, int] = {}
    for register in range(REGISTERS):
        known[f"r{register}"] = value = rng.choice([rng.getrandbits(32), rng.getrandbits(4)])
        core.reg_write(UC_ARM_REG_R0 + register, value)
    said = 0
    for here in decoded(code):
        known = after(here, known, None)
        core.emu_start(here.at | 1, here.at + here.size, count=1)
        apsr = core.reg_read(UC_ARM_REG_APSR)
        actual = {f"r{n}": core.reg_read(UC_ARM_REG_R0 + n) for n in range(REGISTERS)}
        actual |= {flag: apsr >> BITS[flag] & 1 for flag in FLAGS}
        assert {name: actual[name] for name in known} == known, here
        said += len(known)
    assert said > 100


@pytest.mark.parametrize("condition", range(14))
def test_branches(condition: int) -> None:
    branch = decoded((0xD000 | condition << 8 | 2).to_bytes(2, "little") + bytes(8))[0]
    core = Uc(UC_ARCH_ARM, UC_MODE_THUMB | UC_MODE_MCLASS, UC_CPU_ARM_CORTEX_M0)
    core.mem_map(CODE, 0x1000)
    code = 0x4288.to_bytes(2, "little") + (0xD000 | condition << 8 | 2).to_bytes(2, "little")
    core.mem_write(CODE, code + bytes.fromhex("00bf") * 8)
    compare = decoded(code)[0]
    for first in (0, 1, 5, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF):
        for last in (0, 1, 5, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF):
            core.reg_write(UC_ARM_REG_R0, first)
            core.reg_write(UC_ARM_REG_R0 + 1, last)
            core.emu_start(CODE | 1, 0, count=2)
            taken = core.reg_read(UC_ARM_REG_PC) != CODE + 4
            known = after(compare, {"r0": first, "r1": last}, None)
            assert goes(branch, known) == taken
