"""AVR: USART, ADC, SPI, TWI; times by the data sheet."""

from __future__ import annotations

from itertools import pairwise

import bare_avr as r
import pytest
from bare_avr import Bare, bare
from takt.build.platform_library import PlatformError
from takt.machine.machine import Machine

RXC, TXC, UDRE, DOR = 0x80, 0x40, 0x20, 0x08


def opened(ubrr: int = 16, status: int = 2, frame: int = 6) -> Bare:
    m = bare()
    m.put(r.UCSR0A, status)
    m.put(r.UBRR0L, ubrr)
    m.put(r.UCSR0C, frame)
    m.put(r.UCSR0B, 0x18)
    return m


@pytest.mark.parametrize(
    "ubrr, status, frame, cycles",
    [(16, 2, 6, 17 * 8 * 10), (103, 0, 6, 104 * 16 * 10), (16, 2, 0x2E, 17 * 8 * 12)],
)
def test_frames_take_their_time(ubrr: int, status: int, frame: int, cycles: int) -> None:
    m = opened(ubrr, status, frame)
    begin = m.now
    m.put(r.UDR0, 65)
    assert m.get(r.UCSR0A) & UDRE  # it is in the shift register
    m.put(r.UDR0, 66)
    assert not m.get(r.UCSR0A) & UDRE
    m.wait(2 * cycles - 2)
    assert m.get(r.UCSR0A) & (UDRE | TXC) == UDRE
    m.wait(6)
    assert m.get(r.UCSR0A) & TXC
    assert m.uart_take(0) == [(begin + 1 + cycles, 65), (begin + 1 + 2 * cycles, 66)]


def test_a_byte_too_many_is_lost_and_said() -> None:
    m = opened()
    for byte in b"abc":
        m.put(r.UDR0, byte)
    assert any("lost" in line for line in m.unimplemented())
    m.wait(10_000)
    assert bytes(byte for _, byte in m.uart_take(0)) == b"ab"


def test_two_received_bytes_wait_and_a_third_is_lost() -> None:
    m = opened()
    m.uart_send(0, b"xyz")
    m.wait(17 * 80 - 2)
    assert not m.get(r.UCSR0A) & RXC
    m.wait(4)
    assert m.get(r.UCSR0A) & RXC
    m.wait(17 * 80 * 2 + 4)
    assert m.get(r.UDR0) == ord("x")
    assert m.get(r.UCSR0A) & (RXC | DOR) == RXC | DOR
    assert m.get(r.UDR0) == ord("y")
    assert not m.get(r.UCSR0A) & (RXC | DOR)


@pytest.mark.parametrize("scale, clock", [(7, 128), (4, 16), (0, 2)])
def test_conversions(scale: int, clock: int) -> None:
    m = bare()
    m.adc_set(2, 1.25)
    m.put(r.ADMUX, 0x42)
    for clocks in (25, 13):
        begin = m.now
        m.put(r.ADCSRA, 0xD0 | scale)  # and clears the flag
        while m.get(r.ADCSRA) & 0x40:
            m.wait(2)
        assert clocks * clock <= m.now - begin <= (clocks + 1) * clock + 4
        assert m.get(r.ADCSRA) & 0x10
        assert m.get16(r.ADCL) == 256


def test_the_input_counts_when_it_is_sampled() -> None:
    m = bare()
    m.adc_set(0, 1.0)
    m.put(r.ADMUX, 0xC0)  # 1.1 V is the reference
    m.put(r.ADCSRA, 0x87)
    m.put(r.ADCSRA, 0xC7)
    m.adc_set(0, 0.55, at=m.now + 128 * 13)
    m.adc_set(0, 0.0, at=m.now + 128 * 15)
    m.wait(128 * 27)
    assert m.get16(r.ADCL) == 512
    m.put(r.ADMUX, 0xE0)  # left adjusted; nothing is converted yet
    assert m.get16(r.ADCL) == 512 << 6


def test_free_running_conversions() -> None:
    m = bare()
    m.put(r.ADMUX, 0x40)
    m.put(r.ADCSRA, 0xE2)
    m.wait(4 * (25 + 13) + 8)
    m.put(r.ADCSRA, 0xF2)
    m.adc_set(0, 5.0)
    m.wait(4 * 27)
    assert m.get(r.ADCSRA) & 0x50 == 0x50 and m.get16(r.ADCL) == 1023


class Echo:
    """Sends back what it was sent before, plus one."""

    def __init__(self, m: Machine) -> None:
        self.m, self.last, self.selected, self.times = m, 0, 0, []

    def select(self) -> None:
        self.selected += 1

    def transfer(self, byte: int, bits: int) -> int:
        assert bits == 8
        self.times.append(self.m.now)
        self.last, sent = byte, self.last + 1
        return sent

    def deselect(self) -> None:
        self.selected += 100


