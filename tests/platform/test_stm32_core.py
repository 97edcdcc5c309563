"""STM32F051: memories, boot, the Cortex-M0's cycles, flash wait states and prefetch."""

from __future__ import annotations

import itertools

import bare_stm32 as board
import pytest
from takt.machine.machine import Machine

CHIP = "stm32f051"
ACR = """
    ldr r6, =0x40022000
    movs r7, #{acr}
    str r7, [r6]
"""


def test_boots_from_flash_at_address_0() -> None:
    m = board.idle_machine()
    assert m.register(15) == board.LOOP and m.register(13) == 0x20002000 and m.hz == 8_000_000
    assert m.bus_read(4) == m.bus_read(0x08000004) == board.LOOP | 1
    assert m.bus_read(0xE000ED00) == 0x410CC200


def test_empty_flash_does_not_boot() -> None:
    m = Machine(CHIP)
    m.reset()
    assert m.run(100).reason == "fault" and "flash is empty" in m.fault()


def test_memory_sizes() -> None:
    m = Machine(CHIP)
    m.write(0x20001FFC, b"last")
    m.load_bin(b"last", 0x0800FFFC)
    for address in (0x20002000, 0x08010000, 0x10000000):
        with pytest.raises(Exception, match="not in flash or RAM"):
            m.load_bin(b"more", address)


def test_ram_shown_at_address_0() -> None:
    m = board.board()
    m.write(0x20000010, b"\x78\x56\x34\x12")
    m.bus_write(board.SYSCFG, 3)
    assert m.bus_read(0x10) == 0x12345678
    m.bus_write(0x14, 0xCAFE)
    assert m.word(0x20000014) == 0xCAFE


def test_there_is_no_vector_table_offset() -> None:
    m = board.idle_machine()
    m.bus_write(0xE000ED08, 0x20000000)
    assert m.bus_read(0xE000ED08) == 0 and "SCS+0xd08 write" in m.unimplemented()[0]


def test_code_in_the_alias_runs(assemble) -> None:
    source = """
    _start:
        ldr r0, =there
        ldr r1, =0x07ffffff
        ands r0, r1
        adds r0, #1
        bx r0
        .align 2
    there:
        movs r2, #7
        bkpt 0
    """
    firmware = assemble(source, chip=CHIP)
    assert firmware.machine.run(100).reason == "halt" and firmware.machine.register(2) == 7


PROGRAM = """
_start:
    ldr r0, =0x20000100
    ldr r5, =0x48000000     // not a single-cycle port: 2
    movs r1, #10
first:
    movs r2, #0             // 1
loop:
    ldr r3, [r5, #16]       // 2
    str r1, [r5, #24]       // 2
    stmia r0!, {r1, r2, r3} // 4
    subs r0, #12            // 1
    ldmia r0!, {r2, r3, r4} // 4
    subs r0, #12            // 1
    push {r1, r4, lr}       // 4
    bl leaf                 // 4
    pop {r1, r4}            // 3
    add sp, #4              // 1
    mrs r6, primask         // 4
    dsb                     // 4
    subs r1, #1             // 1
    bne loop                // 3, at last 1
last:
    bkpt 0
leaf:
    push {lr}               // 2
    muls r3, r2             // 1
    b over                  // 3
    nop
over:
    pop {pc}                // 5
"""


def test_counted_by_hand(assemble) -> None:
    firmware = assemble(PROGRAM, chip=CHIP)
    assert firmware.cycles("first", "last") == 1 + 10 * (38 + 11) - 2


def test_apb_takes_a_cycle_more(assemble) -> None:
    source = """
    _start:
        ldr r0, =0x40010400     // EXTI
        ldr r1, =0x40021000     // RCC, on the AHB
    a:  ldr r2, [r0]
    b:  str r2, [r0]
    c:  ldr r2, [r1]
    d:  str r2, [r1]
    e:  bkpt 0
    """
    firmware = assemble(source, chip=CHIP)
    marks = [firmware.run_to(name) for name in "abcde"]
    assert [b - a for a, b in itertools.pairwise(marks)] == [3, 3, 2, 2]


STRAIGHT = """
_start:
    {acr}
    ldr r4, =0x08000000
    sub sp, #16
    b start
    .align 2
start:
    nop
    nop
first:                  // in sequence: 6 instructions in 3 words
    movs r0, #1
    movs r1, #2
    movs r2, #3
    movs r3, #4
    adds r0, r1
    adds r0, r2
second:
    b whole             // 3; the target starts a word
    nop
whole:
    b middle            // 3; into the middle of a word, 1 cycle there
    nop
    nop
middle:
    nop
third:
    b middle2           // 3; into the middle of a word, 2 cycles there
    nop
    nop
middle2:
    ldr r5, [sp]
fourth:
    ldr r5, [r4]        // a load from flash
    nop
fifth:
    ldr r5, =0x12345678 // a literal
    nop
end:
    bkpt 0
"""


