/*
 * PWM of an ATmega on Timer0 and Timer2 (ATmega328P data sheet 15, 18), 8 bits each with two
 * outputs; Timer1 is the kernel's clock. They count to 255 at one of a few clocks, up and down or
 * up only, so there are a few frequencies of PWM, such as 490 Hz. A square wave may have any
 * frequency from 31 Hz (16 Hz at 8 MHz): an output then toggles when the counter reaches its top,
 * and the other output of the timer can have that frequency only.
 */
#include <takt/gpio.h>
#include <takt/port.h>
#include <takt/pwm.h>

#include "../avr/avr_pins.h"
#include "avr.h"

#pragma weak avr_soft_write
#pragma weak avr_soft_release

#define HALF   32768u
#define NOWAY  0xFFu
#define CPU_HZ ((uint32_t)F_CPU)

/* In control_a. */
enum mode {
    CENTRE = 1, /* counts up and down */
    TOGGLE = 2, /* up, to compare[0] */
    FAST = 3,   /* up, to 255 */
};

struct timer {
    volatile uint8_t control_a, control_b, count, compare[2];
};

/* A clock and a way of counting. */
struct setting {
    uint8_t clock, top, mode; /* an enum mode */
};

/* log2 of what each clock selection divides by. */
static const uint8_t clocks0[] PROGMEM = {0, 3, 6, 8, 10};
static const uint8_t clocks2[] PROGMEM = {0, 3, 5, 6, 7, 8, 10};

static inline __attribute__((always_inline)) struct timer *timer_of(uint8_t output)
{
    return (struct timer *)(uintptr_t)(output < 2 ? _SFR_MEM_ADDR(TCCR0A) : _SFR_MEM_ADDR(TCCR2A));
}

static uint8_t clocks_of(uint8_t output)
{
    return output < 2 ? sizeof clocks0 : sizeof clocks2;
}

static uint8_t shift_of(uint8_t output, uint8_t clock)
{
    return pgm_read_byte(output < 2 ? &clocks0[clock] : &clocks2[clock]);
}

static uint8_t output_of(uint8_t pin)
{
    uint8_t code = avr_pin(pin), output = 0;
    while (output < 4 && pgm_read_byte(&avr_pwm_pins[output]) != code)
        output++;
    return output < 4 ? output : NOWAY;
}

/* The pin is connected to its output in this way: 0, not at all; 1, toggled; 2, high while below.
 * */
static void connect(uint8_t output, uint8_t how)
{
    struct timer *timer = timer_of(output);
    uint8_t shift = output & 1u ? COM0B0 : COM0A0;
    timer->control_a = (uint8_t)((timer->control_a & ~(3u << shift)) | (unsigned)how << shift);
}

/* A frequency within a sixteenth of that wanted, the nearest. */
static bool pwm_setting(uint8_t output, uint32_t hz, struct setting *found)
{
    uint32_t nearest = hz / 16u + 1u;
    for (uint8_t way = 0; way < 2u * clocks_of(output); way++) {
        uint8_t clock = way >> 1;
        enum mode mode = way & 1u ? FAST : CENTRE;
        uint32_t is = (CPU_HZ >> shift_of(output, clock)) / (mode == FAST ? 256u : 510u);
        uint32_t off = is > hz ? is - hz : hz - is;
        if (off < nearest) {
            nearest = off;
            *found = (struct setting){(uint8_t)(clock + 1u), 255, mode};
        }
    }
    return nearest <= hz / 16u;
}

static bool square_setting(uint8_t output, uint32_t hz, struct setting *found)
{
    for (uint8_t clock = 0; clock < clocks_of(output); clock++) {
        uint32_t half = ((CPU_HZ / 2u >> shift_of(output, clock)) + hz / 2u) / hz;
        if (half == 0)
            return false;
        if (half <= 256u) {
            *found = (struct setting){(uint8_t)(clock + 1u), (uint8_t)(half - 1u), TOGGLE};
            return true;
        }
    }
    return false;
}

/* An output that is always low is no timer's: counting up only, it would have peaks. */
static void start(uint8_t output, const struct setting *s, uint16_t duty)
{
    struct timer *timer = timer_of(output);
    uint8_t level = (uint8_t)((duty * 255ul + 32767u) / 65535u);
    if (s->mode == TOGGLE) {
        timer->compare[0] = timer->compare[1] = s->top;
        timer->count = 0;
    } else {
        timer->compare[output & 1u] = level;
    }
    timer->control_a = (uint8_t)((timer->control_a & ~3u) | (unsigned)s->mode);
    timer->control_b = s->clock;
    connect(output, s->mode == TOGGLE ? 1 : level != 0 ? 2 : 0);
}

static void mark(uint8_t pin, bool on)
{
    avr_put(&takt_pwm_bits[avr_port_of(avr_pin(pin))], avr_bit(avr_pin(pin)), on);
}

