"""The RP2040's memory protection (ARMv6-M Architecture Reference Manual B3.5): 8 regions of 256
bytes and more, in eighths."""

from __future__ import annotations

import pytest
from bare_exceptions import PREPARE

TYPE, CTRL, RNR, RBAR, RASR = (0xE000ED90 + 4 * k for k in range(5))
READ_ONLY, NOTHING = 5 << 24, 0
AREA = 0x20003000

REGION = """
    ldr r0, =0xe000ed98
    ldr r1, ={number}
    str r1, [r0]
    ldr r1, ={base:#x}
    str r1, [r0, #4]
    ldr r1, ={attributes:#x}
    str r1, [r0, #8]
"""
ON = """
    ldr r0, =0xe000ed94
    movs r1, #{control}
    str r1, [r0]
    dsb
    isb
"""


def region(
    number: int, base: int, rights: int, size: int = 7, without: int = 0, enabled: int = 1
) -> str:
    """Of 2 << size bytes; without: eighths that it leaves out, a bit for each."""
    attributes = 1 << 28 | rights | without << 8 | size << 1 | enabled
    return REGION.format(number=number, base=base, attributes=attributes)


def source(*parts: str, control: int = 5) -> str:
    return PREPARE + "".join(parts) + ON.format(control=control)


def faults(assemble, begin: str, code: str) -> bool:
    """Does it end in a HardFault at `bad`?"""
    firmware = assemble(begin + code + "\nbkpt 0\nfault: bkpt 1\n", hardfault="fault")
    machine = firmware.machine
    stop = machine.run(10_000)
    missing = [line for line in machine.unimplemented() if not line.startswith("ROM+")]
    assert stop.reason == "halt" and not missing, missing
    wrong = "BKPT #1" in stop.detail
    if wrong:
        assert machine.word(machine.register(13) + 24) == firmware.at("bad")
    return wrong


def store(address: int) -> str:
    return f"ldr r0, ={address:#x}\nbad: str r1, [r0]"


def load(address: int) -> str:
    return f"ldr r0, ={address:#x}\nbad: ldr r1, [r0]"


GUARD = region(0, AREA, READ_ONLY)


@pytest.mark.parametrize("offset", [-4, 0, 128, 252, 256])
def test_a_region_that_is_read_only(assemble, offset: int) -> None:
    assert faults(assemble, source(GUARD), store(AREA + offset)) == (0 <= offset < 256)
    assert not faults(assemble, source(GUARD), load(AREA + offset))


@pytest.mark.parametrize("code", ["strb r1, [r0]", "strh r1, [r0]", "stmia r0!, {r1-r3}"])
def test_every_kind_of_store(assemble, code: str) -> None:
    assert faults(assemble, source(GUARD), f"ldr r0, ={AREA + 248:#x}\nbad: {code}")


def test_nothing_happens_while_it_is_off(assemble) -> None:
    assert not faults(assemble, source(GUARD, control=4), store(AREA))
    assert not faults(assemble, source(region(0, AREA, READ_ONLY, enabled=0)), store(AREA))


@pytest.mark.parametrize("eighth", range(8))
def test_eighths_that_are_left_out(assemble, eighth: int) -> None:
    begin = source(region(0, AREA, READ_ONLY, without=0xFF ^ 1 << 3))
    assert faults(assemble, begin, store(AREA + 32 * eighth + 28)) == (eighth == 3)


def test_the_higher_number_wins(assemble) -> None:
    both = region(1, AREA, READ_ONLY, size=8), region(5, AREA, 3 << 24)
    assert not faults(assemble, source(*both), store(AREA))
    assert faults(assemble, source(*both), store(AREA + 256))


def test_reads_of_what_is_nobodys(assemble) -> None:
    begin = source(region(2, 0, NOTHING))
    for code in load(4), store(252):
        assert faults(assemble, begin, code)
    assert not faults(assemble, begin, load(256))


RIGHTS = {  # of privileged and other code to load and store
    0: ("", ""),
    1: ("ls", ""),
    2: ("ls", "l"),
    3: ("ls", "ls"),
    5: ("l", ""),
    6: ("l", "l"),
    7: ("l", "l"),
}


