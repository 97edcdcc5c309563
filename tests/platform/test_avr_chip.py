"""AVR: ports, external interrupts, sleep, watchdog, faults, what is not modelled."""

from __future__ import annotations

from pathlib import Path

import bare_avr as r
import pytest
from avr_board import assembled, ram, run_to
from bare_avr import bare
from takt.machine.avr import DATA, AvrMachine

END = "end: rjmp end"


def test_what_is_written_is_read_back_after_a_nop(tmp_path: Path) -> None:
    source = f"""
_start:
    ldi r16, 0x20
    out IO(DDRB), r16
    nop
    out IO(PORTB), r16
    in r20, IO(PINB)
    in r21, IO(PINB)
    {END}
"""
    m = assembled(tmp_path, source)
    run_to(m, "end")
    assert (m.register(20), m.register(21)) == (0, 0x20)


def test_one_bit_is_set_cleared_toggled(tmp_path: Path) -> None:
    """SBI to PIN toggles that one only, to a register of flags it clears that one only."""
    source = f"""
_start:
    ldi r16, 0x0f
    out IO(DDRB), r16
    out IO(PORTB), r16
    sbi IO(PINB), 1
    cbi IO(PORTB), 3
    put MEM(TCCR0B), 1
    .rept 300
    nop
    .endr
    sbi IO(TIFR0), 1
    {END}
"""
    m = assembled(tmp_path, source)
    run_to(m, "end")
    assert ram(m, r.PORTB) == b"\x05"
    assert ram(m, r.TIFR0) == b"\x05"


def test_edges_are_exact(tmp_path: Path) -> None:
    """OUT at the end of its cycle, STS and SBI of their second."""
    source = f"""
_start:
    ldi r16, 0x20
    out IO(DDRB), r16
first:
    out IO(PORTB), r16
    cbi IO(PORTB), 5
    sts MEM(PORTB), r16
    {END}
"""
    m = assembled(tmp_path, source)
    m.log_pin(13)
    first = run_to(m, "first")
    m.run(100)
    assert m.pin_edges() == [(first + 1, 13, 1), (first + 3, 13, 0), (first + 5, 13, 1)]


def test_pull_ups() -> None:
    m = bare()
    assert m.pin_level(26) == 0
    m.put(r.PORTD, 4)
    assert m.pin_level(26) == 1
    m.put(0x55, 0x10)  # PUD
    assert m.pin_level(26) == 0


@pytest.mark.parametrize(
    "sense, level, flag", [(1, 1, 1), (2, 1, 0), (2, 0, 1), (3, 1, 1), (3, 0, 0)]
)
def test_senses_of_int0(sense: int, level: int, flag: int) -> None:
    m = bare()
    m.pin_drive(26, 1 - level)
    m.put(0x69, sense)
    m.put(0x3C, 3)
    m.pin_drive(26, level)
    assert m.get(0x3C) == flag


def test_a_low_level_asks_as_long_as_it_lasts(tmp_path: Path) -> None:
    source = "_start: put MEM(EIMSK), 1\nsei\nloop: rjmp loop\nisr: inc r20\nreti"
    m = assembled(tmp_path, source, INT0="isr")
    m.pin_drive(26, 1)
    m.run(100)
    m.pin_drive(26, 0)
    m.run(200)
    m.pin_drive(26, 1)
    m.run(220)
    count = m.register(20)
    m.run(400)
    assert 5 < count < 9 and m.register(20) == count


def test_pin_changes_by_group() -> None:
    m = bare()
    m.put(0x6D, 0x80)  # PCINT23, PD7
    m.put(0x6B, 0x01)  # PCINT0, PB0
    m.pin_drive(30, 1)
    assert m.get(0x3B) == 0
    m.pin_drive(31, 1)
    assert m.get(0x3B) == 4
    m.pin_drive(8, 1)
    assert m.get(0x3B) == 5


