/* ATmega328P and ATmega324P: pins and vectors. */
#include "avr.h"

enum { PA = 0, PB = 8, PC = 16, PD = 24 };

#define EDGE(n)     {R_EIFR, 1 << (n), R_EIMSK, 1 << (n), false}
#define CHANGE(n)   {R_PCIFR, 1 << (n), R_PCICR, 1 << (n), false}
#define TIMER(n, b) {R_TIFR0 + (n), b, R_TIMSK0 + (n), b, false}
#define WATCHDOG    {R_WDTCSR, 0x80, R_WDTCSR, 0x40, false}
#define SPI_DONE    {R_SPSR, 0x80, R_SPCR, 0x80, false}
#define CONVERTED   {R_ADCSRA, 0x10, R_ADCSRA, 8, false}
#define TWO_WIRE    {R_TWCR, 0x80, R_TWCR, 1, true}
#define NOTHING     {R_GPIOR0, 0, R_GPIOR0, 0, true} /* not modelled: asks for nothing */
#define USART(n)                                                                    \
    {R_UCSR0A + 8 * (n), 0x80, R_UCSR0B + 8 * (n), 0x80, true},                     \
        {R_UCSR0A + 8 * (n), 0x20, R_UCSR0B + 8 * (n), 0x20, true},                 \
        {R_UCSR0A + 8 * (n), 0x40, R_UCSR0B + 8 * (n), 0x40, false}
#define TIMERS_2_1_0                                                                \
    TIMER(2, 2), TIMER(2, 4), TIMER(2, 1), TIMER(1, 0x20), TIMER(1, 2), TIMER(1, 4), \
        TIMER(1, 1), TIMER(0, 2), TIMER(0, 4), TIMER(0, 1)

static const struct vector vectors328[] = {
    NOTHING,   EDGE(0), EDGE(1), CHANGE(0), CHANGE(1), CHANGE(2), WATCHDOG, TIMERS_2_1_0, SPI_DONE,
    USART(0), CONVERTED, NOTHING, NOTHING, TWO_WIRE, NOTHING,
};

static const struct vector vectors324[] = {
    NOTHING,  EDGE(0),      EDGE(1),  EDGE(2),  CHANGE(0), CHANGE(1), CHANGE(2), CHANGE(3),
    WATCHDOG, TIMERS_2_1_0, SPI_DONE, USART(0), NOTHING,   CONVERTED, NOTHING,   TWO_WIRE,
    NOTHING,  USART(1),
};

static bool edges_matter(const struct takt_machine *m, uint32_t pin)
{
    bool captured = pin == m->mega->chip->icp && (m->mega->d[R_TIMSK0 + 1] & 0x20) != 0;
    return captured || external_matters(m, pin);
}

/* More than one edge went by: whatever flag one would set, both kinds have. */
static void edges_passed(struct takt_machine *m, uint32_t pin)
{
    external_edges(m, 1u << pin);
    m->pins[0].wire ^= 1u << pin;
    external_edges(m, 1u << pin);
    m->pins[0].wire ^= 1u << pin;
}

static void outputs_refresh(struct takt_machine *m)
{
    for (unsigned n = 0; n < TIMERS; n++)
        timer_sync(m, n, m->now);
}

/* Timer 1 as it would be without overflows. */
static double clock_us(const struct takt_machine *m)
{
    const struct timer *t = &m->mega->timer[1];
    return t->div == 0 ? 0 : (double)(m->now - t->zero) * 1e6 / m->chip->hz(m);
}

static void adc_set(struct takt_machine *m, uint32_t channel, int64_t microvolts)
{
    m->mega->adc.microvolts[channel] = microvolts;
}

#define BEHAVIOUR                                                                          \
    .pins_changed = port_pins_changed, .edges_passed = edges_passed,                       \
    .edges_matter = edges_matter, .outputs_refresh = outputs_refresh,                      \
    .pin_pwm = timer_pin_pwm, .uart_waits = usart_waits, .i2c_lines = twi_lines,           \
    .i2c_last = twi_last, .spi_settings = spi_settings, .adc_set = adc_set,                \
    .can_wake = cpu_can_wake, .hz = small_hz, .clock_us = clock_us

const struct mega_chip atmega328p = {
    .chip = {.name = "atmega328p",
             .flash_size = 0x8000,
             .ram_size = 0x800,
             .pin_mask = {0xff7fff00},
             .adc_channels = 16,
             BEHAVIOUR},
    .part = "atmega328p",
    .vector_count = sizeof vectors328 / sizeof vectors328[0],
    .vector = vectors328,
    .oc = {{PD + 6, PD + 5}, {PB + 1, PB + 2}, {PB + 3, PD + 3}},
    .external = {PD + 2, PD + 3, NO_PIN},
    .change_port = {1, 2, 3, NO_PIN},
    .icp = PB + 0,
    .usarts = 1,
    .rx = {PD + 0},
    .tx = {PD + 1},
    .ss = PB + 2,
    .mosi = PB + 3,
    .miso = PB + 4,
    .sck = PB + 5,
    .sda = PC + 4,
    .scl = PC + 5,
    .mux_bits = 15,
    .ground = 15,
    .temperature = 8,
    .reference3_uv = 1100000,
    .start_up = 16384, /* a crystal */
};

const struct mega_chip atmega324p = {
    .chip = {.name = "atmega324p",
             .flash_size = 0x8000,
             .ram_size = 0x800,
             .pin_mask = {0xffffffff},
             .adc_channels = 16,
             BEHAVIOUR},
    .part = "atmega324p",
    .vector_count = sizeof vectors324 / sizeof vectors324[0],
    .vector = vectors324,
    .oc = {{PB + 3, PB + 4}, {PD + 5, PD + 4}, {PD + 7, PD + 6}},
    .external = {PD + 2, PD + 3, PB + 2},
    .change_port = {0, 1, 2, 3},
    .icp = PD + 6,
    .usarts = 2,
    .rx = {PD + 0, PD + 2},
    .tx = {PD + 1, PD + 3},
    .ss = PB + 4,
    .mosi = PB + 5,
    .miso = PB + 6,
    .sck = PB + 7,
    .sda = PC + 1,
    .scl = PC + 0,
    .mux_bits = 31,
    .ground = 31,
    .temperature = NO_PIN,
    .reference2_uv = 1100000,
    .reference3_uv = 2560000,
    .start_up = 16384,
};
