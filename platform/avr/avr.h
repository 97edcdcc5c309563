/*
 * ATmega328P and ATmega324P: libsimavr executes the instructions and holds the memories; the
 * devices around the CPU are ours, for theirs do not keep the data sheets' times (see README.md).
 *
 * A device's registers lie in the data space (`d`) where what is read is what was written; devices
 * keep the rest themselves. Accesses happen in the last cycle of IN, OUT and skips, the second of
 * all others; `when` is that cycle. What is written takes effect at when + 1.
 */
#ifndef TAKT_AVR_H
#define TAKT_AVR_H

#include <simavr/sim_avr.h>
#include <simavr/sim_core.h>
#include <simavr/sim_io.h>

#include "machine.h"

#define DATA_BASE  0x800000u /* the data space, as avr-gcc's ELF files number it */
#define IO_FIRST   0x20u
#define IO_END     0x100u
#define TIMERS     3u
#define FLASH_ROOM 0x10000u /* what LPM reaches: the flash, again and again */
#define NO_PIN     0xffu
#define EEPROM_BYTES 0x400u

enum mega_event {
    EV_TIMER = EV_CHIP,
    EV_USART_TX = EV_TIMER + TIMERS,
    EV_USART_RX = EV_USART_TX + UARTS,
    EV_ADC = EV_USART_RX + UARTS,
    EV_SPI,
    EV_TWI,
    EV_WATCHDOG,
    EV_EEPROM,
};

/* Addresses in the data space; both chips have the same. */
enum {
    R_PINA = 0x20, /* then DDR, PORT, and the next port */
    R_TIFR0 = 0x35, R_PCIFR = 0x3b, R_EIFR, R_EIMSK, R_GPIOR0,
    R_EECR, R_EEDR, R_EEARL, R_EEARH, R_GTCCR,
    R_TCCR0A, R_TCCR0B, R_TCNT0, R_OCR0A, R_OCR0B,
    R_GPIOR1 = 0x4a, R_GPIOR2, R_SPCR, R_SPSR, R_SPDR,
    R_ACSR = 0x50, R_SMCR = 0x53, R_MCUSR, R_MCUCR,
    R_SPMCSR = 0x57,
    R_WDTCSR = 0x60, R_CLKPR, R_PRR = 0x64, R_OSCCAL = 0x66,
    R_PCICR = 0x68, R_EICRA, R_PCMSK0 = 0x6b,
    R_TIMSK0 = 0x6e, R_PCMSK3 = 0x73,
    R_ADCL = 0x78, R_ADCH, R_ADCSRA, R_ADCSRB, R_ADMUX, R_DIDR0 = 0x7e, R_DIDR1,
    R_TCCR1A = 0x80, R_TCCR1B, R_TCCR1C, R_TCNT1L = 0x84, R_TCNT1H, R_ICR1L, R_ICR1H, R_OCR1AL,
    R_OCR1AH, R_OCR1BL, R_OCR1BH,
    R_TCCR2A = 0xb0, R_TCCR2B, R_TCNT2, R_OCR2A, R_OCR2B, R_ASSR = 0xb6,
    R_TWBR = 0xb8, R_TWSR, R_TWAR, R_TWDR, R_TWCR, R_TWAMR,
    R_UCSR0A = 0xc0, R_UCSR0B, R_UCSR0C, R_UBRR0L = 0xc4, R_UBRR0H, R_UDR0,
};

/* Where an interrupt is asked for: flag and enable bit. `kept`: taking it leaves the flag. */
struct vector {
    uint8_t flag, flag_bit, enable, enable_bit;
    bool kept;
};

struct mega_chip {
    struct chip chip;
    const char *part;        /* simavr's name */
    uint32_t vector_count;
    const struct vector *vector;
    uint8_t oc[TIMERS][2];   /* pins of the compare outputs */
    uint8_t external[3];     /* of INT0 to INT2 */
    uint8_t change_port[4];  /* port of PCMSK0 to 3 */
    uint8_t icp, usarts;
    uint8_t rx[UARTS], tx[UARTS];
    uint8_t ss, mosi, miso, sck, sda, scl;
    uint8_t mux_bits, ground, temperature; /* inputs of the ADC */
    int32_t reference2_uv, reference3_uv;  /* REFS1 set; 0: none */
    uint32_t start_up; /* cycles of the oscillator after power-down */
};

