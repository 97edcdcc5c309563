/*
 * I2C of an ATmega for programs of one thread: the calls of include/takt/i2c.h without queue,
 * interrupt and alarm. The thread that asks waits by polling (ATmega328P data sheet 22).
 */
#include <takt/i2c.h>

#include "avr_twi.h"
#include <i2c/chip_i2c.h>

#define HALF_CLOCK_US 50u
#define CLOCKS_MOST   9u
#define HELD_US       2000u /* that a device may hold SCL low while the bus is being freed */

struct transaction {
    takt_time_t end; /* it may last until then */
    uint8_t address;
    const uint8_t *out;
    uint8_t *in;
    size_t out_len, in_len;
};

static uint8_t data, clock; /* pins; equal before the bus is opened */

int takt_i2c_open(uint8_t n, uint8_t sda, uint8_t scl, uint32_t hz)
{
    if (n != 0 || !i2c_chip_pins_fit(n, sda, scl) || hz < TAKT_I2C_HZ_MIN || hz > TAKT_I2C_HZ_MAX)
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;
    data = sda;
    clock = scl;
    port_irq_t irq = port_irq_save();
    i2c_chip_pin_start(sda);
    i2c_chip_pin_start(scl);
    port_irq_restore(irq);
    avr_twi_start(avr_twi_clock(hz));
    return TAKT_OK;
}

int takt_i2c_close(uint8_t n)
{
    if (n != 0 || data == clock)
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;
    TWCR = 0;
    (void)chip_gpio_mode(data, TAKT_GPIO_INPUT);
    (void)chip_gpio_mode(clock, TAKT_GPIO_INPUT);
    data = clock = 0;
    return TAKT_OK;
}

static void wait(uint16_t us)
{
    takt_time_t end = port_now() + us;
    while (takt_before(port_now(), end)) {
    }
}

static bool lines_high(void)
{
    return i2c_chip_is_high(data) && i2c_chip_is_high(clock);
}

/* A line is pulled low, or let go; handlers may change other pins of the port. */
static void set_line(uint8_t pin, bool high)
{
    port_irq_t irq = port_irq_save();
    if (high)
        i2c_chip_let_go(pin);
    else
        i2c_chip_pull(pin);
    port_irq_restore(irq);
    wait(HALF_CLOCK_US);
}

/* SCL is let go, and high after that unless a device holds it until the end. */
static void clock_up(takt_time_t end)
{
    set_line(clock, true);
    while (!i2c_chip_is_high(clock) && takt_before(port_now(), end)) {
    }
}

/* As lines.c frees a bus: clocks until SDA is high, then a stop. TAKT_EBUS: a line is still low. */
static int free_bus(void)
{
    takt_time_t end = port_now() + HELD_US;
    TWCR = 0;
    set_line(data, true);
    clock_up(end);
    for (uint8_t left = CLOCKS_MOST; left > 0 && !i2c_chip_is_high(data); left--) {
        set_line(clock, false);
        clock_up(end);
    }
    set_line(clock, false);
    set_line(data, false);
    clock_up(end);
    set_line(data, true);
    TWCR = 1u << TWEN;
    return lines_high() ? TAKT_OK : TAKT_EBUS;
}

/* Lets the controller do one step; returns its status. */
static uint8_t step(const struct transaction *t, uint8_t how)
{
    TWCR = (uint8_t)(how | 1u << TWINT | 1u << TWEN);
    while (!(TWCR & (1u << TWINT)))
        if (!takt_before(port_now(), t->end))
            return TWI_TIMED_OUT;
    return TWSR & TWI_STATUS;
}

static int freed(int why)
{
    (void)free_bus();
    return why;
}

static int stopped(const struct transaction *t, int result)
{
    TWCR = 1u << TWINT | 1u << TWEN | 1u << TWSTO;
    while (TWCR & (1u << TWSTO))
        if (!takt_before(port_now(), t->end))
            return freed(TAKT_ETIMEOUT);
    return result;
}

/* What a status says that is not the one hoped for. */
static int failed(const struct transaction *t, uint8_t status)
{
    if (status == TWI_TIMED_OUT)
        return freed(TAKT_ETIMEOUT);
    if (status == TWI_UNANSWERED_WRITE || status == TWI_UNANSWERED_READ)
        return stopped(t, TAKT_ENACK);
    if (status == TWI_REFUSED)
        return stopped(t, TAKT_EREFUSED);
    return freed(TAKT_EBUS); /* another controller, or noise */
}

/* Start and address. */
static uint8_t address(const struct transaction *t, bool read)
{
    uint8_t status = step(t, 1u << TWSTA);
    if (status != TWI_STARTED && status != TWI_STARTED_AGAIN)
        return status;
    TWDR = (uint8_t)(t->address << 1 | read);
    return step(t, 0);
}

static int perform(const struct transaction *t)
{
    uint8_t status;
    if (t->out_len > 0 || t->in_len == 0) {
        if ((status = address(t, false)) != TWI_ADDRESSED_TO_WRITE)
            return failed(t, status);
        for (size_t n = 0; n < t->out_len; n++) {
            TWDR = t->out[n];
            if ((status = step(t, 0)) != TWI_WRITTEN)
                return failed(t, status);
        }
    }
    if (t->in_len > 0 && (status = address(t, true)) != TWI_ADDRESSED_TO_READ)
        return failed(t, status);
    for (size_t n = 0; n < t->in_len; n++) {
        status = step(t, n + 1u < t->in_len ? 1u << TWEA : 0);
        if (status != TWI_READ && status != TWI_READ_LAST)
            return failed(t, status);
        t->in[n] = TWDR;
    }
    return stopped(t, (int)(t->in_len > 0 ? t->in_len : t->out_len));
}

int takt_i2c_transfer(uint8_t n, uint8_t to, const uint8_t *out, size_t out_len, uint8_t *in,
                      size_t in_len, uint32_t timeout_us)
{
    bool lengths = (out || out_len == 0) && (in || in_len == 0);
    if (n != 0 || data == clock || to > 127u || !lengths || timeout_us < TAKT_I2C_TIMEOUT_MIN ||
        timeout_us > TAKT_DURATION_MAX)
        return TAKT_EINVAL;
    if (port_in_isr() || !(SREG & (1u << SREG_I))) /* the clock stops, and with it the time-out */
        return TAKT_ECONTEXT;
    int result = lines_high() ? TAKT_OK : free_bus();
    if (result != TAKT_OK)
        return result;
    const struct transaction t = {port_now() + timeout_us, to, out, in, out_len, in_len};
    return perform(&t);
}