@pytest.mark.parametrize("rights", RIGHTS)
@pytest.mark.parametrize("user", [False, True])
def test_rights(assemble, rights: int, user: bool) -> None:
    """Of the ROM, whatever comes of a store that is allowed."""
    mode = "movs r0, #1\n msr control, r0\n isb\n" if user else ""
    everything = region(7, 0, 3 << 24, size=31)
    begin = source(everything.replace("ldr r1, =7", "ldr r1, =0"), region(1, 0, rights << 24))
    allowed = RIGHTS[rights][user]
    assert faults(assemble, begin + mode, load(4)) == ("l" not in allowed)
    firmware = assemble(begin + mode + store(4) + "\nbkpt 0\nfault: bkpt 1\n", hardfault="fault")
    machine = firmware.machine
    machine.break_at(firmware.at("fault"))
    machine.run(10_000)
    assert ("MPU denies" in machine.fault()) == ("s" not in allowed)


def test_what_no_region_covers(assemble) -> None:
    """With PRIVDEFENA it is as without MPU; else there is nothing but the private peripherals."""
    code = load(0x40000000)
    assert not faults(assemble, source(GUARD), code)
    program = region(7, 0x10000000, READ_ONLY, size=23), region(6, 0x20000000, 3 << 24, size=20)
    assert faults(assemble, source(*program, control=1), code)


def test_registers(assemble) -> None:
    firmware = assemble(
        source(region(3, AREA + 0xE5, READ_ONLY)) + "bkpt 0\nfault: bkpt 1\n", hardfault="fault"
    )
    machine = firmware.machine
    machine.run(10_000)
    assert machine.bus_read(TYPE) == 8 << 8 and machine.bus_read(CTRL) == 5
    assert machine.bus_read(RBAR) == AREA | 3
    machine.bus_write(RBAR, AREA + 0x400 | 0x10 | 4)  # VALID: the number, too
    assert machine.bus_read(RNR) == 4 and machine.bus_read(RBAR) == AREA + 0x400 | 4
    assert machine.bus_read(RASR) == 0
    machine.bus_write(RNR, 3)
    assert machine.bus_read(RASR) == 1 << 28 | READ_ONLY | 7 << 1 | 1


ON_PSP = """
    ldr r0, ={sp:#x}
    msr psp, r0
    movs r0, #2
    msr control, r0
    isb
"""


def test_a_frame_that_cannot_be_written(assemble) -> None:
    """The fault's own: its handler runs all the same, with nothing in the frame (ARM's user guides
    have what locks up: faults of these handlers, and unstacking). The MPU is off there."""
    begin = source(GUARD) + ON_PSP.format(sp=AREA + 0x108)
    body = (
        "push {r4-r7, lr}\nbkpt 0\nfault: mrs r6, psp\nldr r0, =0x20003000\nstr r0, [r0]\nbkpt 1\n"
    )
    firmware = assemble(begin + body, hardfault="fault")
    machine = firmware.machine
    machine.write(AREA, bytes(512))
    stop = machine.run(10_000)
    assert "BKPT #1" in stop.detail, stop
    assert machine.register(6) == AREA + 0x108 - 32
    assert machine.word(AREA + 0x100) == 0 and machine.word(AREA) == AREA


def test_an_interrupts_frame_that_cannot_be_written(assemble) -> None:
    """The fault comes in the interrupt's place, which stays pending."""
    begin = source(GUARD) + ON_PSP.format(sp=AREA + 0x108)
    body = "pend 3\nnop\nbkpt 0\nhandler: bkpt 2\nfault: bkpt 1\n"
    firmware = assemble(begin + body, hardfault="fault", irq="handler")
    machine = firmware.machine
    stop = machine.run(10_000)
    assert "BKPT #1" in stop.detail, stop
    assert machine.bus_read(0xE000E200) == 8


def test_a_frame_that_cannot_be_written_in_a_fault_handler_locks_up(assemble) -> None:
    body = "ldr r0, =0x30000000\nmov sp, r0\n.hword 0xde00\nfault: .hword 0xde00\n"
    stop = assemble(PREPARE + body, hardfault="fault").machine.run(10_000)
    assert stop.reason == "fault" and "lockup (fault in a fault handler)" in stop.detail


def test_with_the_mpu_in_fault_handlers(assemble) -> None:
    """HFNMIENA: then a store of theirs may fault, too."""
    begin = source(GUARD, control=7)
    body = "ldr r0, =0x20003000\nstr r1, [r0]\nbkpt 0\nfault: str r1, [r0]\nbkpt 1\n"
    stop = assemble(begin + body, hardfault="fault").machine.run(10_000)
    assert stop.reason == "fault" and "lockup" in stop.detail
