"""STM32F051: ADC."""

from __future__ import annotations

import bare_stm32 as board
import pytest
from bare_stm32 import ADC, ANALOG

ISR, IER, CR, CFGR1, CFGR2, SMPR, CHSELR, DR, CCR = (0, 4, 8, 12, 16, 20, 0x28, 0x40, 0x308)
READY, EOC, EOSEQ, OVR = 1, 4, 8, 16
CONVERSION = 14 * 48 / 14  # cycles: 1.5 + 12.5 clocks of 14 MHz


def enabled(cfgr1: int = 0):
    m = board.board()
    m.bus_write(ADC + CR, 1 << 31)
    assert m.bus_read(ADC + CR) >> 31
    board.wait(m, 83 * 48 // 14 + 5)
    assert m.bus_read(ADC + CR) == 0
    m.bus_write(ADC + CFGR1, cfgr1)
    m.bus_write(ADC + CR, 1)
    board.wait(m, 100)
    assert m.bus_read(ADC + ISR) == READY
    return m


def convert(m, channel: int) -> int:
    m.bus_write(ADC + CHSELR, 1 << channel)
    m.bus_write(ADC + CR, 4)
    board.wait(m, 60)
    assert m.bus_read(ADC + ISR) & (EOC | EOSEQ) == EOC | EOSEQ
    m.bus_write(ADC + ISR, EOSEQ)
    return m.bus_read(ADC + DR)


PINS = {0: 0, 7: 7, 8: 16, 9: 17, 10: 32, 15: 37}


@pytest.mark.parametrize("channel, pin", PINS.items())
def test_channels(channel: int, pin: int) -> None:
    m = enabled()
    board.mode(m, pin, ANALOG)
    m.adc_set(channel, 1.65)
    assert convert(m, channel) == 2048
    m.adc_set(channel, 4.0)
    assert convert(m, channel) == 4095 and m.unimplemented() == []


def test_time_of_a_conversion() -> None:
    m = enabled()
    board.mode(m, 0, ANALOG)
    m.bus_write(ADC + CHSELR, 1)
    begin = m.now
    m.bus_write(ADC + CR, 4)
    while not m.bus_read(ADC + ISR) & EOC:
        m.step()
    assert 0 <= m.now - begin - CONVERSION <= 4
    m.bus_write(ADC + SMPR, 7)
    begin = m.now
    m.bus_write(ADC + CR, 4)
    m.bus_read(ADC + DR)
    while not m.bus_read(ADC + ISR) & EOC:
        m.step()
    assert 0 <= m.now - begin - 252 * 48 / 14 <= 4


@pytest.mark.parametrize("cfgr1, code", [(0, 3103), (8, 775), (0x10, 193), (0x18, 48),
                                         (0x20, 3103 << 4), (0x30, 193 << 8)])  # fmt: skip
def test_resolution_and_alignment(cfgr1: int, code: int) -> None:
    m = enabled(cfgr1)
    board.mode(m, 0, ANALOG)
    m.adc_set(0, 2.5)
    assert convert(m, 0) == code


def test_sequence_forward_and_backward() -> None:
    for cfgr1, order in ((0, [1, 3, 5]), (4, [5, 3, 1])):
        m = enabled(cfgr1 | 0x4000)  # each waits until the one before is read
        for channel in (1, 3, 5):
            board.mode(m, channel, ANALOG)
            m.adc_set(channel, channel * 3.3 / 8)
        m.bus_write(ADC + CHSELR, 0b101010)
        m.bus_write(ADC + CR, 4)
        found = []
        for _ in range(3):
            board.wait(m, 200)
            found.append(m.bus_read(ADC + DR) * 8 // 4096)
        assert found == order and m.bus_read(ADC + ISR) & EOSEQ
        assert m.bus_read(ADC + CR) == 1


def test_overrun_keeps_the_first_and_stop() -> None:
    m = enabled(0x2000)
    board.mode(m, 0, ANALOG)
    m.adc_set(0, 1.0)
    m.bus_write(ADC + CHSELR, 1)
    m.bus_write(ADC + CR, 4)
    board.wait(m, 60)
    m.adc_set(0, 2.0)
    board.wait(m, 200)
    assert m.bus_read(ADC + ISR) & OVR and m.bus_read(ADC + DR) == 1241
    m.bus_write(ADC + CR, 16)
    assert m.bus_read(ADC + CR) == 1
    m.bus_write(ADC + ISR, 0x1F)
    board.wait(m, 200)
    assert m.bus_read(ADC + ISR) == 0


def test_interrupt() -> None:
    m = enabled()
    board.mode(m, 0, ANALOG)
    m.bus_write(board.NVIC_ENABLE, 1 << 12)
    m.bus_write(ADC + IER, EOC)
    m.bus_write(ADC + CHSELR, 1)
    m.bus_write(ADC + CR, 4)
    board.run_to_handler(m, 1000)
    assert board.active_interrupt(m) == 12


def test_inner_channels() -> None:
    m = enabled()
    assert convert(m, 16) == convert(m, 17) == convert(m, 18) == 0
    m.bus_write(ADC + CCR, 0x01C00000)
    assert [convert(m, k) for k in (16, 17, 18)] == [1790, 1526, 2048]
    assert m.bus_read(0x1FFFF7B8) == 1526 << 16 | 1775


def test_misuse_is_told() -> None:
    m = board.board()
    m.bus_write(ADC + CR, 4)
    m = enabled()
    m.bus_write(ADC + CR, 1 << 31)
    convert(m, 3)
    m.bus_write(ADC + CFGR1, 1)
    lines = [line.split(" at pc")[0] for line in m.unimplemented()]
    assert lines == [
        "ADC calibration while enabled: without effect",
        "ADC input whose pin is not in analog mode",
        "ADC (DMA, triggers, watchdog, discontinuous, auto-off)+0xc write 0x1",
    ]
