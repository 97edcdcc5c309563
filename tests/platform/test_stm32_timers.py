"""STM32F051: timers: counting, compare interrupts to the cycle, preload, PWM."""

from __future__ import annotations

import itertools

import bare_stm32 as board
import pytest
from bare_stm32 import ENTRY, TIM1, TIM2, TIM3, TIM6, TIM14, TIM15, TIM16, TIM17, US

CR1, DIER, SR, EGR, CCMR1, CCER = 0x00, 0x0C, 0x10, 0x14, 0x18, 0x20
CNT, PSC, ARR, CCR1, BDTR = 0x24, 0x28, 0x2C, 0x34, 0x44


def microseconds(m, base: int = TIM2) -> None:
    m.bus_write(base + PSC, US - 1)
    m.bus_write(base + EGR, 1)
    m.bus_write(base + SR, 0)
    m.bus_write(base + CR1, 1)


def test_counts_microseconds() -> None:
    m = board.board()
    microseconds(m)
    begin = m.now
    board.wait(m, 12_345 * US + 7)
    assert m.bus_read(TIM2 + CNT) == (m.now - begin) // US
    assert m.clock_us() == pytest.approx((m.now - begin) / US)


def test_goes_on_over_the_wrap() -> None:
    m = board.board()
    microseconds(m)
    m.bus_write(TIM2 + CNT, 0xFFFFFFF0)
    board.wait(m, 32 * US)
    assert m.bus_read(TIM2 + CNT) == 16 and m.bus_read(TIM2 + SR) & 1
    assert m.clock_us() == pytest.approx(2**32 + 16, abs=0.2)


@pytest.mark.parametrize("channel", range(4))
def test_compare_to_the_cycle(channel: int) -> None:
    m = board.board()
    microseconds(m)
    begin = m.now
    m.bus_write(board.NVIC_ENABLE, 1 << 15)
    m.bus_write(TIM2 + DIER, 2 << channel)
    m.bus_write(TIM2 + CCR1 + 4 * channel, 1000)
    handler = board.run_to_handler(m, 2000 * US)
    assert board.active_interrupt(m) == 15
    wait = 2  # vector and handler in flash
    assert begin + 1000 * US + ENTRY + wait <= handler <= begin + 1000 * US + ENTRY + wait + 4
    assert m.bus_read(TIM2 + CNT) == 1000 and m.bus_read(TIM2 + SR) == 2 << channel
    m.bus_write(TIM2 + SR, 0xFFFF & ~(2 << channel))
    assert m.bus_read(0xE000E200) == 0 and m.bus_read(TIM2 + SR) == 0


def test_compare_with_the_present_comes_a_turn_later() -> None:
    m = board.board()
    microseconds(m, TIM3)
    m.bus_write(TIM3 + ARR, 999)
    board.wait(m, 100 * US)
    m.bus_write(TIM3 + CCR1, m.bus_read(TIM3 + CNT))
    m.bus_write(TIM3 + SR, 0)
    board.wait(m, 990 * US)
    assert m.bus_read(TIM3 + SR) & 2 == 0
    board.wait(m, 20 * US)
    assert m.bus_read(TIM3 + SR) & 2 == 2


def test_software_event() -> None:
    m = board.board()
    m.bus_write(TIM2 + DIER, 2)
    m.bus_write(TIM2 + EGR, 2)
    assert m.bus_read(TIM2 + SR) == 2 and m.bus_read(0xE000E200) == 1 << 15


PERIODS = [(TIM1, 13), (TIM2, 15), (TIM3, 16), (TIM6, 17), (TIM14, 19), (TIM15, 20), (TIM16, 21)]


@pytest.mark.parametrize("base, irq", [*PERIODS, (TIM17, 22)])
def test_update_interrupts(base: int, irq: int) -> None:
    """Every (PSC + 1) * (ARR + 1) cycles."""
    m = board.board()
    m.bus_write(base + PSC, 9)
    m.bus_write(base + ARR, 99)
    m.bus_write(base + CR1, 4)  # URS: no flag by UG
    m.bus_write(base + EGR, 1)
    assert m.bus_read(base + SR) == 0
    m.bus_write(base + DIER, 1)
    m.bus_write(base + CR1, 5)
    begin = m.now
    for k in (1, 2, 3):
        while not m.bus_read(0xE000E200) >> irq & 1:
            m.step()
        assert 0 <= m.now - begin - 1000 * k <= 4
        m.bus_write(base + SR, 0)
        m.bus_write(0xE000E280, 1 << irq)


def test_tim1_has_its_compares_on_another_line() -> None:
    m = board.board()
    m.bus_write(TIM1 + DIER, 0x1F)
    m.bus_write(TIM1 + EGR, 0x10)
    assert m.bus_read(0xE000E200) == 1 << 14


def test_one_pulse_mode_stops() -> None:
    m = board.board()
    m.bus_write(TIM3 + ARR, 99)
    m.bus_write(TIM3 + CR1, 9)
    board.wait(m, 1000)
    assert m.bus_read(TIM3 + CR1) == 8 and m.bus_read(TIM3 + CNT) == 0