def test_a_wave_that_interrupts_and_one_nobody_hears(tmp_path: Path) -> None:
    source = (
        "_start: put MEM(EICRA), 1\nput MEM(EIMSK), 1\nsei\nloop: rjmp loop\nisr: inc r20\nreti"
    )
    m = assembled(tmp_path, source, INT0="isr")
    m.pin_wave(26, 1000, 500, 50_000)
    m.pin_wave(27, 2, 500)
    m.run(100_000)
    assert m.register(20) == 50 and m.pin_wave_edges(26) == 50
    assert m.pin_wave_edges(27) == (100_000 - 500) // 2 + 1


def test_power_down_wakes_by_a_pin_and_its_timers_stood_still(tmp_path: Path) -> None:
    source = """
_start:
    put MEM(PCICR), 4
    put MEM(PCMSK2), 4
    put MEM(TCCR1B), 1
    put MEM(SMCR), 5
    sei
    sleep
    lds r20, MEM(TCNT1L)
    lds r21, MEM(TCNT1H)
end: rjmp end
isr: reti
"""
    m = assembled(tmp_path, source, PCINT2="isr")
    m.pin_drive(26, 1, at=50_000)
    assert run_to(m, "isr") == 50_000 + 16384 + 4 + 4 + 3
    run_to(m, "end")
    assert m.register(20) | m.register(21) << 8 < 30


@pytest.mark.parametrize(
    "before, mode", [("sei", 5), ("put MEM(TIMSK0), 1\nput MEM(TCCR0B), 1", 1), ("sei", 1)]
)
def test_sleep_that_cannot_end(tmp_path: Path, before: str, mode: int) -> None:
    m = assembled(tmp_path, f"_start: {before}\nput MEM(SMCR), {mode}\nsleep\n{END}")
    stop = m.run(100_000)
    assert stop.reason == "halt" and "nothing that can wake it" in stop.detail


def test_sleep_without_permission_is_none(tmp_path: Path) -> None:
    m = assembled(tmp_path, f"_start: sleep\n{END}")
    assert run_to(m, "end") == 4


@pytest.mark.parametrize(
    "code, word",
    [
        ("ldi r16, 0\nout IO(SPH), r16\nldi r16, 0xff\nout IO(SPL), r16\nrcall end", "stack"),
        ("ldi r16, 0x10\nsts 0x900, r16", "beyond the RAM"),
        ("lds r16, 0xffff", "beyond the RAM"),
        ("ldi r31, 0x50\nijmp", "beyond the flash"),
        (".word 0x0001", "no such instruction"),
    ],
)
def test_faults(tmp_path: Path, code: str, word: str) -> None:
    m = assembled(tmp_path, f"_start: {code}\n{END}")
    stop = m.run(1000)
    assert stop.reason == "fault" and word in stop.detail
    assert m.run(2000).reason == "fault"
    m.reset()
    assert m.fault() is None


def test_a_stack_in_the_registers_at_an_interrupt(tmp_path: Path) -> None:
    source = f"""
_start:
    put MEM(EIMSK), 1
    ldi r16, 0
    out IO(SPH), r16
    ldi r16, 0xff
    out IO(SPL), r16
    sei
    {END}
"""
    m = assembled(tmp_path, source)
    stop = m.run(1000)
    assert stop.reason == "fault" and "stack" in stop.detail


def test_what_is_not_modelled_is_said(tmp_path: Path) -> None:
    m = assembled(tmp_path, f"_start: lds r16, 0x66\nsts 0xc7, r16\nsts MEM(TCCR0B), r16\n{END}")
    m.run(100)
    said = m.unimplemented()
    assert any("0x66 read" in line for line in said)
    assert any("0xc7 write" in line for line in said)


