"""An AVR machine whose program does nothing: tests write its registers from outside."""

from __future__ import annotations

from takt.machine.avr import DATA, AvrMachine

PINB, DDRB, PORTB, PINC, DDRC, PORTC, PIND, DDRD, PORTD = range(0x23, 0x2C)
TIFR0, TIFR1, TIFR2 = 0x35, 0x36, 0x37
TCCR0A, TCCR0B, TCNT0, OCR0A, OCR0B = range(0x44, 0x49)
SPCR, SPSR, SPDR = 0x4C, 0x4D, 0x4E
TIMSK0, TIMSK1, TIMSK2 = 0x6E, 0x6F, 0x70
ADCL, ADCH, ADCSRA, ADCSRB, ADMUX = range(0x78, 0x7D)
TCCR1A, TCCR1B, TCCR1C = 0x80, 0x81, 0x82
TCNT1L, TCNT1H, ICR1L, ICR1H, OCR1AL, OCR1AH = range(0x84, 0x8A)
TCCR2A, TCCR2B, TCNT2, OCR2A, OCR2B = range(0xB0, 0xB5)
TWBR, TWSR, TWAR, TWDR, TWCR = range(0xB8, 0xBD)
UCSR0A, UCSR0B, UCSR0C = 0xC0, 0xC1, 0xC2
UBRR0L, UDR0 = 0xC4, 0xC6

LOOP = b"\xff\xcf"  # rjmp to itself, two cycles


class Bare(AvrMachine):
    """Registers by their addresses in the data space."""

    def get(self, reg: int) -> int:
        return self.bus_read(DATA + reg)

    def put(self, reg: int, value: int) -> None:
        self.bus_write(DATA + reg, value)

    def put16(self, low: int, value: int) -> None:
        """High byte first, as the data sheet wants."""
        self.put(low + 1, value >> 8)
        self.put(low, value & 255)

    def get16(self, low: int) -> int:
        value = self.get(low)
        return value | self.get(low + 1) << 8

    def wait(self, cycles: int) -> None:
        self.run(self.now + cycles)


def bare(chip: str = "atmega328p", hz: int = 16_000_000) -> Bare:
    """At an even cycle from now on."""
    m = Bare(chip, hz)
    m.load_bin(LOOP, 0)
    m.reset()
    return m
