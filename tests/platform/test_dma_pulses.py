"""DMA paced by events: wraps of PWM and its own timers; and that its times are its own."""

from __future__ import annotations

import struct
from fractions import Fraction
from itertools import pairwise
from math import ceil

import bare_board as board
import bare_dma as dma
import bare_pio as pio
import pytest
from bare_dma import FROM, START, TO, WORDS, loaded, strip


@pytest.mark.parametrize("n, x, y", [(0, 1, 10), (1, 2, 7), (2, 1000, 65535), (3, 1, 1)])
def test_a_timer_gives_x_requests_in_y_cycles(n: int, x: int, y: int) -> None:
    d = loaded()
    d.stored(TO)
    d.write(dma.TIMER0 + 4 * n, x << 16 | y)
    assert d.read(dma.TIMER0 + 4 * n) == x << 16 | y
    start = d.start(0, FROM, TO, 12, dma.control(0, flags=dma.INCR_READ, treq=dma.TIMERS + n))
    d.wait(12 * y // x + 20)
    pulses = [ceil(k * Fraction(y, x)) for k in range(1, 13)]
    assert d.times(start) == [START + pulse for pulse in pulses]


def test_timers_run_on_and_none_is_none() -> None:
    d = loaded()
    d.stored(TO)
    d.write(dma.TIMER0, 1 << 16 | 100)
    begin = d.m.now
    d.wait(150)
    d.start(0, FROM, TO, 2, dma.control(0, treq=dma.TIMERS, flags=0))
    d.start(1, FROM, TO, 2, dma.control(1, treq=dma.TIMERS + 1, flags=0))
    d.wait(500)
    assert d.times(begin) == [200 + START, 300 + START] and d.busy(1)
    d.write(dma.TIMER0, 2 << 16 | 1)
    assert "faster than the clock" in d.m.unimplemented()[-1]


@pytest.mark.parametrize("n, top, divider", [(0, 99, 1.0), (5, 249, 2.5)])
def test_a_wrap_of_pwm_is_a_request(n: int, top: int, divider: float) -> None:
    d = loaded()
    d.stored(TO)
    base = board.PWM + 0x14 * n
    d.m.bus_write(base + 0x10, top)
    d.m.bus_write(base + 4, int(divider * 16))
    d.m.bus_write(base, 1)
    begin = d.m.now
    d.wait(int((top + 1) * divider * 3.5))  # three wraps that nothing waits for
    d.start(0, FROM, TO, 5, dma.control(0, flags=0, treq=dma.PWM_WRAP + n))
    d.wait(int((top + 1) * divider * 6))
    wraps = [ceil((top + 1) * divider * k) for k in range(4, 9)]
    assert d.times(begin) == [wrap + START for wrap in wraps]


def test_up_to_63_requests_wait() -> None:
    d = loaded()
    d.stored(TO)
    d.write(dma.TIMER0, 1 << 16 | 2)
    d.start(0, FROM, TO, 200, dma.control(0, treq=dma.TIMERS, flags=0))
    d.wait(START + 1)
    d.put(0, dma.CTRL, dma.control(0, treq=dma.TIMERS, flags=0, on=0))
    d.wait(1000)
    d.m.stores()
    d.put(0, dma.CTRL, dma.control(0, treq=dma.TIMERS, flags=0))
    on = d.m.now
    d.wait(400)
    times = d.times(on)
    fast = sum(1 for n, at in enumerate(times) if at - times[0] == n)
    assert fast - fast // 2 == 63, "those that waited and those that came meanwhile, one a cycle"


def test_a_pulse_from_before_the_trigger_starts_nothing() -> None:
    for late in range(1, 10):
        d = loaded()
        d.stored(TO)
        d.write(dma.TIMER0, 1 << 16 | 10)
        begin = d.m.now
        d.wait(10 + late)
        d.start(0, FROM, TO, 1, dma.control(0, treq=dma.TIMERS))
        d.wait(50)
        assert d.times(begin) == [20 + START], late


def test_what_it_moves_comes_at_its_cycle_whatever_the_cpu_does() -> None:
    """Beside a CPU that sleeps, and ones that execute instructions of two and more cycles: a pin
    that a machine sets in the cycle after the next one to the word's."""
    pulses = [ceil(Fraction(1000 * k, 3)) + START for k in range(1, 33)]
    changes = pairwise([0, *(word & 1 for word in WORDS[:32])])
    expected = [(at + 2, new) for at, (old, new) in zip(pulses, changes, strict=True) if old != new]
    for loop in (None, 0xE7FE, 0x4770):  # b .; bx lr, to itself
        d = loaded(board.board() if loop else None)
        if loop:
            d.m.write(board.LOOP, struct.pack("<H", loop))
            d.m.set_register(15, board.LOOP)
            d.m.set_register(14, board.LOOP | 1)
        block = strip(d, 0)
        block.load([pio.pull(), pio.out(pio.PINS, 1)])
        block.set_up(0, pio.pins(out_base=9, out_count=1), pio.execution((0, 1)))
        block.enable(0)
        d.wait(100)
        d.write(dma.TIMER0, 3 << 16 | 1000)
        begin = d.m.now
        d.start(0, FROM, pio.PIO0 + pio.TXF, 32,
                dma.control(0, flags=dma.INCR_READ, treq=dma.TIMERS))  # fmt: skip
        d.wait(32 * 340)
        edges = [(cycle - begin, level) for cycle, _, level in d.m.pin_edges()]
        assert [edge for edge in edges if edge[0] > 0] == expected