static int in_software(uint8_t pin, uint32_t frequency_hz, uint16_t duty)
{
    if (!avr_soft_write || avr_soft_write(pin, frequency_hz, duty) != TAKT_OK)
        return TAKT_EINVAL;
    port_irq_t irq = port_irq_save();
    mark(pin, true);
    port_irq_restore(irq);
    return TAKT_OK;
}

/* How timers count at the frequency of takt_pwm_level(), once it has been sought; before, clock is
 * 0. */
static struct setting level_settings[2];

static inline __attribute__((always_inline)) bool counts_so(const struct timer *timer,
                                                            const struct setting *s)
{
    return s->clock != 0 && timer->control_b == s->clock && (timer->control_a & 3u) == s->mode;
}

int takt_pwm_write(uint8_t pin, uint32_t frequency_hz, uint16_t duty)
{
    struct setting setting = {0, 0, CENTRE};
    if (!avr_pin_exists(pin) || frequency_hz < 8u || frequency_hz > CPU_HZ / 2u)
        return TAKT_EINVAL;
    uint8_t output = output_of(pin);
    bool square = output != NOWAY && duty == HALF && square_setting(output, frequency_hz, &setting);
    bool hardware = square || (output != NOWAY && pwm_setting(output, frequency_hz, &setting));
    if (!hardware)
        return in_software(pin, frequency_hz, duty);

    port_irq_t irq = port_irq_save();
    if (avr_soft_release)
        avr_soft_release(pin);
    if (duty == 0)
        (void)takt_gpio_write(pin, false);
    avr_port(avr_pin(pin))[AVR_DIR] |= avr_bit(avr_pin(pin));
    start(output, &setting, duty);
    if (frequency_hz == TAKT_PWM_LEVEL_HZ)
        level_settings[output >> 1] = setting;
    mark(pin, true);
    port_irq_restore(irq);
    return TAKT_OK;
}

/* The timer counts as for such levels. */
static int set_level(uint8_t pin, uint8_t output, uint8_t level)
{
    port_irq_t irq = port_irq_save();
    if (avr_soft_release)
        avr_soft_release(pin);
    if (level == 0)
        (void)takt_gpio_write(pin, false);
    avr_port(avr_pin(pin))[AVR_DIR] |= avr_bit(avr_pin(pin));
    timer_of(output)->compare[output & 1u] = level;
    connect(output, level != 0 ? 2 : 0);
    mark(pin, true);
    port_irq_restore(irq);
    return TAKT_OK;
}

static __attribute__((noinline)) int begin_level(uint8_t pin, uint8_t level)
{
    uint8_t output = avr_pin_exists(pin) ? output_of(pin) : NOWAY;
    if (output != NOWAY && counts_so(timer_of(output), &level_settings[output >> 1]))
        return set_level(pin, output, level);
    return takt_pwm_write(pin, TAKT_PWM_LEVEL_HZ, (uint16_t)(level * 257u));
}

/* Where the output is the timer's already, and the timer counts so, another level is all there is
 * to do. */
static inline __attribute__((always_inline)) bool go_on_at(struct timer *timer, uint8_t b,
                                                           uint8_t level)
{
    const struct setting *s = &level_settings[timer == timer_of(2)];
    uint8_t high = (uint8_t)(b ? 2u << COM0B0 : 2u << COM0A0), flags = SREG;
    __asm__ volatile("cli" ::: "memory");
    bool may = (timer->control_a & high) && counts_so(timer, s);
    if (may)
        timer->compare[b] = level;
    SREG = flags;
    return may;
}

int takt_pwm_level(uint8_t pin, uint8_t level)
{
    if (avr_pin_exists(pin) && level != 0) {
        uint8_t code = avr_pin(pin);
        bool done = code == pgm_read_byte(&avr_pwm_pins[0])   ? go_on_at(timer_of(0), 0, level)
                    : code == pgm_read_byte(&avr_pwm_pins[1]) ? go_on_at(timer_of(0), 1, level)
                    : code == pgm_read_byte(&avr_pwm_pins[2]) ? go_on_at(timer_of(2), 0, level)
                    : code == pgm_read_byte(&avr_pwm_pins[3]) ? go_on_at(timer_of(2), 1, level)
                                                              : false;
        if (done)
            return TAKT_OK;
    }
    return begin_level(pin, level);
}

void avr_pwm_release(uint8_t pin)
{
    uint8_t output = output_of(pin);
    if (output != NOWAY)
        connect(output, 0);
    if (avr_soft_release)
        avr_soft_release(pin);
    mark(pin, false);
}

int takt_pwm_stop(uint8_t pin)
{
    return takt_gpio_mode(pin, TAKT_GPIO_OUTPUT);
}
