/* I2C: the pins of the controllers. */
#include "i2c.h"

bool f0_i2c_line(struct takt_machine *m, const struct i2c *c, enum i2c_line which)
{
    struct wire w = c->pins[which];
    return w.pins != 0 && (m->pins[w.bank].wire & w.pins) == w.pins;
}

uint32_t f0_i2c_output(const struct takt_machine *m, struct function f)
{
    const struct i2c *c = &m->f0->i2c[f.unit];
    return (f.role == I2C_SDA ? c->sda_low : c->scl_low) ? 2 : 0;
}

/* After a change of functions. */
void f0_i2c_wired(struct takt_machine *m)
{
    for (unsigned n = 0; n < 2; n++) {
        for (unsigned which = 0; which < 2; which++) {
            struct function f = {FN_I2C, (uint8_t)n, (uint8_t)which};
            struct wire w = function_pins(m, f);
            m->f0->i2c[n].pins[which] = w;
            i2c_bus_wire(m, n, (enum i2c_line)which, w);
        }
    }
}

void f0_i2c_check_drains(struct takt_machine *m, unsigned n)
{
    for (unsigned which = 0; which < 2; which++) {
        struct wire w = m->f0->i2c[n].pins[which];
        if ((w.pins & ~m->f0->bank[w.bank].open_drain) != 0)
            report_note(m, "an I2C pin is not an open drain: taken for one");
    }
}
