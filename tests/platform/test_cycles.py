"""Cycle counts, against the tables of the Cortex-M0+ and Cortex-M0 reference manuals."""

from __future__ import annotations

import pytest

SETUP = """
_start:
    ldr r0, =0x20002000
    ldr r1, =0xd0000000
    movs r2, #4
    movs r3, #3
    ldr r4, =after + 1
    movs r5, #0
    mov r8, r4
    cmp r5, #0
first:
    {code}
last:
    nop
after:
    nop
    bkpt 0
"""

# instruction, cycles on M0+, cycles on M0
SINGLE = [
    ("movs r3, #1", 1, 1),
    ("mov r8, r3", 1, 1),
    ("adds r3, r2", 1, 1),
    ("add r3, r8", 1, 1),
    ("adcs r3, r2", 1, 1),
    ("sub sp, #8", 1, 1),
    ("add r3, pc, #4", 1, 1),
    ("muls r3, r2", 1, 1),
    ("cmp r3, r2", 1, 1),
    ("lsls r3, r2", 1, 1),
    ("asrs r3, r2, #3", 1, 1),
    ("rev16 r3, r2", 1, 1),
    ("uxtb r3, r2", 1, 1),
    ("nop", 1, 1),
    ("sev", 1, 1),
    ("cpsid i", 1, 1),
    ("ldr r3, [r0]", 2, 2),
    ("ldrb r3, [r0, #3]", 2, 2),
    ("ldrsh r3, [r0, r2]", 2, 2),
    ("ldr r3, [sp, #4]", 2, 2),
    ("ldr r3, =0x12345678", 2, 2),
    ("str r3, [r0]", 2, 2),
    ("strh r3, [r0, #2]", 2, 2),
    ("ldr r3, [r1, #16]", 1, 2),  # I/O port
    ("str r3, [r1, #20]", 1, 2),
    ("ldmia r0!, {r3}", 2, 2),
    ("ldmia r0!, {r3, r5, r6, r7}", 5, 5),
    ("stmia r0!, {r3, r5}", 3, 3),
    ("push {r3}", 2, 2),
    ("push {r0-r7, lr}", 10, 10),
    ("pop {r5, r6}", 3, 3),
    ("mrs r3, apsr", 3, 4),
    ("msr apsr_nzcvq, r3", 3, 4),
    ("dmb", 3, 4),
    ("dsb", 3, 4),
    ("isb", 3, 4),
    ("bne after", 1, 1),
]

# jumps: counted to `after`
JUMPS = [
    ("beq after", 2, 3),
    ("b after", 2, 3),
    ("bl after", 3, 4),
    ("bx r4", 2, 3),
    ("blx r4", 2, 3),
    ("mov pc, r4", 2, 3),
    ("mov pc, pc\n b .", 2 + 1, 3 + 1),  # to last, then its nop
    ("push {r4}\n pop {pc}", 2 + 4, 2 + 5),
    ("push {r3, r4}\n pop {r3, pc}", 3 + 5, 3 + 6),
]


@pytest.mark.parametrize("code, m0p, m0", SINGLE)
def test_instruction(assemble, code: str, m0p: int, m0: int) -> None:
    for core, expected in (("m0p", m0p), ("m0", m0)):
        assert assemble(SETUP.format(code=code), core=core).cycles("first", "last") == expected


@pytest.mark.parametrize("code, m0p, m0", JUMPS)
def test_jump(assemble, code: str, m0p: int, m0: int) -> None:
    for core, expected in (("m0p", m0p), ("m0", m0)):
        assert assemble(SETUP.format(code=code), core=core).cycles("first", "after") == expected


LOOP = """
_start:
    ldr r0, =0x20002000
    movs r1, #100       // 1
first:
    movs r2, #0         // 1
loop:
    str r1, [r0]        // 2
    ldr r3, [r0]        // 2
    adds r2, r3         // 1
    push {r1, r2, lr}   // 4
    bl leaf             // 3
    pop {r1, r2}        // 3
    add sp, #4          // 1
    subs r1, #1         // 1
    bne loop            // 2, at last 1
last:
    bkpt 0
leaf:
    muls r3, r2         // 1
    bx lr               // 2
"""


def test_counted_by_hand(assemble) -> None:
    """A loop of loads, stores, stack and calls."""
    firmware = assemble(LOOP)
    assert firmware.cycles("first", "last") == 1 + 100 * 22 - 1
    assert firmware.machine.register(2) == 5050
    # M0: each taken branch, BL and BX costs one more
    assert assemble(LOOP, core="m0").cycles("first", "last") == 1 + 100 * 25 - 2


@pytest.mark.parametrize("code, cycles", [("ldr r3, [r6, #40]", 4), ("str r3, [r6, #44]", 5)])
def test_apb_accesses_wait_for_the_bridge(assemble, code: str, cycles: int) -> None:
    firmware = assemble(SETUP.format(code="ldr r6, =0x40054000\n access: " + code))
    assert firmware.cycles("access", "last") == cycles


STRAIGHT = """
_start:
    nop
    .align 2
first:
    movs r0, #1
    movs r1, #2
    movs r2, #3
    movs r3, #4
last:
    b target        // starts a word
    nop
    nop
target:             // halfword-aligned
    nop
end:
    bkpt 0
"""


@pytest.mark.parametrize("wait_states", [0, 1, 3])
def test_flash_wait_states(assemble, wait_states: int) -> None:
    """A word fetched from flash costs the wait states once, a jump into its middle again."""
    firmware = assemble(STRAIGHT, wait_states=wait_states)
    assert firmware.cycles("first", "last") == 4 + 2 * wait_states
    aligned = assemble(STRAIGHT, wait_states=wait_states)
    assert aligned.at("last") % 4 == 0 and aligned.at("target") % 4 == 2
    assert aligned.cycles("last", "end") == 2 + 1 + 2 * wait_states


def test_ram_code_has_no_wait_states(assemble) -> None:
    source = """
    _start:
        ldr r0, =target + 1
        bx r0
        .section .ramcode, "ax"
        .align 2
    target:
        movs r0, #1
        ldr r1, [r2]
        b end
        nop
    end:
        bkpt 0
    """
    assert assemble(source, wait_states=2).cycles("target", "end") == 1 + 2 + 2


def test_instructions_are_counted(assemble) -> None:
    firmware = assemble(LOOP)
    firmware.run_to("last")
    assert firmware.machine.instructions == 3 + 100 * 11