@pytest.mark.parametrize("control, double, divider", [(0x50, 0, 4), (0x52, 0, 64), (0x50, 1, 2)])
def test_spi(control: int, double: int, divider: int) -> None:
    m = bare()
    echo = Echo(m)
    m.spi_device(0, 8, echo)  # selected by PB0
    m.put(r.PORTB, 0x05)
    m.put(r.DDRB, 0x2D)
    m.put(r.SPSR, double)
    m.put(r.SPCR, control)
    assert m.spi_settings(0) == (16_000_000 // divider, 0, 8)
    m.put(r.PORTB, 0x04)
    received = []
    for byte in (10, 20):
        begin = m.now
        m.put(r.SPDR, byte)
        while not m.get(r.SPSR) & 0x80:
            m.wait(2)
        assert 8 * divider <= m.now - begin <= 8 * divider + 4
        received.append(m.get(r.SPDR))
        assert not m.get(r.SPSR) & 0x80
    m.put(r.PORTB, 0x05)
    assert received == [1, 11] and echo.selected == 101


def test_a_low_select_that_is_an_input_ends_being_master() -> None:
    m = bare()
    m.put(r.SPCR, 0x50)
    assert m.get(r.SPCR) == 0x40 and m.get(r.SPSR) & 0x80
    assert any("slave" in line for line in m.unimplemented())


class Memory:
    """A pointer, then bytes from there on."""

    def __init__(self) -> None:
        self.data, self.at, self.fresh, self.log = bytearray(range(256)), 0, False, []

    def start(self, read: bool) -> bool:
        self.log.append("read" if read else "write")
        self.fresh = not read
        return True

    def write(self, byte: int) -> bool:
        if self.fresh:
            self.at, self.fresh = byte, False
        else:
            self.data[self.at] = byte
            self.at += 1
        return True

    def read(self, last: bool) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def stop(self) -> None:
        self.log.append("stop")


def twi(m: Bare, control: int, limit: int = 100_000) -> int:
    """Does a step; the status."""
    m.put(r.TWCR, control | 0x84)
    begin = m.now
    while not m.get(r.TWCR) & 0x80 and m.now < begin + limit:
        m.wait(2)
    return m.get(r.TWSR) & 0xF8


def send(m: Bare, byte: int) -> int:
    m.put(r.TWDR, byte)
    return twi(m, 0)


def bus(m: Bare, stretched: int = 0) -> Memory:
    memory = Memory()
    if stretched:
        memory.stretch = lambda: stretched
    m.i2c_device(0, 0x50, memory)
    m.put(r.TWBR, 72)  # 100 kHz
    return memory


def test_twi_writes_and_reads() -> None:
    m = bare()
    memory = bus(m)
    steps = [twi(m, 0x20), send(m, 0xA0), send(m, 7), send(m, 99)]
    assert steps == [0x08, 0x18, 0x28, 0x28]
    m.put(r.TWCR, 0x94)  # STOP
    m.wait(400)
    assert memory.data[7] == 99 and memory.log == ["write", "stop"]
    assert m.get(r.TWCR) & 0x10 == 0 and m.get(r.TWSR) & 0xF8 == 0xF8
    assert [twi(m, 0x20), send(m, 0xA0), send(m, 7)] == [0x08, 0x18, 0x28]
    assert [twi(m, 0x20), send(m, 0xA1)] == [0x10, 0x40]
    assert (twi(m, 0x40), m.get(r.TWDR)) == (0x50, 99)
    assert (twi(m, 0), m.get(r.TWDR)) == (0x58, 8)
    m.put(r.TWCR, 0x94)
    m.wait(400)
    assert memory.log[-2:] == ["read", "stop"]


def test_twi_nobody_answers() -> None:
    m = bare()
    bus(m)
    assert [twi(m, 0x20), send(m, 0x42)] == [0x08, 0x20]
    m.put(r.TWCR, 0x94)
    m.wait(400)
    assert m.pin_level(20) == m.pin_level(21) == 1


def test_twi_clock() -> None:
    """16 + 2 * 72 cycles a bit, nine bits a byte."""
    m = bare()
    bus(m)
    m.log_pin(21)
    twi(m, 0x20)
    m.pin_edges()
    send(m, 0xA0)
    rises = [cycle for cycle, _, level in m.pin_edges() if level == 1]
    assert len(rises) == 9 and {b - a for a, b in pairwise(rises)} == {160}


def test_twi_waits_for_a_stretched_clock() -> None:
    m = bare()
    bus(m, stretched=5000)
    assert [twi(m, 0x20), send(m, 0xA0)] == [0x08, 0x18]
    begin = m.now
    assert send(m, 7) == 0x28 and m.now - begin > 5000


def test_twi_a_bus_that_is_held_is_not_taken() -> None:
    m = bare()
    bus(m)
    m.i2c_hold(0, sda=True, scl=None)
    assert twi(m, 0x20, limit=20_000) == 0xF8 and not m.get(r.TWCR) & 0x80
    m.i2c_hold(0, sda=False, scl=None)
    m.wait(400)
    assert m.get(r.TWCR) & 0x80 and m.get(r.TWSR) & 0xF8 == 0x08


def test_there_is_one_bus_of_a_kind() -> None:
    m = bare()
    with pytest.raises(PlatformError, match="one bus"):
        m.i2c_device(1, 0x50, Memory())
    with pytest.raises(PlatformError, match="one bus"):
        m.spi_device(1, 8, Echo(m))
