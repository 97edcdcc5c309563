"""The pico's flash behind its cache: what a word takes, and which words wait, against a cache of
dictionaries."""

from __future__ import annotations

import random

import pytest
from takt.machine.machine import Machine

SSI, XIP = 0x18000000, 0x14000000
CTRLR0, SSIENR, SER, BAUDR, DR0, SPI_CTRLR0 = (
    SSI + n for n in (0x00, 0x08, 0x10, 0x14, 0x60, 0xF4)
)
CTRL, FLUSH, HITS, ACCESSES = (XIP + n for n in (0x00, 0x04, 0x0C, 0x10))
OVERHEAD, LOAD = 8, 2  # cycles: the controller's; of a load that does not wait
FOUR, TWO = 20 * 2 + OVERHEAD, 56 * 2 + OVERHEAD

# Loads a word from each address in a list, up to 0.
LOADS = """
_start:
    ldr r0, =0x20000001
    bx r0
    .pool
    .section .ramcode, "ax"
    ldr r4, =0x20010000
next:
    ldm r4!, {r0}
    cmp r0, #0
    beq done
load:
    ldr r1, [r0]
loaded:
    b next
done:
    b done
    .pool
"""
CODE = """
_start:
    ldr r0, =0x20000001
    bx r0
    .pool
    .balign 64
sequence:
    .rept 16
    nop
    .endr
    bx lr
    .section .ramcode, "ax"
    ldr r0, =sequence + 1
first:
    blx r0
second:
    blx r0
third:
    nop
    b .
    .pool
"""


def two_lines(m: Machine) -> None:
    for at, value in ((SSIENR, 0), (SER, 1), (BAUDR, 2), (CTRLR0, 0x3F0300)):
        m.bus_write(at, value)
    m.bus_write(SPI_CTRLR0, 0x3B << 24 | 8 << 11 | 2 << 8 | 6 << 2)
    m.bus_write(SSIENR, 1)


def _send(m: Machine, *sent: int) -> None:
    """A command: the flash is selected anew when the controller is."""
    m.bus_write(SSIENR, 0)
    m.bus_write(SSIENR, 1)
    for byte in sent:
        m.bus_write(DR0, byte)


def four_lines(m: Machine, mode: int = 0xA0) -> None:
    """mode: what follows the address; A0h: no command comes next."""
    for at, value in ((SSIENR, 0), (SER, 1), (BAUDR, 2), (CTRLR0, 7 << 16)):
        m.bus_write(at, value)
    _send(m, 0x50)
    _send(m, 0x31, 2)
    for at, value in ((SSIENR, 0), (CTRLR0, 0x5F0300)):
        m.bus_write(at, value)
    m.bus_write(SPI_CTRLR0, 4 << 11 | 2 << 8 | 8 << 2 | 1)
    _send(m, 0xEB, mode)
    m.bus_write(SSIENR, 0)
    m.bus_write(SPI_CTRLR0, 0xA0 << 24 | 4 << 11 | 8 << 2 | 2)
    m.bus_write(SSIENR, 1)


def waits(assemble, set_up, addresses: list[int]) -> tuple[Machine, list[int]]:
    """Of each load, in cycles."""
    firmware = assemble(LOADS)
    m = firmware.machine
    set_up(m)
    m.write(0x20010000, b"".join(a.to_bytes(4, "little") for a in [*addresses, 0]))
    firmware.run_to("load")
    for counter in (FLUSH, HITS, ACCESSES):
        m.bus_write(counter, 1)
    found = []
    for place in addresses:
        if found:
            firmware.run_to("load")
        before = m.now
        m.step()
        assert m.register(1) == m.word(place), hex(place)
        found.append(m.now - before - LOAD)
    return m, found


@pytest.mark.parametrize(("set_up", "missed"), [(two_lines, TWO), (four_lines, FOUR)])
def test_a_word_that_is_not_there(assemble, set_up, missed: int) -> None:
    """Four lines, 125 MHz, the load's own cycles: the 400 ns that others have measured."""
    _, found = waits(assemble, set_up, [0x10004000, 0x10004000, 0x10004004, 0x10004000])
    assert found == [missed, 0, missed, 0]
    assert FOUR + LOAD == 400 * 125 // 1000


def test_flash_that_nobody_has_set_up_does_not_wait(assemble) -> None:
    _, found = waits(assemble, lambda m: None, [0x10004000, 0x10004004])
    assert found == [0, 0]


def expected(addresses: list[int], missed: int) -> list[int]:
    """Two ways, the one used less recently goes; halves of lines come one by one."""
    sets: dict[int, dict[int, set[int]]] = {}  # the lines of a set, used last is last
    found = []
    for address in addresses:
        kind, offset = address >> 24 & 3, address & 0xFFFFFF
        lines = sets.setdefault(offset // 8 % 1024, {})
        tag, half = offset // 8 // 1024, offset // 4 % 2
        if kind in (0, 1) and half in lines.get(tag, ()):
            found.append(0)
            lines[tag] = lines.pop(tag)
            continue
        found.append(missed)
        if kind in (0, 2):
            if tag not in lines and len(lines) == 2:
                del lines[next(iter(lines))]
            lines[tag] = lines.pop(tag, set()) | {half}
    return found


@pytest.mark.parametrize("seed", range(4))
def test_which_words_wait(assemble, seed: int) -> None:
    source = random.Random(seed)
    lines = [source.randrange(0x1000) * 0x2000 % 0x1FE000 + 0x2000 for _ in range(5)]
    addresses = [
        (0x10 + source.choice((0, 0, 0, 0, 1, 2, 3)) << 24)
        + source.choice(lines)
        + source.choice((0, 4, 8))
        for _ in range(600)
    ]
    _, found = waits(assemble, four_lines, addresses)
    wanted = expected(addresses, FOUR)
    assert 100 < wanted.count(0) < 500
    assert found == wanted


def test_counters_and_the_switch(assemble) -> None:
    def off(m: Machine) -> None:
        four_lines(m)
        m.bus_write(CTRL, 2)

    again = [0x10004000, 0x10004000, 0x10004000]
    m, _ = waits(assemble, four_lines, again)
    assert (m.bus_read(ACCESSES), m.bus_read(HITS)) == (3, 2)
    _, found = waits(assemble, off, again)
    assert found == [FOUR, FOUR, FOUR]


def test_code_waits_for_each_word_once_and_for_the_one_behind(assemble) -> None:
    firmware = assemble(CODE)
    four_lines(firmware.machine)
    warm = 2 + 16 + 2  # call, instructions, return
    first, second, third = (firmware.run_to(name) for name in ("first", "second", "third"))
    assert third - second == warm
    assert second - first == warm + 9 * FOUR  # 8 words of nop, and that of bx


def test_a_flash_that_expects_a_command_is_told(assemble) -> None:
    firmware = assemble(LOADS)
    four_lines(firmware.machine, mode=0)
    assert "it expects one" in (firmware.machine.fault() or "")
