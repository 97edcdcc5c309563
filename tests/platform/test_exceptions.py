"""Exceptions: entry, return, tail chaining, late arrival, preemption, masks."""

from __future__ import annotations

import pytest
from bare_exceptions import PREPARE

ENTRY = {"m0p": 15, "m0": 16}
EXIT = {"m0p": 13, "m0": 16}  # with the BX
TAIL = {"m0p": 11, "m0": 12}  # after the BX
BX = {"m0p": 2, "m0": 3}


@pytest.mark.parametrize("core", ["m0p", "m0"])
def test_entry_and_exit(assemble, core: str) -> None:
    source = PREPARE + "pend 3\nback: nop\nbkpt 0\nhandler: bx lr\n"
    firmware = assemble(source, core=core, irq="handler")
    firmware.run_to("handler")
    m = firmware.machine
    # the store has pended it: its 2 cycles, then the entry
    entered = m.now
    stack = m.register(13)
    frame = [m.word(stack + 4 * k) for k in range(8)]
    assert m.register(14) == 0xFFFFFFF9
    assert m.register(16) & 0x3F == 16 + 3
    assert stack == 0x20041000 - 32
    assert frame[2:4] == [22, 33] and frame[6] == firmware.at("back")
    assert frame[7] & 0xFF00003F == 0x01000000  # Thumb bit, thread mode, no flags set, no padding
    assert firmware.run_to("back") - entered == EXIT[core]
    assert m.register(13) == 0x20041000 and m.register(16) & 0x3F == 0


@pytest.mark.parametrize("core", ["m0p", "m0"])
def test_latency_from_an_outside_edge(assemble, core: str) -> None:
    """SysTick expires while one-cycle instructions run: the handler starts ENTRY later."""
    source = """
    _start:
        ldr r0, =0xe000e010
        movs r1, #99
        str r1, [r0, #4]
        str r1, [r0, #8]
        movs r1, #7
    start:
        str r1, [r0]
        .rept 200
        nop
        .endr
        bkpt 0
    handler:
        bx lr
    """
    firmware = assemble(source, core=core, systick="handler")
    begin = firmware.run_to("start")
    assert firmware.run_to("handler") == begin + 100 + ENTRY[core]
    first = firmware.machine.now
    assert firmware.run_to("handler") == first + 100


def test_alignment_is_kept_in_bit_9(assemble) -> None:
    source = PREPARE + "sub sp, #4\npend 3\nback: nop\nbkpt 0\nhandler: bx lr\n"
    firmware = assemble(source, irq="handler")
    firmware.run_to("handler")
    m = firmware.machine
    assert m.register(13) == 0x20041000 - 8 - 32
    assert m.word(m.register(13) + 28) >> 9 & 1 == 1
    firmware.run_to("back")
    assert m.register(13) == 0x20041000 - 4


TWO = (
    PREPARE
    + """
    ldr r0, =0xe000e200
    ldr r1, =(1 << 3) | (1 << 5)
    str r1, [r0]
    nop
back:
    bkpt 0
handler:
    mrs r4, ipsr
    cmp r4, #19
    bne other
three:
    movs r0, #99        // the second handler must still see the frame, not this
chain:
    bx lr
other:
    mov r5, lr
    ldr r6, [sp, #8]
    bx lr
"""
)


@pytest.mark.parametrize("core", ["m0p", "m0"])
def test_tail_chain(assemble, core: str) -> None:
    """Two pending: the more urgent first, then the other without unstacking."""
    firmware = assemble(TWO, core=core, irq="handler")
    firmware.run_to("three")
    stack = firmware.machine.register(13)
    left = firmware.run_to("chain")
    entered = firmware.run_to("handler")
    assert entered - left == BX[core] + TAIL[core]
    assert firmware.machine.register(13) == stack
    assert firmware.machine.register(16) & 0x3F == 16 + 5
    assert firmware.machine.register(0) == 99
    firmware.run_to("back")
    m = firmware.machine
    assert m.register(5) == 0xFFFFFFF9 and m.register(6) == 22
    assert m.register(0) == 0xE000E200  # restored once, from the one frame


