/*
 * I2C on the RP2040: whose turn it is and for how long.
 *
 *               a request                  stop seen
 *   IDLE ------------------> MOVING -------------------------> over, next
 *    |  a line is low            \  alarm, bus lost
 *    +--------> CLEARING          +------> FREEING ----------> over, next
 *    |  no data   \---> MOVING
 *    +--------> PROBING --------------------------------------> over, next
 *
 * All of it happens in interrupts of one priority: the controller's, which a thread also makes
 * pending to start an idle bus, and an alarm of the timer for time-outs and for the steps of what
 * is done by hand. So it goes on whether or not the thread that asked has budget.
 */
#include <takt/i2c.h>
#include <takt/isr.h>
#include <takt/port.h>

#include "rp2040_bus.h"

struct i2c_bus i2c_buses[TAKT_I2C_BUSES] = {
    {.hw = RP2040_I2C0,
     .reset = RP2040_RESET_I2C0,
     .irq = RP2040_IRQ_I2C0,
     .alarm_irq = RP2040_IRQ_TIMER1,
     .alarm = 1},
    {.hw = RP2040_I2C1,
     .reset = RP2040_RESET_I2C1,
     .irq = RP2040_IRQ_I2C1,
     .alarm_irq = RP2040_IRQ_TIMER2,
     .alarm = 2},
};

/* The alarm: one that is already due is made pending, since the timer compares for equality. */

static void alarm_in(struct i2c_bus *bus, uint32_t us)
{
    bus->due = port_now() + us;
    bus->alarm_armed = true;
    RP2040_TIMER->alarm[bus->alarm] = bus->due;
    if (!takt_before(port_now(), bus->due))
        rp2040_irq_pend(bus->alarm_irq);
}

static void alarm_off(struct i2c_bus *bus)
{
    bus->alarm_armed = false;
    RP2040_TIMER->armed = 1u << bus->alarm;
    RP2040_TIMER->intr = 1u << bus->alarm;
}

/* Has it rung? One that was pending when it was set anew has not. */
static bool alarm_taken(struct i2c_bus *bus)
{
    RP2040_TIMER->intr = 1u << bus->alarm;
    if (!bus->alarm_armed || takt_before(port_now(), bus->due))
        return false;
    bus->alarm_armed = false;
    return true;
}

static void begin_moving(struct i2c_bus *bus)
{
    struct i2c_transfer *t = i2c_current(bus);
    if (t->out_len + t->in_len == 0) {
        bus->state = I2C_PROBING;
        i2c_lines_probe(bus, t->address);
        alarm_in(bus, I2C_STEP_US);
    } else {
        bus->state = I2C_MOVING;
        i2c_fifo_start(bus);
        alarm_in(bus, t->timeout_us);
    }
}

static void begin_freeing(struct i2c_bus *bus, enum i2c_state state)
{
    bus->state = state;
    bus->set_clock = 0;
    RP2040_SET(RP2040_RESETS->reset) = bus->reset; /* lets go of the lines at once */
    i2c_lines_free(bus);
    alarm_in(bus, I2C_STEP_US);
}

static void begin(struct i2c_bus *bus)
{
    if (i2c_lines_high(bus))
        begin_moving(bus);
    else
        begin_freeing(bus, I2C_CLEARING);
}

/* The current request is over. The next one begins. */
static void leave(struct i2c_bus *bus, int result)
{
    alarm_off(bus);
    bus->state = I2C_IDLE;
    bus_leave_isr(&bus->queue, result);
    if (bus->queue.current != NULL)
        begin(bus);
}

static void go_wrong(struct i2c_bus *bus, int why)
{
    bus->why = why;
    begin_freeing(bus, I2C_FREEING);
}

static void serve_controller(struct i2c_bus *bus)
{
    const struct i2c_transfer *t = i2c_current(bus);
    switch (i2c_fifo_serve(bus)) {
    case I2C_GOES_ON:
        break;
    case I2C_OVER:
        leave(bus, bus->refusal != TAKT_OK ? bus->refusal
                                           : (int)(t->in_len > 0 ? t->in_len : t->out_len));
        break;
    case I2C_LOST:
        go_wrong(bus, TAKT_EBUS);
        break;
    }
}

static void serve_lines(struct i2c_bus *bus)
{
    int result = i2c_lines_step(bus);
    if (result == TAKT_EAGAIN)
        alarm_in(bus, I2C_STEP_US);
    else if (bus->state == I2C_CLEARING && result == TAKT_OK)
        begin_moving(bus);
    else
        leave(bus, bus->state == I2C_FREEING ? bus->why : result);
}

static void on_controller(struct i2c_bus *bus)
{
    takt_isr_enter();
    if (bus->state == I2C_IDLE && bus->queue.current != NULL)
        begin(bus);
    else if (bus->state == I2C_MOVING)
        serve_controller(bus);
    takt_isr_exit((uint8_t)bus->irq);
}

static void on_alarm(struct i2c_bus *bus)
{
    takt_isr_enter();
    if (alarm_taken(bus)) {
        if (bus->state != I2C_MOVING) {
            serve_lines(bus);
        } else {
            serve_controller(bus); /* it may be over just now */
            if (bus->state == I2C_MOVING && !bus->alarm_armed)
                go_wrong(bus, TAKT_ETIMEOUT);
        }
    }
    takt_isr_exit((uint8_t)bus->alarm_irq);
}

void isr_i2c0(void)
{
    on_controller(&i2c_buses[0]);
}

void isr_i2c1(void)
{
    on_controller(&i2c_buses[1]);
}

void isr_timer1(void)
{
    on_alarm(&i2c_buses[0]);
}

void isr_timer2(void)
{
    on_alarm(&i2c_buses[1]);
}
