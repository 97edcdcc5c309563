"""AVR: timers, their flags, compare outputs and PWM. A register written in cycle w takes effect at
w + 1; a flag is set with the tick that leaves the value compared with."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import bare_avr as r
import pytest
from avr_board import assembled, run_to
from bare_avr import bare

OC0A, OC0B, OC1A, OC2A = 30, 29, 9, 11  # pins of the 328P


def distances(m: r.Bare, pin: int) -> list[int]:
    """Cycles between edges, the first ones left out."""
    edges = [cycle for cycle, which, _ in m.pin_edges() if which == pin]
    return [b - a for a, b in pairwise(edges[2:])]


def test_counting_as_a_program_sees_it(tmp_path: Path) -> None:
    """OUT ends its cycle with the write; IN, one later, still reads 0, and so on by the table."""
    source = """
_start:
    ldi r16, 1
    out IO(TCCR0B), r16
    in r20, IO(TCNT0)
    in r21, IO(TCNT0)
    nop
    in r22, IO(TCNT0)
    lds r23, MEM(TCNT0)
    in r24, IO(TCNT0)
    ldi r16, 100
    out IO(TCNT0), r16
    in r25, IO(TCNT0)
    in r26, IO(TCNT0)
end: rjmp end
"""
    m = assembled(tmp_path, source)
    run_to(m, "end")
    first = m.register(20)
    seen = [m.register(n) - first for n in range(20, 25)]
    assert seen == [0, 1, 3, 5, 6]  # LDS reads in its second cycle
    assert (m.register(25), m.register(26)) == (100, 101)


@pytest.mark.parametrize("bits, cycles", [(1, 1), (2, 8), (3, 64), (4, 256), (5, 1024)])
def test_prescalers(bits: int, cycles: int) -> None:
    m = bare()
    m.put(r.TCCR1B, bits)
    m.wait(100 * cycles)
    a, at = m.get16(r.TCNT1L), m.now
    m.wait(50 * cycles)
    assert m.get16(r.TCNT1L) - a == (m.now // cycles) - (at // cycles)


def test_alarm_of_a_free_running_timer(tmp_path: Path) -> None:
    """Started in cycle w, at 1: 1 in w + 2; 200 is left in w + 1 + 201. NOPs: no wait."""
    source = """
_start:
    put MEM(TIMSK1), 2
    put MEM(OCR1AH), 0
    put MEM(OCR1AL), 200
    ldi r16, 1
    sei
start:
    sts MEM(TCCR1B), r16
    .rept 400
    nop
    .endr
isr: reti
"""
    m = assembled(tmp_path, source, TIMER1_COMPA="isr")
    w = run_to(m, "start") + 1  # STS writes in its second cycle
    assert run_to(m, "isr") == w + 1 + 201 + 4 + 3


def test_enabling_an_interrupt_whose_flag_is_set(tmp_path: Path) -> None:
    source = """
_start:
    put MEM(TCCR0B), 1
    sei
    .rept 300
    nop
    .endr
on: ldi r16, 1
    sts MEM(TIMSK0), r16
    nop
    nop
