/*
 * I2C: times. In units of (PRESC + 1) I2C clocks:
 *
 *   low SCLL + 1, high SCLH + 1, each longer by the synchronisation: DNF + 2 clocks
 *   SDA changes SDADEL after SCL falls, at least SCLDEL + 1 before it rises
 *
 * TIMEOUTA counts I2C clocks.
 */
#include "i2c.h"

static uint32_t clock_hz(const struct takt_machine *m, unsigned n)
{
    const struct rcc *r = &m->f0->rcc;
    if (n == 1)
        return r->pclk_hz;
    return (r->cfgr3 & 0x10) != 0 ? r->sysclk_hz : 8000000;
}

static uint64_t clocks(const struct takt_machine *m, unsigned n, uint64_t count)
{
    uint64_t hz = clock_hz(m, n);
    return (count * chip_hz(m) + hz - 1) / hz;
}

/* A field of TIMINGR, in cycles; `sync`: the line is looked at. */
static uint64_t time_of(const struct takt_machine *m, unsigned n, uint32_t shift, uint32_t mask,
                        bool sync)
{
    const struct i2c *c = &m->f0->i2c[n];
    uint64_t units = (c->timingr >> shift & mask) + (shift != 16); /* SDADEL counts from 0 */
    uint64_t extra = sync ? (c->cr1 >> 8 & 15) + 2 : 0;
    return clocks(m, n, units * ((c->timingr >> 28) + 1) + extra);
}

uint64_t f0_i2c_low_time(const struct takt_machine *m, unsigned n)
{
    return time_of(m, n, 0, 0xff, true);
}

uint64_t f0_i2c_high_time(const struct takt_machine *m, unsigned n)
{
    return time_of(m, n, 8, 0xff, true);
}

uint64_t f0_i2c_hold_time(const struct takt_machine *m, unsigned n)
{
    return time_of(m, n, 16, 15, false);
}

uint64_t f0_i2c_setup_time(const struct takt_machine *m, unsigned n)
{
    return time_of(m, n, 20, 15, false);
}

/* TIMEOUTA: SCL low for too long, or (TIDLE) both lines high. */
void f0_i2c_watch(struct takt_machine *m, unsigned n, bool scl, uint64_t when)
{
    const struct i2c *c = &m->f0->i2c[n];
    bool idle = (c->timeoutr & 0x1000) != 0, on = (c->timeoutr & 0x8000) != 0;
    bool counts = on && (idle ? scl && f0_i2c_line(m, c, I2C_SDA) : !scl);
    uint64_t units = ((c->timeoutr & 0xfff) + 1ull) * (idle ? 4 : 2048);
    event_set(m, EV_I2C_TIMEOUT + n, counts ? when + clocks(m, n, units) : TAKT_NEVER);
}

void f0_i2c_timeout_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    unsigned n = id - EV_I2C_TIMEOUT;
    struct i2c *c = &m->f0->i2c[n];
    (void)when;
    if (c->phase != I2C_IDLE && c->phase != I2C_FREE)
        c->cr2 |= CR2_STOP;
    c->isr |= ISR_TIMEOUT;
    f0_i2c_kick(m, n);
}
