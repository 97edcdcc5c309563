/*
 * I2C: whose turn it is and for how long.
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

#include "bus.h"

struct i2c_bus i2c_buses[TAKT_I2C_BUSES] = {
    {.chip = I2C_CHIP_BUS0},
#ifdef I2C_CHIP_BUS1
    {.chip = I2C_CHIP_BUS1},
#endif
};

static void alarm_in(struct i2c_bus *bus, uint32_t us)
{
    bus->due = port_now() + us;
    bus->alarm_armed = true;
    i2c_chip_alarm(&bus->chip, bus->due);
}

static void alarm_off(struct i2c_bus *bus)
{
    bus->alarm_armed = false;
    i2c_chip_alarm_off(&bus->chip);
}

/* Has it rung? One that was pending when it was set anew has not. */
static bool alarm_taken(struct i2c_bus *bus)
{
    i2c_chip_alarm_seen(&bus->chip);
    if (!bus->alarm_armed || takt_before(port_now(), bus->due))
        return false;
    bus->alarm_armed = false;
    return true;
}

static void begin_moving(struct i2c_bus *bus)
{
    struct i2c_transfer *t = i2c_current(bus);
    if (t->out_len + t->in_len == 0 && !I2C_CHIP_PROBES) {
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
    i2c_chip_stop(&bus->chip); /* lets go of the lines at once */
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

/* Looks again in a step, as long as there is time left. */
static void await_stop(struct i2c_bus *bus, struct i2c_transfer *t)
{
    if (bus->alarm_armed) /* for the time-out: so much is left */
        t->timeout_us = bus->due - port_now();
    if (t->timeout_us <= I2C_STEP_US || t->timeout_us > TAKT_DURATION_MAX) {
        go_wrong(bus, TAKT_ETIMEOUT);
        return;
    }
    t->timeout_us -= I2C_STEP_US;
    alarm_in(bus, I2C_STEP_US);
}

static void serve_controller(struct i2c_bus *bus)
{
    struct i2c_transfer *t = i2c_current(bus);
    switch (i2c_fifo_serve(bus)) {
    case I2C_GOES_ON:
        break;
    case I2C_OVER:
        leave(bus, bus->refusal != TAKT_OK ? bus->refusal
                                           : (int)(t->in_len > 0 ? t->in_len : t->out_len));
        break;
    case I2C_STOPS:
        await_stop(bus, t);
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

void i2c_serve_controller(uint8_t n, uint8_t irq)
{
    struct i2c_bus *bus = &i2c_buses[n];
    takt_isr_enter();
    if (bus->state == I2C_IDLE && bus->queue.current != NULL)
        begin(bus);
    else if (bus->state == I2C_MOVING)
        serve_controller(bus);
    takt_isr_exit(irq);
}

void i2c_serve_alarm(uint8_t n, uint8_t irq)
{
    struct i2c_bus *bus = &i2c_buses[n];
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
    takt_isr_exit(irq);
}