isr: rjmp isr
"""
    m = assembled(tmp_path, source, TIMER0_OVF="isr")
    on = run_to(m, "on")
    assert run_to(m, "isr") == on + 3 + 4 + 3


def test_flags_are_cleared_by_ones_and_by_the_interrupt() -> None:
    m = bare()
    m.put(r.OCR0A, 10)
    m.put(r.TCCR0B, 1)
    m.wait(300)
    assert m.get(r.TIFR0) == 7
    m.put(r.TIFR0, 2)
    assert m.get(r.TIFR0) == 5


def test_a_16_bit_access_goes_through_temp() -> None:
    m = bare()
    m.put16(r.TCNT1L, 0x12FF)
    m.put(r.TCCR1B, 1)
    m.wait(2)
    low = m.get(r.TCNT1L)
    m.wait(300)  # the high byte is that of the moment when the low one was read
    assert m.get(r.TCNT1H) == (0x13 if low < 0x80 else 0x12)


def test_a_compare_value_behind_the_counter_waits_a_turn() -> None:
    m = bare()
    m.put(r.TCCR0B, 1)
    m.wait(100)
    m.put(r.TIFR0, 7)
    m.put(r.OCR0A, 20)
    m.wait(100)
    assert m.get(r.TIFR0) & 2 == 0
    m.wait(120)
    assert m.get(r.TIFR0) & 2


def test_ctc_missed_top_goes_on_to_the_end() -> None:
    m = bare()
    m.put(r.TCCR0A, 2)
    m.put(r.OCR0A, 99)
    m.put(r.TCCR0B, 1)
    m.wait(250)
    assert m.get(r.TIFR0) & 3 == 2 and m.get(r.TCNT0) < 100
    m.put(r.TCNT0, 60)
    m.put(r.OCR0A, 50)
    m.wait(200)
    assert m.get(r.TIFR0) & 1


@pytest.mark.parametrize("toggle", [99, 0])
def test_a_pin_toggled_in_ctc(toggle: int) -> None:
    m = bare()
    m.log_pin(OC0A)
    m.put(r.DDRD, 1 << 6)
    m.put(r.TCCR0A, 0x42)
    m.put(r.OCR0A, toggle)
    m.put(r.TCCR0B, 2)
    m.wait(20_000)
    found = distances(m, OC0A)
    assert len(found) > 10 and set(found) == {8 * (toggle + 1)}


@pytest.mark.parametrize("wgm, period", [(3, 256), (1, 510)])
@pytest.mark.parametrize("value", [1, 77, 254])
def test_pwm_of_timer_0(wgm: int, period: int, value: int) -> None:
    m = bare()
    m.log_pin(OC0A)
    m.put(r.DDRD, 1 << 6)
    m.put(r.OCR0A, value)
    m.put(r.TCCR0A, 0x80 | wgm)
    m.put(r.TCCR0B, 2)
    m.wait(20 * 8 * 510)
    high = 8 * (value + 1 if wgm == 3 else 2 * value)
    found = distances(m, OC0A)
    assert set(found) == {high, 8 * period - high}
    frequency, duty = m.pin_pwm(OC0A)
    assert frequency == pytest.approx(2e6 / period)
    assert duty == pytest.approx(high / 8 / period)


@pytest.mark.parametrize("value, level", [(0, 0), (255, 1)])
def test_phase_correct_pwm_at_its_ends_is_steady(value: int, level: int) -> None:
    m = bare()
    m.put(r.DDRD, 1 << 6)
    m.put(r.OCR0A, value)
    m.put(r.TCCR0A, 0x81)
    m.put(r.TCCR0B, 1)
    m.wait(1000)
    m.log_pin(OC0A)
    m.wait(5000)
    assert m.pin_edges() == [] and m.pin_level(OC0A) == level


def test_a_new_duty_comes_into_use_with_the_next_period() -> None:
    m = bare()
    m.log_pin(OC0A)
    m.put(r.DDRD, 1 << 6)
    m.put(r.OCR0A, 200)
    m.put(r.TCCR0A, 0x83)
    m.put(r.TCCR0B, 1)
    m.wait(600)
    m.put(r.OCR0A, 20)  # the counter is at about 88: this period is not cut short
    m.wait(1000)
    high = [b[0] - a[0] for a, b in pairwise(m.pin_edges()) if a[2] == 1]
    assert high[:4] in ([201, 201, 201, 21], [200, 201, 201, 21])


def test_timers_1_and_2() -> None:
    m = bare()
    for pin in (OC1A, OC2A):
        m.log_pin(pin)
    m.put(r.DDRB, 0x0A)
    m.put16(r.ICR1L, 999)
    m.put16(r.OCR1AL, 249)
    m.put(r.TCCR1A, 0x82)
    m.put(r.TCCR1B, 0x19)  # fast PWM up to ICR1
    m.put(r.OCR2A, 63)
    m.put(r.TCCR2A, 0xC3)  # inverted
    m.put(r.TCCR2B, 4)  # by 64
    m.wait(200_000)
    edges = m.pin_edges()
    one = [b[0] - a[0] for a, b in pairwise([e for e in edges if e[1] == OC1A][2:])]
    two = [(a[2], b[0] - a[0]) for a, b in pairwise([e for e in edges if e[1] == OC2A][2:])]
    assert set(one) == {250, 750}
    assert set(two) == {(0, 64 * 64), (1, 192 * 64)}
    assert m.get(r.TIFR1) & 0x20  # ICF: TOP was reached


def test_an_edge_is_captured() -> None:
    m = bare()
    m.put(r.TCCR1B, 0x41)
    m.wait(1000)
    m.pin_drive(8, 1)
    count, at = m.get16(r.ICR1L), m.get16(r.TCNT1L)
    assert count == at and m.get(r.TIFR1) & 0x20


def test_nothing_is_lost_while_nobody_looks() -> None:
    """A timer nobody waits for costs nothing, and is where it would be."""
    m = bare()
    m.put(r.TCCR0A, 1)
    m.put(r.TCCR0B, 1)
    m.wait(4000)
    first, begun = m.get(r.TCNT0), m.now
    m.wait(510 * 10_000 - (m.now - begun))
    assert m.get(r.TCNT0) == first and m.get(r.TIFR0) == 7