struct timer {
    uint64_t base;      /* the state below is that of this cycle */
    uint64_t zero;      /* cycle in which a count without overflow would have been 0 */
    uint32_t div;       /* 0: stopped */
    uint16_t count, icr, ocr[2], written[2]; /* written: not yet in use */
    uint8_t temp;       /* of 16-bit accesses */
    bool down, blocked; /* blocked: TCNT was written, which hides the coming match */
    bool out[2];
};

struct usart {
    uint8_t shift, fifo[2], status[2], count;
    bool shifting, full; /* full: a byte waits in UDR */
    uint8_t next;
};

struct adc {
    uint64_t clock0; /* a rising edge of its clock */
    int64_t microvolts[16];
    uint16_t pending, result;
    uint8_t mux;
    bool first, locked, sampled;
    uint64_t ends;
};

struct spi {
    uint8_t in, out;
    bool busy, seen; /* seen: SPSR was read with SPIF set */
};

struct twi {
    uint8_t job, step, bit;
    uint32_t shift;
    bool sda_low, scl_low;
    bool waits, free;       /* for SCL to be high; and SDA */
    bool owner, addressing; /* after START: of the bus; the coming byte is an address */
    bool reads, acknowledges, refused;
};

struct reg;
typedef uint8_t reg_read(struct takt_machine *m, uint32_t reg, uint64_t when);
/* bits: those the instruction writes (SBI and CBI: one). */
typedef void reg_write(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                       uint64_t when);

struct reg {
    reg_read *read;
    reg_write *write;
    uint8_t modelled; /* bits that may be set */
};

struct patch {
    uint32_t address;
    uint16_t was[2];
};

struct mega {
    avr_t *cpu;
    uint8_t *d; /* data space */
    const struct mega_chip *chip;
    struct reg reg[IO_END];
    uint32_t hz; /* of the oscillator */
    uint32_t forced; /* vectors pended from outside */
    bool delay;      /* interrupts have just been turned on: one more instruction */
    bool hit;        /* a break address */
    uint16_t sp_before; /* OUT SPH has changed it */
    struct patch patch[32];
    uint32_t skip_break; /* the break address the last run stopped at, or ~0 */

    uint64_t prescaler[TIMERS]; /* when it was 0 */
    struct timer timer[TIMERS];
    struct usart usart[UARTS];
    struct adc adc;
    struct spi spi;
    struct twi twi;
    uint64_t watchdog_open; /* until then it may be changed */
    uint64_t eeprom_open;   /* until then a write may begin */
    uint8_t eeprom[EEPROM_BYTES];
    uint64_t slept_since;   /* with the clocks stopped; ~0: not */
    avr_io_t io;            /* for what simavr asks of devices */
    uint64_t wire_changed; /* last change of any pin, and levels before */
    uint32_t wire_before;
};

/* io.c: the registers */
void reg_define(struct takt_machine *m, uint32_t reg, reg_read *read, reg_write *write,
                uint8_t modelled);
void io_attach(struct takt_machine *m);
uint16_t flash_word(const struct takt_machine *m, uint32_t address);
/* Keeps a register as written. */
void reg_keep(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits);
/* Clears the flags written as 1. */
void reg_flags(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits, uint64_t when);
void flag_raise(struct takt_machine *m, uint32_t reg, uint8_t bits);

/* cpu.c: running */
bool cpu_can_wake(const struct takt_machine *m);
void cpu_wake(struct takt_machine *m);
/* interrupt.c */
int interrupt_next(const struct takt_machine *m); /* vector, or -1 */
void interrupt_enter(struct takt_machine *m, int vector);
void interrupt_attach(struct takt_machine *m);
bool external_level(const struct takt_machine *m, unsigned n); /* INTn asks by its level */
void external_define(struct takt_machine *m);
void external_edges(struct takt_machine *m, uint32_t changed);
bool external_matters(const struct takt_machine *m, uint32_t pin);
bool interrupt_can_come(const struct takt_machine *m, bool clocks);
/* breaks.c */
bool break_is(const struct takt_machine *m, uint32_t address);
void break_lift(struct takt_machine *m, uint32_t address);
void break_put(struct takt_machine *m, uint32_t address);
/* stores.c: the store the next instruction will make */
void store_look(struct takt_machine *m);
bool stores_matter(const struct takt_machine *m);

