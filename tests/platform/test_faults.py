"""Faults, lockup, the process stack and privileges."""

from __future__ import annotations

import pytest
from bare_exceptions import PREPARE


@pytest.mark.parametrize(
    "code, why",
    [
        ("ldr r0, =0x20000001\n bad: ldr r1, [r0]", "unaligned"),
        ("ldr r0, =0x20000002\n bad: str r1, [r0]", "unaligned"),
        ("ldr r0, =0x20000001\n bad: strh r1, [r0]", "unaligned"),
        ("bad: .hword 0xde00", "undefined"),
        ("bad: .hword 0xe800, 0x0000", "undefined"),
        ("ldr r0, =0x30000000\n bad: ldr r1, [r0]", "bus error"),
        ("ldr r0, =0x10000000\n bad: str r1, [r0]", "bus error"),
        ("cpsid i\n bad: svc 1", "SVC"),
        ("ldr r0, =0x30000001\n bx r0", "no code"),
        ("ldr r0, =0x10000200\n bx r0", "Thumb"),
    ],
)
def test_faults_escalate_to_hardfault(assemble, code: str, why: str) -> None:
    source = PREPARE + code + "\nbkpt 0\nfault: bkpt 1\n"
    firmware = assemble(source, hardfault="fault", svc="fault")
    firmware.run_to("fault")
    m = firmware.machine
    assert m.register(16) & 0x3F == 3 and why in m.fault(), m.fault()
    stacked = m.word(m.register(13) + 24)
    wild = {"no code": 0x30000000, "Thumb": 0x10000200}
    assert stacked == (firmware.at("bad") if "bad" in firmware.symbols else wild[why])
    if why == "Thumb":
        assert m.word(m.register(13) + 28) >> 24 & 1 == 0


def test_svc_in_an_equal_priority_handler_is_a_hardfault(assemble) -> None:
    source = PREPARE + "pend 3\nbkpt 0\nhandler: svc 1\nfault: bkpt 1\n"
    source = source.replace(
        "movs r2, #22", "ldr r0, =0xe000ed1c\nldr r1, =0x40000000\nstr r1, [r0]\nmovs r2, #22"
    )
    firmware = assemble(source, hardfault="fault", svc="fault", irq="handler")
    firmware.run_to("fault")
    assert firmware.machine.register(16) & 0x3F == 3


def test_fault_in_hardfault_locks_up(assemble) -> None:
    source = PREPARE + ".hword 0xde00\nfault: .hword 0xde00\n"
    firmware = assemble(source, hardfault="fault")
    stop = firmware.machine.run(1000)
    assert stop.reason == "fault" and "lockup" in stop.detail
    assert firmware.machine.run(2000).reason == "fault"


def test_fault_without_handler_locks_up(assemble) -> None:
    firmware = assemble(PREPARE + ".hword 0xde00\n")
    stop = firmware.machine.run(1000)
    assert stop.reason == "fault" and "no HardFault handler" in stop.detail


PROCESS_STACK = (
    PREPARE
    + """
    ldr r0, =0x20003000
    msr psp, r0
    movs r0, #2
    msr control, r0
    isb
on_psp:
    svc 0
back:
    mrs r4, control
    bkpt 0
handler:
    mrs r5, control
    mrs r6, msp
    mrs r7, psp
    bx lr
"""
)


def test_process_stack(assemble) -> None:
    firmware = assemble(PROCESS_STACK, svc="handler")
    firmware.run_to("on_psp")
    m = firmware.machine
    assert m.register(13) == 0x20003000
    firmware.run_to("handler")
    assert m.register(14) == 0xFFFFFFFD and m.register(13) == 0x20041000
    firmware.run_to("back")
    assert m.register(13) == 0x20003000
    assert [m.register(k) for k in (5, 6, 7)] == [0, 0x20041000, 0x20003000 - 32]


def test_unprivileged_code_cannot_mask_or_reach_the_nvic(assemble) -> None:
    source = (
        PREPARE
        + """
        movs r0, #1
        msr control, r0
        cpsid i
        mrs r4, primask
        ldr r0, =0xe000e100
    bad:
        ldr r1, [r0]
        bkpt 0
    fault:
        bkpt 1
    """
    )
    firmware = assemble(source, hardfault="fault")
    firmware.run_to("fault")
    assert firmware.machine.register(4) == 0
    assert firmware.machine.word(firmware.machine.register(13) + 24) == firmware.at("bad")


def test_bad_exception_return(assemble) -> None:
    source = PREPARE + "pend 3\nbkpt 0\nhandler: ldr r0, =0xfffffff1\nbx r0\nfault: bkpt 1\n"
    firmware = assemble(source, irq="handler", hardfault="fault")
    firmware.run_to("fault")
    assert "exception return" in firmware.machine.fault()
