"""Interrupts pended from outside at an exact cycle, on both chips."""

from __future__ import annotations

import pytest
from takt.machine.machine import PlatformError

COUNTER = """
_start:
    ldr r0, =0xe000e100
    ldr r1, =0xffffffff
    str r1, [r0]
    movs r2, #0
loop:
    {body}
    b loop
handler:
    adds r7, #1
    bx lr
"""
CHIPS = {"rp2040": (2, 15, 2 + 11), "stm32f051": (3, 16, 3 + 13)}


@pytest.mark.parametrize("chip", CHIPS)
def test_at_every_cycle_of_a_loop(assemble, chip: str) -> None:
    """The handler begins an entry after the first boundary at or behind the cycle asked for."""
    branch, entry, _ = CHIPS[chip]
    boundaries = [0, 1, 3, 4, 4 + branch]
    for offset in range(4 + branch):
        source = COUNTER.format(body="nop\n ldr r4, [sp]\n nop")
        firmware = assemble(source, chip=chip, irq="handler")
        firmware.machine.set_register(13, firmware.machine.register(13) - 64)
        begin = firmware.run_to("loop")
        firmware.machine.pend_irq(7, begin + offset)
        taken = min(b for b in boundaries if b >= offset)
        assert firmware.run_to("handler") == begin + taken + entry, offset
        assert firmware.machine.register(16) & 0x3F == 16 + 7


@pytest.mark.parametrize("chip", CHIPS)
def test_many_are_cheap_and_each_is_taken(assemble, chip: str) -> None:
    firmware = assemble(COUNTER.format(body="nop"), chip=chip, irq="handler")
    begin = firmware.run_to("loop")
    m = firmware.machine
    m.set_register(7, 0)
    for k in range(5000):
        m.pend_irq(k % 26, begin + 100 * k)
    m.run(begin + 100 * 5000)
    assert m.register(7) == 5000


def test_wakes_a_sleeper_that_nothing_else_could_wake(assemble) -> None:
    source = COUNTER.format(body="wfi")
    firmware = assemble(source, chip="stm32f051", irq="handler")
    m = firmware.machine
    m.pend_irq(31, 10_000)
    m.break_at(firmware.at("handler"))
    assert m.run(20_000).cycle == 10_016
    m.break_at(firmware.at("handler"), False)
    assert "asleep" in m.run(20_000).detail


def test_system_exceptions(assemble) -> None:
    source = COUNTER.format(body="nop") + "\npended:\n bx lr\nticked:\n bx lr\nworst:\n bx lr"
    handlers = {"pendsv": "pended", "systick": "ticked", "nmi": "worst"}
    firmware = assemble(source, chip="stm32f051", irq="handler", **handlers)
    m = firmware.machine
    firmware.run_to("loop")
    for irq, label in ((-2, "pended"), (-1, "ticked"), (-14, "worst")):
        m.pend_irq(irq, m.now + 100)
        firmware.run_to(label)
        assert m.register(16) & 0x3F == 16 + irq


def test_masked_it_waits(assemble) -> None:
    source = "_start:\n cpsid i\nloop:\n nop\n b loop\nhandler:\n bx lr"
    firmware = assemble(source, irq="handler")
    m = firmware.machine
    firmware.run_to("loop")
    m.bus_write(0xE000E100, 1)
    m.pend_irq(0)
    m.run(1000)
    assert m.bus_read(0xE000E200) == 1 and m.register(16) & 0x3F == 0


def test_a_reset_forgets_them(assemble) -> None:
    firmware = assemble(COUNTER.format(body="nop"), chip="stm32f051", irq="handler")
    m = firmware.machine
    m.pend_irq(0, 500)
    m.reset()
    m.set_register(7, 0)
    m.run(2000)
    assert m.register(7) == 0


@pytest.mark.parametrize("irq", [32, -3, -15])
def test_no_such_interrupt(assemble, irq: int) -> None:
    with pytest.raises(PlatformError, match="no interrupt"):
        assemble(COUNTER.format(body="nop")).machine.pend_irq(irq)