def test_preloaded_registers_change_with_the_update() -> None:
    m = board.board()
    m.bus_write(TIM3 + ARR, 999)
    m.bus_write(TIM3 + CR1, 0x81)
    board.wait(m, 100)
    m.bus_write(TIM3 + PSC, 4)
    m.bus_write(TIM3 + ARR, 9)
    board.wait(m, 800)
    assert 890 < m.bus_read(TIM3 + CNT) < 960
    board.wait(m, 100)
    assert m.bus_read(TIM3 + CNT) < 10
    begin = m.bus_read(TIM3 + CNT)
    board.wait(m, 10 * 5 * 7)
    assert m.bus_read(TIM3 + CNT) in (begin, (begin + 1) % 10)


def pwm(m, base: int, channel: int, period: int, high: int, mode: int = 6) -> None:
    m.bus_write(base + PSC, 47)
    m.bus_write(base + ARR, period - 1)
    m.bus_write(base + CCR1 + 4 * channel, high)
    m.bus_write(base + CCMR1 + channel // 2 * 4, (mode << 4 | 8) << channel % 2 * 8)
    m.bus_write(base + CCER, 1 << 4 * channel)
    m.bus_write(base + BDTR, 0x8000)
    m.bus_write(base + EGR, 1)
    m.bus_write(base + CR1, 0x81)


OUTPUTS = [
    (board.A + 8, 2, TIM1, 0), (board.A + 11, 2, TIM1, 3), (board.A + 1, 2, TIM2, 1),
    (board.B + 0, 1, TIM3, 2), (board.C + 9, 0, TIM3, 3), (board.A + 4, 4, TIM14, 0),
    (board.B + 1, 0, TIM14, 0), (board.A + 3, 0, TIM15, 1), (board.B + 8, 2, TIM16, 0),
    (board.B + 9, 2, TIM17, 0),
]  # fmt: skip


@pytest.mark.parametrize("pin, number, base, channel", OUTPUTS)
def test_pwm_output(pin: int, number: int, base: int, channel: int) -> None:
    m = board.board()
    board.function(m, pin, number)
    pwm(m, base, channel, 1000, 250)
    assert m.pin_pwm(pin) == (1000.0, 0.25)
    m.log_pin(pin)
    begin = m.now
    board.wait(m, 3000 * US)
    edges = [(cycle - begin, level) for cycle, _, level in m.pin_edges()]
    ticks = [(250, 0), (1000, 1), (1250, 0), (2000, 1), (2250, 0), (3000, 1)]
    assert len(edges) >= 5 and all(level == want for (_, level), (_, want) in zip(edges, ticks))  # noqa: B905
    for (cycle, _), (tick, _) in zip(edges, ticks):  # noqa: B905
        assert abs(cycle - tick * US) <= US
    gaps = {b - a for (a, _), (b, _) in itertools.pairwise(edges)}
    assert gaps == {250 * US, 750 * US}


def test_pwm_ends_and_inversion() -> None:
    m = board.board()
    board.function(m, board.A + 6, 1)
    for high, mode, polarity, duty in [(0, 6, 0, 0), (100, 6, 0, 1), (30, 7, 0, 0.7),
                                       (30, 6, 2, 0.7), (200, 6, 0, 1)]:  # fmt: skip
        pwm(m, TIM3, 0, 100, high, mode)
        m.bus_write(TIM3 + CCER, 1 | polarity)
        assert m.pin_pwm(6) == (10_000.0, pytest.approx(duty))
    m.bus_write(TIM3 + CCER, 0)
    assert m.pin_pwm(6) is None and not m.pin_is_output(6)


def test_pwm_width_changes_at_the_period() -> None:
    m = board.board()
    board.function(m, board.A + 6, 1)
    pwm(m, TIM3, 0, 100, 20)
    m.log_pin(6)
    board.wait(m, 50 * US)
    m.bus_write(TIM3 + CCR1, 80)
    board.wait(m, 200 * US)
    cycles = [cycle for cycle, _, _ in m.pin_edges()]
    gaps = [(b - a) // US for a, b in itertools.pairwise(cycles)]
    assert gaps[:2] == [80, 80]


def test_complementary_output_needs_moe() -> None:
    m = board.board()
    board.function(m, board.B + 13, 2)
    pwm(m, TIM1, 0, 100, 25)
    m.bus_write(TIM1 + CCER, 5)
    assert m.pin_pwm(board.B + 13) == (10_000.0, 0.75)
    m.bus_write(TIM1 + BDTR, 0)
    assert m.pin_pwm(board.B + 13) is None


def test_counting_down_and_capture_are_reported() -> None:
    m = board.board()
    m.bus_write(TIM3 + CR1, 0x10)
    m.bus_write(TIM3 + CCMR1, 1)
    m.bus_write(TIM3 + DIER, 0x100)
    names = [line.split("+")[0] for line in m.unimplemented()]
    assert names == ["TIM (counting down, centre-aligned)", "TIM3", "TIM3"]
