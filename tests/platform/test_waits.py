"""How long interrupts wait for their handlers."""

from __future__ import annotations

from pathlib import Path

from avr_board import assembled, run_to

ARM = """
_start:
    ldr r0, =0xE000E100
    movs r1, #3
    str r1, [r0]
again:
    cpsid i
    .rept 200
    nop
    .endr
on:
    cpsie i
    nop
    b again
handler:
    nop
    bx lr
"""


def test_an_interrupt_waits_from_when_it_is_pending(assemble) -> None:
    firmware = assemble(ARM, irq="handler")
    m = firmware.machine
    m.log_waits(100)
    begin = firmware.run_to("again")
    m.pend_irq(0, begin + 20)
    m.pend_irq(0, begin + 60)
    m.pend_irq(1, begin + 195)
    begun = firmware.run_to("handler")
    m.run(begin + 2000)
    (only,) = m.waits().tolist()
    assert only[0] == begun and only[2] == 0
    assert abs(only[1] - (begun - begin - 20)) <= 1, "the first of two counts"
    assert len(m.waits()) == 0
    m.log_waits(20)
    m.pend_irq(1, m.now + 10)
    m.run(m.now + 1000)
    assert [irq for _, _, irq in m.waits().tolist()] == [1]


AVR = """
_start:
    put MEM(EICRA), 3
    sbi IO(EIMSK), 0
    cli
again:
    .rept 200
    nop
    .endr
    sei
    nop
end:
    rjmp end
handler:
    reti
"""


def test_a_pin_of_an_avr(tmp_path: Path) -> None:
    m = assembled(tmp_path, AVR, INT0="handler")
    m.log_waits(100)
    begin = run_to(m, "again")
    m.pin_drive(26, 1, at=begin + 30)
    m.pin_drive(26, 0, at=begin + 60)
    m.pin_drive(26, 1, at=begin + 90)
    m.run(begin + 500)
    ((cycle, cycles, irq),) = m.waits().tolist()
    assert irq == 1 and abs(cycle - (begin + 200 + 2 + 4)) <= 1
    assert abs(cycle - cycles - (begin + 30)) <= 2