/* port.c */
void port_define(struct takt_machine *m);
void port_refresh(struct takt_machine *m, uint64_t when);
void port_pins_changed(struct takt_machine *m, uint32_t bank, uint32_t pins, uint64_t when);
/* timer.c, timer_count.c, timer_output.c */
void timer_define(struct takt_machine *m);
void timer_reset(struct takt_machine *m);
void timer_event(struct takt_machine *m, unsigned id, uint64_t when);
void timer_sync(struct takt_machine *m, unsigned n, uint64_t when);
void timer_arm(struct takt_machine *m, unsigned n);
void timer_rearm(struct takt_machine *m, uint32_t flags);
void timer_frozen(struct takt_machine *m, uint64_t cycles);
void timer_capture(struct takt_machine *m, bool rises, uint64_t when);
unsigned timer_wgm(const struct takt_machine *m, unsigned n);
unsigned timer_com(const struct takt_machine *m, unsigned n, unsigned k);
bool timer_is_pwm(const struct takt_machine *m, unsigned n);
bool timer_is_dual(const struct takt_machine *m, unsigned n);
uint16_t timer_top(const struct takt_machine *m, const struct timer *t, unsigned n);
uint16_t timer_max(unsigned n);
uint64_t timer_next_tick(const struct takt_machine *m, unsigned n, uint64_t ticks);
bool timer_output(const struct takt_machine *m, const struct timer *t, unsigned n, unsigned k);
bool timer_drives(const struct takt_machine *m, unsigned n, unsigned k);
int32_t timer_pin_pwm(struct takt_machine *m, uint32_t pin, double *frequency, double *duty);
/* usart.c */
void usart_define(struct takt_machine *m);
void usart_reset(struct takt_machine *m);
void usart_tx_event(struct takt_machine *m, unsigned id, uint64_t when);
void usart_rx_event(struct takt_machine *m, unsigned id, uint64_t when);
void usart_waits(struct takt_machine *m, uint32_t port, uint64_t when);
/* adc.c, eeprom.c, spi.c, twi.c, watchdog.c. *_take: what they make of the pins */
void adc_define(struct takt_machine *m);
void adc_reset(struct takt_machine *m);
void adc_event(struct takt_machine *m, unsigned id, uint64_t when);
void eeprom_define(struct takt_machine *m);
void eeprom_event(struct takt_machine *m, unsigned id, uint64_t when);
void spi_define(struct takt_machine *m);
void spi_event(struct takt_machine *m, unsigned id, uint64_t when);
void spi_slave_select(struct takt_machine *m);
void spi_take(const struct takt_machine *m, uint32_t *driven, uint32_t *out);
uint32_t spi_settings(struct takt_machine *m, uint32_t bus, uint32_t *mode, uint32_t *bits);
void twi_define(struct takt_machine *m);
void twi_reset(struct takt_machine *m);
void twi_event(struct takt_machine *m, unsigned id, uint64_t when);
void twi_lines(struct takt_machine *m, unsigned n, bool sda_moved, bool scl_moved, uint64_t when);
void twi_take(const struct takt_machine *m, uint32_t *driven, uint32_t *out);
bool twi_last(const struct takt_machine *m, unsigned n);
void watchdog_define(struct takt_machine *m);
void watchdog_event(struct takt_machine *m, unsigned id, uint64_t when);
void watchdog_taken(struct takt_machine *m);
void watchdog_goes_on(struct takt_machine *m);
/* small.c: sleep mode, clock prescaler, GPIO registers, what is kept only */
void small_define(struct takt_machine *m);
uint32_t small_hz(const struct takt_machine *m);

extern const struct mega_chip atmega328p, atmega324p;

#endif
