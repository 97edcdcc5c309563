/*
 * I2C: what threads call. A thread puts its request into the queue, makes the bus's interrupt
 * pending if no thread has the bus, and waits; serve.c does the rest.
 */
#include <gpio/chip_gpio.h>
#include <takt/job.h>
#include <takt/i2c.h>
#include <takt/port.h>

#include "bus.h"


static void pins_start(struct i2c_bus *bus, uint8_t sda, uint8_t scl)
{
    if (bus->open) {
        (void)chip_gpio_mode(bus->sda, TAKT_GPIO_INPUT);
        (void)chip_gpio_mode(bus->scl, TAKT_GPIO_INPUT);
    }
    bus->sda = sda;
    bus->scl = scl;
    (void)chip_gpio_mode(sda, TAKT_GPIO_INPUT_PULLUP);
    (void)chip_gpio_mode(scl, TAKT_GPIO_INPUT_PULLUP);
    i2c_chip_pin_start(sda);
    i2c_chip_pin_start(scl);
}

int takt_i2c_open(uint8_t n, uint8_t sda, uint8_t scl, uint32_t hz)
{
    if (n >= TAKT_I2C_BUSES || !i2c_chip_pins_fit(n, sda, scl) || hz < TAKT_I2C_HZ_MIN ||
        hz > TAKT_I2C_HZ_MAX)
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;

    struct i2c_bus *bus = &i2c_buses[n];
    uint32_t clock = i2c_fifo_clock(hz);
    int result = TAKT_OK;
    port_irq_t irq = port_irq_save();
    if (bus->open && bus->sda == sda && bus->scl == scl) {
        bus->clock = clock;
    } else if (bus->queue.current != NULL) {
        result = TAKT_EAGAIN;
    } else {
        bus->clock = clock;
        bus->set_clock = 0;
        pins_start(bus, sda, scl);
        if (!bus->open)
            i2c_chip_irqs_start(&bus->chip);
        bus->open = true;
    }
    port_irq_restore(irq);
    return result;
}

int takt_i2c_close(uint8_t n)
{
    if (n >= TAKT_I2C_BUSES || !i2c_buses[n].open)
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;

    struct i2c_bus *bus = &i2c_buses[n];
    int result = TAKT_EAGAIN;
    port_irq_t irq = port_irq_save();
    if (bus->queue.current == NULL) {
        i2c_chip_stop(&bus->chip);
        (void)chip_gpio_mode(bus->sda, TAKT_GPIO_INPUT);
        (void)chip_gpio_mode(bus->scl, TAKT_GPIO_INPUT);
        bus->open = false;
        result = TAKT_OK;
    }
    port_irq_restore(irq);
    return result;
}

static bool valid(const struct i2c_transfer *t)
{
    return t->address < 128u && (t->out != NULL || t->out_len == 0) &&
           (t->in != NULL || t->in_len == 0) && t->timeout_us >= TAKT_I2C_TIMEOUT_MIN &&
           t->timeout_us <= TAKT_DURATION_MAX;
}

/* Puts the request into the queue and starts an idle bus, in one piece: a thread that runs out of
 * budget in between would keep the bus. */
static int enter(struct i2c_bus *bus, struct i2c_transfer *t)
{
    int result = TAKT_EINVAL;
    port_irq_t irq = port_irq_save();
    if (irq) {
        result = TAKT_ECONTEXT;
    } else if (bus->open) {
        if (bus_enter_locked(&bus->queue, &t->request))
            i2c_chip_pend(&bus->chip);
        result = TAKT_OK;
    }
    port_irq_restore(irq);
    return result;
}

int takt_i2c_transfer(uint8_t n, uint8_t address, const uint8_t *out, size_t out_len, uint8_t *in,
                      size_t in_len, uint32_t timeout_us)
{
    struct i2c_transfer t = {.out = out,
                             .in = in,
                             .out_len = out_len,
                             .in_len = in_len,
                             .timeout_us = timeout_us,
                             .address = address};
    if (n >= TAKT_I2C_BUSES || !valid(&t))
        return TAKT_EINVAL;
    if (!bus_may_wait())
        return TAKT_ECONTEXT;
    takt_begin_whole_call(); /* the bus knows `t` */
    int entered = enter(&i2c_buses[n], &t);
    while (entered == TAKT_OK && !t.request.over)
        (void)takt_sem_wait(&t.request.wake);
    takt_end_whole_call();
    return entered == TAKT_OK ? t.request.result : entered;
}
