"""Boot, clocks, resets, sleep, the divider, RTT, reports, stops, determinism."""

from __future__ import annotations

import binascii
import struct

import bare_board as board
import pytest
from bare_board import CLOCKS, RESETS, SIO, TIMER, US, XOSC
from takt.machine.machine import Machine, PlatformError


def reversed_bits(value: int, width: int) -> int:
    return int(f"{value:0{width}b}"[::-1], 2)


def boot_crc(data: bytes) -> int:
    """By way of the ordinary reflected CRC32: independent of the boot model's own loop."""
    reflected = bytes(reversed_bits(b, 8) for b in data)
    return reversed_bits(binascii.crc32(reflected) ^ 0xFFFFFFFF, 32)


# Sets VTOR, loads the stack and jumps through the table at 0x10000100.
BOOT2 = """
_start:
    ldr r0, =0x10000100
    ldr r1, =0xe000ed08
    str r0, [r1]
    ldmia r0!, {r1, r2}
    msr msp, r1
    bx r2
"""


def boot_image(assemble) -> bytes:
    firmware = assemble(BOOT2)
    start = firmware.at("_start")
    code = firmware.machine.read(start, 64).ljust(252, b"\0")
    return code + struct.pack("<I", boot_crc(code))


def test_boots_through_the_second_stage(assemble) -> None:
    image = boot_image(assemble)
    m = Machine()
    m.load_bin(image, 0x10000000)
    m.load_bin(struct.pack("<II", 0x20042000, 0x10000201), 0x10000100)
    m.load_bin(struct.pack("<HH", 0x202A, 0xBE05), 0x10000200)  # movs r0, #42; bkpt 5
    m.reset()
    assert m.register(15) == 0x20041F00
    stop = m.run(10_000)
    assert stop.reason == "halt" and "BKPT #5" in stop.detail
    assert m.register(0) == 42 and m.register(13) == 0x20042000


def test_a_wrong_crc_does_not_boot(assemble) -> None:
    image = bytearray(boot_image(assemble))
    image[3] ^= 1
    m = Machine()
    m.load_bin(bytes(image), 0x10000000)
    m.reset()
    stop = m.run(1000)
    assert stop.reason == "fault" and "CRC" in stop.detail and m.instructions == 0