PREEMPT = (
    PREPARE
    + """
    pend 5
back:
    bkpt 0
handler:
    mrs r4, ipsr
    cmp r4, #21
    bne inner
    ldr r0, =0xe000e200
    ldr r1, =1 << 3
    str r1, [r0]
    nop
outer_goes_on:
    movs r7, #1
    bx lr
inner:
    mov r5, lr
    bx lr
"""
)


def test_preemption_by_a_higher_priority(assemble) -> None:
    firmware = assemble(PREEMPT, irq="handler")
    firmware.run_to("inner")
    m = firmware.machine
    assert m.register(16) & 0x3F == 16 + 3
    assert m.register(13) == 0x20041000 - 64
    firmware.run_to("outer_goes_on")
    assert m.register(5) == 0xFFFFFFF1 and m.register(16) & 0x3F == 16 + 5
    firmware.run_to("back")
    assert m.register(7) == 1


def test_lower_priority_waits(assemble) -> None:
    source = PREEMPT.replace("pend 5", "pend 3").replace("cmp r4, #21", "cmp r4, #19")
    source = source.replace(
        "1 << 3\n    str r1, [r0]\n    nop", "1 << 5\n    str r1, [r0]\n    nop"
    )
    firmware = assemble(source, irq="handler")
    assert firmware.run_to("outer_goes_on") < firmware.run_to("inner")
    assert firmware.machine.register(7) == 1


@pytest.mark.parametrize("later, first", [(2, "late"), (11, "late"), (14, "late"), (40, "early")])
def test_late_arrival(assemble, later: int, first: str) -> None:
    """A more urgent exception that comes during stacking is served first, in the same time;
    after the vector fetch it preempts."""
    source = """
    _start:
        ldr r0, =0xe000e100     // GPIO interrupt 13 more urgent than SysTick
        ldr r1, =1 << 13
        str r1, [r0]
        ldr r0, =0xe000ed20
        ldr r1, =0xc0c00000
        str r1, [r0]
        ldr r0, =0x4000c000     // release IO_BANK0, PADS_BANK0
        movs r1, #0
        str r1, [r0]
        ldr r0, =0x40014100     // falling edge of GP0
        movs r1, #4
        str r1, [r0]
        ldr r0, =0xe000e010
        movs r1, #99
        str r1, [r0, #4]
        str r1, [r0, #8]
        movs r1, #7
    start:
        str r1, [r0]
        .rept 300
        nop
        .endr
        bkpt 0
    early:
        .rept 60
        nop
        .endr
        bx lr
    late:
        ldr r0, =0x400140f0
        movs r1, #4
        str r1, [r0]
        bx lr
    """
    firmware = assemble(source, systick="early", irq="late")
    m = firmware.machine
    m.pin_drive(0, 1)
    begin = firmware.run_to("start")
    m.pin_drive(0, 0, at=begin + 100 + later)
    if later < 12:
        assert firmware.run_to("late") == begin + 115
        assert m.register(14) == 0xFFFFFFF9
        return
    if first == "early":
        assert firmware.run_to("early") == begin + 115
    assert firmware.run_to("late") == begin + max(100 + later, 115) + 15
    assert m.register(14) == 0xFFFFFFF1


def test_interrupt_during_exit_is_chained(assemble) -> None:
    """What becomes pending while registers are unstacked is entered without stacking again."""
    source = """
    _start:
        ldr r0, =0xe000e010
        movs r1, #99
        str r1, [r0, #4]
        str r1, [r0, #8]
        movs r1, #7
        str r1, [r0]
        .rept 400
        nop
        .endr
        bkpt 0
    handler:
        .rept {wait}
        nop
        .endr
    leave:
        bx lr
    """
    firmware = assemble(source.format(wait=100 - 15 - 2 - 4), systick="handler")
    entered = firmware.run_to("handler")
    sp = firmware.machine.register(13)
    left = firmware.run_to("leave")
    again = firmware.run_to("handler")
    assert left == entered + 79
    assert again == entered + 100 - 15 + TAIL["m0p"]  # expiry is 15 before entry; chained at once
    assert firmware.machine.register(13) == sp