def test_the_watchdog(tmp_path: Path) -> None:
    """16 ms; WDR holds it off."""
    source = f"""
_start:
    put MEM(WDTCSR), 0x18
    put MEM(WDTCSR), 0x08
again:
    wdr
    inc r20
    brne again
last: wdr
    {END}
"""
    m = assembled(tmp_path, source)
    last = run_to(m, "last")
    stop = m.run(1_000_000)
    assert stop.reason == "fault"
    assert stop.detail == f"the watchdog reset the chip: not fed since {(last + 1) / 16e6:.6f} s"
    assert stop.cycle == pytest.approx(last + 256_000, abs=2)


def test_after_its_reset_the_watchdog_is_on(tmp_path: Path) -> None:
    """With 16 ms, and cannot be turned off before WDRF is cleared."""
    source = f"""
_start:
    in r20, IO(MCUSR)
    sbrs r20, WDRF
    rjmp first
    put MEM(WDTCSR), 0x18
    put MEM(WDTCSR), 0x00
    lds r21, WDTCSR
    clr r17
    out IO(MCUSR), r17
    put MEM(WDTCSR), 0x18
    put MEM(WDTCSR), 0x00
    lds r22, WDTCSR
    {END}
first:
    put MEM(WDTCSR), 0x18
    put MEM(WDTCSR), 0x09
again: rjmp again
"""
    m = assembled(tmp_path, source)
    stop = m.run(1_000_000)
    assert stop.reason == "fault" and stop.cycle == pytest.approx(512_000, abs=20)
    m.reset()
    assert m.bus_read(DATA + 0x60) == 8  # WDTCSR
    run_to(m, "end")
    assert [m.register(n) for n in (20, 21, 22)] == [9, 8, 0]
    assert m.run(m.now + 1_000_000).reason == "time"


def test_two_runs_are_the_same() -> None:
    def life() -> tuple[list[tuple[int, int, int]], bytes]:
        m = bare()
        m.log_pin(30)
        m.put(r.DDRD, 0x40)
        m.put(r.OCR0A, 33)
        m.put(r.TCCR0A, 0x83)
        m.put(r.TCCR0B, 1)
        m.pin_wave(26, (50, 500), 10, seed=7)
        m.wait(20_000)
        return m.pin_edges(), m.read(0x800100, 0x800)

    assert life() == life()


def test_many_machines_at_once() -> None:
    machines = [AvrMachine("atmega328p"), AvrMachine("atmega324p", 8_000_000)] * 3
    assert [m.hz for m in machines] == [16_000_000, 8_000_000] * 3
    del machines


def test_the_324p_has_its_own_pins(tmp_path: Path) -> None:
    source = """
_start:
    put MEM(EICRA), 0x30
    put MEM(EIMSK), 4
    sei
loop: rjmp loop
isr: rjmp isr
"""
    m = assembled(tmp_path, source, "atmega324p", 8_000_000, INT2="isr")
    m.pin_drive(10, 1, at=100)
    assert run_to(m, "isr") in (107, 108)


def test_stops(tmp_path: Path) -> None:
    """At a watched pin, when a byte has been sent, at a time; a store ends its instruction."""
    source = f"""
_start:
    put MEM(UBRR0L), 0
    put MEM(UCSR0B), 8
    put MEM(DDRB), 0x20
    put MEM(UDR0), 65
    sbi IO(PORTB), 5
    {END}
"""
    m = assembled(tmp_path, source)
    m.watch_pin(13)
    m.watch_uart(0)
    stop = m.run(1000)
    at = 3 + 4 * 3 + 2  # jmp, four times ldi and sts, sbi
    assert (stop.reason, stop.cycle, stop.detail) == ("pin", at, (13, 1))
    stop = m.run(1000)
    assert (stop.reason, stop.cycle, stop.detail) == ("uart", at - 2 + 160, (0, 65))
    assert m.run(1000).reason == "time" and 1000 <= m.now <= 1001


def test_the_clock_prescaler() -> None:
    m = bare()
    m.put(0x61, 3)  # not without CLKPCE
    assert m.hz == 16_000_000
    m.put(0x61, 0x80)
    m.put(0x61, 3)
    assert m.hz == 2_000_000