def test_clock_tree() -> None:
    m = board.idle_machine()
    assert m.hz == 6_500_000
    m.bus_write(XOSC + 0xC, 47)
    m.bus_write(XOSC, 0xFABAA0)
    assert m.bus_read(XOSC + 4) >> 31 == 0
    board.wait(m, 47 * 256 * 65 // 120 + 10)
    assert m.bus_read(XOSC + 4) >> 31 == 1
    m.bus_write(CLOCKS + 0x30, 2)
    assert m.hz == 12_000_000 and m.bus_read(CLOCKS + 0x38) == 4
    board.start_clocks(m)
    assert m.hz == 125_000_000 and m.bus_read(CLOCKS + 0x44) == 2
    m.bus_write(CLOCKS + 0x40, 0x280)  # divide by 2.5
    assert m.hz == 50_000_000


def test_a_clock_from_nowhere_is_a_fault() -> None:
    m = board.idle_machine()
    m.bus_write(CLOCKS + 0x3C, 1)  # PLL_SYS is off
    assert "clk_sys" in (m.fault() or "")


def test_devices_in_reset_ignore_writes_and_are_reported() -> None:
    m = board.idle_machine()
    m.bus_write(TIMER + 0x10, 5)
    assert "in reset: TIMER" in m.unimplemented()[0]
    m.bus_write(RESETS, 0)
    assert m.bus_read(TIMER + 0x20) == 0 and m.bus_read(RESETS + 8) == 0x01FFFFFF
    m.bus_write(TIMER + 0x10, 5)
    assert m.bus_read(TIMER + 0x20) == 1
    m.bus_write(RESETS + board.SET, 1 << 21)
    m.bus_write(RESETS + board.CLEAR, 1 << 21)
    assert m.bus_read(TIMER + 0x20) == 0


def test_atomic_aliases() -> None:
    m = board.board()
    register = board.PADS + 4
    m.bus_write(register, 0b0101)
    m.bus_write(register + board.SET, 0b0010)
    assert m.bus_read(register) == 0b0111
    m.bus_write(register + board.CLEAR, 0b0001)
    assert m.bus_read(register) == 0b0110
    m.bus_write(register + board.XOR, 0b1100)
    assert m.bus_read(register) == 0b1010


def test_narrow_writes_are_replicated(assemble) -> None:
    source = """
    _start:
        ldr r0, =0x40058000
        movs r1, #0xa5
        strb r1, [r0, #0xc]
        ldrb r2, [r0, #0xe]
        bkpt 0
    """
    firmware = assemble(source)
    firmware.machine.run(100)
    assert firmware.machine.bus_read(0x4005800C) == 0xA5A5A5A5
    assert firmware.machine.register(2) == 0xA5


def test_unknown_registers_are_reported(assemble) -> None:
    source = """
    _start:
        ldr r0, =0x40034000
        ldr r1, =0x4000c000
        movs r2, #0
        str r2, [r1]
        movs r2, #7
    here:
        str r2, [r0, #0x50]
        str r2, [r0, #0x50]
        ldr r3, =0x50110000
        ldr r3, [r3, #4]
        bkpt 0
    """
    firmware = assemble(source)
    firmware.machine.run(1000)
    lines = firmware.machine.unimplemented()
    assert lines[0] == f"UART0+0x50 write 0x7 at pc=0x{firmware.at('here'):08x}"
    assert lines[1].startswith("USB+0x4 read") and len(lines) == 2


@pytest.mark.parametrize(
    "offset, a, b, quotient, remainder",
    [
        (0x60, 100, 7, 14, 2),
        (0x60, 0xFFFFFFFF, 10, 429496729, 5),
        (0x68, -100 & 0xFFFFFFFF, 7, -14 & 0xFFFFFFFF, -2 & 0xFFFFFFFF),
        (0x68, 100, -7 & 0xFFFFFFFF, -14 & 0xFFFFFFFF, 2),
        (0x68, 0x80000000, 0xFFFFFFFF, 0x80000000, 0),
        (0x60, 5, 0, 0xFFFFFFFF, 5),
    ],
)
def test_divider(offset: int, a: int, b: int, quotient: int, remainder: int) -> None:
    m = board.idle_machine()
    m.bus_write(SIO + offset, a)
    m.bus_write(SIO + offset + 4, b)
    assert m.bus_read(SIO + 0x78) & 1 == 0
    board.wait(m, 8)
    assert m.bus_read(SIO + 0x78) == 3
    assert (m.bus_read(SIO + 0x74), m.bus_read(SIO + 0x70)) == (remainder, quotient)
    assert m.bus_read(SIO + 0x78) == 1


def test_spinlocks() -> None:
    m = board.idle_machine()
    assert m.bus_read(SIO + 0x114) == 1 << 5 and m.bus_read(SIO + 0x114) == 0
    assert m.bus_read(SIO + 0x5C) == 1 << 5
    m.bus_write(SIO + 0x114, 0)
    assert m.bus_read(SIO + 0x114) == 1 << 5


SLEEPER = """
_start:
    ldr r0, =0xe000e010
    ldr r1, =9999999
    str r1, [r0, #4]
    str r1, [r0, #8]
    movs r1, #7
start:
    str r1, [r0]
again:
    wfi
    b again
handler:
    adds r7, #1
    bx lr
"""


def test_sleep_is_skipped_exactly(assemble) -> None:
    firmware = assemble(SLEEPER, systick="handler")
    m = firmware.machine
    begin = firmware.run_to("start")
    assert firmware.run_to("handler", 20_000_000) == begin + 10_000_000 + 15
    m.run(begin + 1_000_000_000)
    assert m.instructions < 1000
    assert m.sleep_cycles > 999_000_000


def test_wfi_wakes_under_primask(assemble) -> None:
    source = SLEEPER.replace("again:\n", "cpsid i\n again:\n").replace("b again", "bkpt 0")
    firmware = assemble(source, systick="handler")
    begin = firmware.run_to("start")
    stop = firmware.machine.run(100_000_000)
    assert stop.reason == "halt" and "BKPT" in stop.detail
    assert 10_000_000 <= stop.cycle - begin <= 10_000_002 and firmware.machine.register(7) == 0


def test_events(assemble) -> None:
    source = """
    _start:
        movs r0, #0
        sev
        wfe             // takes the event
        movs r0, #1
        wfe             // sleeps for good
        movs r0, #2
    """
    firmware = assemble(source)
    stop = firmware.machine.run(1_000_000)
    assert stop.reason == "halt" and "asleep" in stop.detail
    assert firmware.machine.register(0) == 1


def test_sleep_with_an_outside_source_is_not_the_end(assemble) -> None:
    source = """
    _start:
        ldr r0, =0x4000c000
        movs r1, #0
        str r1, [r0]
        ldr r0, =0x40014100
        movs r1, #8
        str r1, [r0]
        ldr r0, =0xe000e100
        ldr r1, =1 << 13
        str r1, [r0]
        wfi
    handler:
        bkpt 0
    """
    firmware = assemble(source, irq="handler")
    m = firmware.machine
    assert m.run(1000).reason == "time" and m.now == 1000
    m.pin_drive(0, 1, at=5000)
    stop = m.run(10_000)
    assert stop.reason == "halt" and stop.cycle == 5015


def test_self_modifying_code(assemble) -> None:
    source = """
    _start:
        ldr r0, =target
        ldr r1, =0x2107         // movs r1, #7
        ldr r2, =target + 1
        blx r2
        movs r3, r1
        ldr r1, =0x2107
        strh r1, [r0]
        blx r2
        bkpt 0
        .section .ramcode, "ax"
    target:
        movs r1, #3
        bx lr
    """
    firmware = assemble(source)
    firmware.machine.run(1000)
    assert firmware.machine.register(3) == 3 and firmware.machine.register(1) == 7


def test_stops_and_logs_of_stores(assemble) -> None:
    source = """
    _start:
        ldr r0, =0x20002000
        movs r1, #1
    loop:
        str r1, [r0]
        strb r1, [r0, #5]
        adds r1, #1
        b loop
    """
    firmware = assemble(source)
    m = firmware.machine
    m.stop_on_write(0x20002004)
    m.log_write(0x20002000)
    begin = firmware.run_to("loop")
    stops = [m.run(begin + 1000) for _ in range(3)]
    assert [(s.reason, s.cycle - begin, s.detail) for s in stops] == [
        ("write", 2 + 7 * k, 0x20002005) for k in range(3)
    ]
    assert m.stores() == [(begin + 7 * k, 0x20002000, k + 1) for k in range(3)]
    m.stop_on_write(0x20002004, False)
    assert m.run(begin + 1000).reason == "time"


def test_rtt_is_drained() -> None:
    m = board.board()
    block, ring = 0x20003000, 0x20004000
    m.write(block, b"SEGGER RTT".ljust(16, b"\0") + struct.pack("<II", 2, 0))
    m.write(block + 24, struct.pack("<6I", 0, 0, 0, 0, 0, 0))
    m.write(block + 48, struct.pack("<6I", 0, ring, 16, 10, 0, 0))
    m.write(ring, bytes(range(16)))
    m.rtt_attach(block)
    board.wait(m, 150 * US)
    assert m.rtt_take(1) == bytes(range(10)) and m.word(block + 48 + 16) == 10
    m.write(block + 48 + 12, struct.pack("<I", 3))  # wrapped
    board.wait(m, 150 * US)
    assert m.rtt_take(1) == bytes([10, 11, 12, 13, 14, 15, 0, 1, 2])


def test_two_runs_are_identical(assemble) -> None:
    def run() -> tuple:
        firmware = assemble(SLEEPER.replace("9999999", "777"), systick="handler")
        m = firmware.machine
        m.run(1_000_000)
        return m.now, m.instructions, m.register(7), m.read(0x20000000, 0x42000)

    assert run() == run()


def test_running_in_pieces_changes_nothing(assemble) -> None:
    whole = assemble(SLEEPER.replace("9999999", "777"), systick="handler").machine
    pieces = assemble(SLEEPER.replace("9999999", "777"), systick="handler").machine
    whole.run(100_000)
    while pieces.now < 100_000:
        pieces.run(min(pieces.now + 13, 100_000))
    assert (whole.now, whole.instructions, whole.register(7)) == (
        pieces.now, pieces.instructions, pieces.register(7))  # fmt: skip


def test_refuses_what_it_cannot_do() -> None:
    with pytest.raises(PlatformError):
        Machine("z80")
    with pytest.raises(PlatformError):
        Machine().load_bin(b"x", 0x30000000)


def test_flash_status_through_the_ssi() -> None:
    """What a second stage asks and does before it switches to four lines."""
    ssi = 0x18000000
    m = board.idle_in_ram()
    for offset, value in ((0, 7 << 16), (0x10, 1), (0x14, 2), (8, 1)):
        m.bus_write(ssi + offset, value)

    def exchanged(*sent: int) -> list[int]:
        for byte in sent:
            m.bus_write(ssi + 0x60, byte)
        board.wait(m, 16 * len(sent))
        assert m.bus_read(ssi + 0x28) & 0xF == 0b1110 and m.bus_read(ssi + 0x24) == len(sent)
        return [m.bus_read(ssi + 0x60) for _ in sent]

    assert exchanged(0x35, 0) == [0, 0]
    exchanged(0x31, 2)  # not without 50h
    assert exchanged(0x35, 0) == [0, 0]
    exchanged(0x50)
    exchanged(0x31, 2)
    exchanged(0x31, 0)  # 50h was for one write
    assert exchanged(0x35, 0) == [0, 2]
    assert m.bus_read(ssi + 0x28) & 0xF == 0b0110


def test_striped_and_banked_ram_are_the_same_cells() -> None:
    m = board.idle_machine()
    for bank in range(4):
        m.bus_write(0x21000000 + bank * 0x10000 + 8, 0x100 + bank)
    assert [m.word(0x20000000 + 32 + 4 * bank) for bank in range(4)] == [256, 257, 258, 259]


def test_flash_aliases() -> None:
    m = board.idle_machine()
    assert m.bus_read(0x13000100) == m.bus_read(0x10000100) == 0x20041000


def test_ram_is_not_zero_after_power_on() -> None:
    assert Machine().read(0x20000000, 64) != bytes(64)


def test_a_timer_let_go_counts_from_there() -> None:
    m = board.board()
    board.wait(m, 300 * board.US)
    assert m.bus_read(TIMER + 0x28) >= 300
    m.bus_write(RESETS, 1 << 21)
    board.wait(m, 200 * board.US)
    m.bus_write(RESETS, 0)
    board.wait(m, 50 * board.US)
    assert 49 <= m.bus_read(TIMER + 0x28) <= 51