def test_list_transfers_are_abandoned(assemble) -> None:
    """A long LDM does not delay the entry; it runs again from its start afterwards. What it was to
    load is unknown in between, except its base."""
    source = """
    _start:
        ldr r6, =0x66666666
        ldr r0, =0xe000e010
        movs r1, #{reload}
        str r1, [r0, #4]
        str r1, [r0, #8]
        movs r1, #7
        mov r8, sp
    start:
        str r1, [r0]
        .rept 20
        nop
        .endr
        ldr r7, =0x20003000
    long:
        ldmia r7!, {{r0-r6}}
    after:
        bkpt 0
    handler:
        ldr r0, =0xe000e010
        movs r1, #0
        str r1, [r0]
        bx lr
    """
    for into in range(1, 8):  # LDM starts at start + 2 + 20 + 2 = 24 and takes 8
        firmware = assemble(source.format(reload=24 + into - 1), systick="handler")
        m = firmware.machine
        m.write(0x20003000, bytes(range(28)))
        begin = firmware.run_to("start")
        assert firmware.run_to("handler") == begin + 24 + into + 15
        assert m.word(m.register(13) + 24) == firmware.at("long")
        assert m.register(6) not in (0x66666666, 0x1B1A1918)
        assert m.register(7) == 0x20003000
        firmware.run_to("after")
        assert m.register(7) == 0x2000301C and m.register(0) == 0x03020100


def test_primask_holds_interrupts_back(assemble) -> None:
    source = (
        PREPARE
        + """
        cpsid i
        pend 3
        nop
    held:
        nop
        cpsie i
    back:
        bkpt 0
    handler:
        bx lr
    """
    )
    firmware = assemble(source, irq="handler")
    firmware.run_to("held")
    handler = firmware.run_to("handler")
    back = firmware.run_to("back")
    assert back - handler == 13


def test_svc_and_pendsv(assemble) -> None:
    """PendSV asked for in an SVC runs after it, chained."""
    source = (
        PREPARE
        + """
        svc 7
    back:
        bkpt 0
    on_svc:
        ldr r0, [sp, #24]
        subs r0, #2
        ldrb r4, [r0]
        ldr r0, =0xe000ed04
        ldr r1, =1 << 28
        str r1, [r0]
        bx lr
    on_pendsv:
        movs r5, #55
        bx lr
    """
    )
    firmware = assemble(source, svc="on_svc", pendsv="on_pendsv")
    firmware.run_to("back")
    assert firmware.machine.register(4) == 7 and firmware.machine.register(5) == 55


def test_nmi_goes_before_everything(assemble) -> None:
    source = (
        PREPARE
        + """
        cpsid i
        ldr r0, =0xe000ed04
        ldr r1, =1 << 31
        str r1, [r0]
        nop
    back:
        bkpt 0
    handler:
        bx lr
    """
    )
    firmware = assemble(source, nmi="handler")
    assert firmware.run_to("handler") < firmware.run_to("back")


def test_icsr_and_pending_registers(assemble) -> None:
    source = (
        PREPARE
        + """
        cpsid i
        pend 5
        pend 3
        ldr r0, =0xe000ed04
        ldr r4, [r0]
        ldr r0, =0xe000e280
        ldr r5, [r0]
        movs r1, #8
        str r1, [r0]
        ldr r6, [r0]
        bkpt 0
    """
    )
    firmware = assemble(source, irq="_start")
    firmware.machine.run(10_000)
    m = firmware.machine
    assert m.register(4) == 1 << 22 | (16 + 3) << 12
    assert m.register(5) == 1 << 3 | 1 << 5 and m.register(6) == 1 << 5


@pytest.mark.parametrize(("chip", "control"), [("rp2040", 5), ("rp2040", 7), ("stm32f051", 5)])
def test_asleep_for_good_although_systick_counts(assemble, chip: str, control: int) -> None:
    """Only with its interrupt can it wake the CPU."""
    source = f"""
    _start:
        ldr r0, =0xe000e010
        ldr r1, =0xffffff
        str r1, [r0, #4]
        str r1, [r0, #8]
        movs r1, #{control}
        str r1, [r0]
    sleep:
        wfi
        b sleep
    handler:
        bx lr
    """
    firmware = assemble(source, systick="handler", chip=chip)
    stop = firmware.machine.run(100_000)
    assert stop.reason == ("time" if control & 2 else "halt")
