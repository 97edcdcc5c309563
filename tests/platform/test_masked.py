"""How long interrupts are off, as the platform records it."""

from __future__ import annotations

import pytest

SOURCE = """
_start:
    movs r0, #1
loop:
    cpsid i
first:
    nop
    nop
    cpsie i
last:
    mrs r1, primask
    msr primask, r0
    nop
    msr primask, r1
    cpsid i
    cpsid i
    wfi
    cpsie i
    svc 0
    nop
    b loop
handler:
    bx lr
"""
COSTS = {"rp2040": (15, 2 + 11, 3), "stm32f051": (16, 3 + 13, 4)}


@pytest.mark.parametrize("chip", COSTS)
def test_every_stretch_is_recorded(assemble, chip: str) -> None:
    entry, leave, special = COSTS[chip]
    firmware = assemble(SOURCE, chip=chip, irq="handler", svc="handler")
    m = firmware.machine
    m.set_register(13, m.register(13) - 64)
    m.bus_write(0xE000E100, 1)
    begin = firmware.run_to("loop")
    m.log_masked()
    m.pend_irq(0, begin + 5000)
    m.run(begin + 5000 + 100)
    found = m.masked()
    plain, by_register, asleep, in_svc = found[:4]
    assert (plain.cycle, plain.cycles) == (begin + 1, 3)
    assert (plain.start, plain.end) == (firmware.at("loop"), firmware.at("last") - 2)
    assert by_register.cycles == 1 + special
    assert asleep.cycles < 10, "sleep does not count"
    assert in_svc.cycles == entry + leave
    assert m.sleep_cycles > 4900


def test_what_is_off_already_counts_from_now(assemble) -> None:
    firmware = assemble("_start:\n cpsid i\n nop\nmiddle:\n nop\n cpsie i\nend:\n b end\n")
    m = firmware.machine
    m.log_masked()
    m.log_masked(False)
    firmware.run_to("middle")
    m.log_masked()
    firmware.run_to("end")
    (found,) = m.masked()
    assert (found.cycles, found.start) == (2, firmware.at("middle"))
    assert m.masked() == []