@pytest.mark.parametrize("latency, prefetch", [(0, False), (0, True)])
def test_no_wait_states(assemble, latency: int, prefetch: bool) -> None:
    acr = ACR.format(acr=latency | prefetch << 4)
    firmware = assemble(STRAIGHT.format(acr=acr), chip=CHIP)
    names = ("first", "second", "third", "fourth", "fifth", "end")
    marks = [firmware.run_to(name) for name in names]
    assert [b - a for a, b in itertools.pairwise(marks)] == [6, 7, 5, 3, 3]


def test_prefetch(assemble) -> None:
    """Sequence costs nothing, a jump its target's word and perhaps the next, a load its word."""
    firmware = assemble(STRAIGHT.format(acr=ACR.format(acr=0x11)), chip=CHIP)
    names = ("first", "second", "third", "fourth", "fifth", "end")
    assert firmware.at("whole") % 4 == 0
    assert firmware.at("middle") % 4 == 2 and firmware.at("middle2") % 4 == 2
    marks = [firmware.run_to(name) for name in names]
    found = [b - a for a, b in itertools.pairwise(marks)]
    assert found == [6, (3 + 1) + (3 + 2) + 1, 3 + 1 + 2, 3 + 1, 3 + 1]


def test_without_prefetch_each_word_costs(assemble) -> None:
    firmware = assemble(STRAIGHT.format(acr=ACR.format(acr=1)), chip=CHIP)
    marks = [firmware.run_to(name) for name in ("first", "second")]
    assert marks[1] - marks[0] == 6 + 3


@pytest.mark.parametrize("wait_states, expected", [(0, 6), (1, 6), (None, 6)])
def test_forced_wait_states_stay(assemble, wait_states, expected: int) -> None:
    """With prefetch a sequence costs the same; the load shows the difference."""
    source = STRAIGHT.format(acr=ACR.format(acr=0x11))
    firmware = assemble(source, chip=CHIP, wait_states=wait_states)
    assert firmware.cycles("first", "second") == expected
    assert firmware.cycles("fourth", "fifth") == 3 + (wait_states != 0)


INTERRUPTED = """
_start:
    {acr}
    ldr r0, =0xe000e100
    movs r1, #1
    str r1, [r0]
    b loop
    .align 2
loop:
    b loop
    .align 2
handler:
    bx lr
"""


@pytest.mark.parametrize("acr, wait", [(0x10, 0), (0x11, 1)])
def test_exception_entry_and_exit(assemble, acr: int, wait: int) -> None:
    """16 cycles to enter; the vector and the handler's word come from flash. 16 from BX on."""
    firmware = assemble(INTERRUPTED.format(acr=ACR.format(acr=acr)), chip=CHIP, irq="handler")
    m = firmware.machine
    firmware.run_to("loop")
    boundary = m.now + 3 * (3 + wait)
    m.pend_irq(0, boundary)
    assert firmware.run_to("handler") == boundary + 16 + 2 * wait
    assert firmware.run_to("loop") - m.now == 0
    assert m.now == boundary + 16 + 2 * wait + 16 + wait


TWICE = """
_start:
    ldr r0, =0xe000e100
    movs r1, #3
    str r1, [r0]
loop:
    b loop
    .align 2
handler:
    nop
returns:
    bx lr
"""


def test_tail_chaining(assemble) -> None:
    """The second handler begins 12 cycles after the BX of the first."""
    firmware = assemble(TWICE, chip=CHIP, irq="handler")
    firmware.run_to("loop")
    for irq in (0, 1):
        firmware.machine.pend_irq(irq)
    firmware.run_to("handler")
    assert firmware.run_to("returns") + 3 + 12 == firmware.run_to("handler")
    assert firmware.machine.register(16) & 0x3F == 17


def test_flash_without_wait_state_above_24_mhz_is_reported() -> None:
    m = board.idle_machine()
    board.start_clocks(m, latency=0)
    assert any("flash without wait state" in line for line in m.unimplemented())


def test_programming_flash_is_reported() -> None:
    m = board.board()
    m.bus_write(board.FLASH + 4, 0x45670123)
    assert m.unimplemented()[0].startswith("FLASH (program, erase)+0x4 write 0x45670123")


def test_asleep_for_good_although_a_timer_makes_edges(assemble) -> None:
    source = "_start:\n ldr r0, =0x40021014\n ldr r1, =0x00020014\n str r1, [r0]\n movs r1, #2\n"
    firmware = assemble(source + " str r1, [r0, #8]\nsleep:\n wfi\n b sleep\n", chip=CHIP)
    m = firmware.machine
    firmware.run_to("sleep")
    board.function(m, 6, 1)
    m.log_pin(6)
    for offset, value in ((0x2C, 99), (0x34, 50), (0x18, 0x60), (0x20, 1), (0, 1)):
        m.bus_write(board.TIM3 + offset, value)
    stop = m.run(1_000_000)
    assert stop.reason == "halt" and "asleep with nothing that can wake it" in stop.detail
