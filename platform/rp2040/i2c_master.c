/*
 * I2C master: the bits. H and L are the high and low times of SCL in cycles (datasheet 4.3.14):
 *
 *   H = HCNT + SPKLEN + 7      L = LCNT + 1
 *   START: H from SDA low to SCL low.  A byte: 9 (L + H).  STOP: L + H, then L free.
 *   repeated START: L + (standard L, fast H) + H.
 *
 * H begins when SCL is really high. A bit is sampled at the end of its high time. A command is
 * taken from the FIFO when its byte begins; a byte read is in the FIFO before it is acknowledged.
 * Without a command, SCL stays low; then L begins when there is one.
 */
#include "rp2040.h"

static struct i2c *i2c_of(struct takt_machine *m, unsigned n)
{
    return &m->soc->i2c[n];
}

static uint32_t high_time(const struct i2c *c)
{
    return c->hcnt[(c->con >> 1 & 3) != 1] + c->spklen + 7;
}

static uint32_t low_time(const struct i2c *c)
{
    return c->lcnt[(c->con >> 1 & 3) != 1] + 1;
}

static bool line(struct takt_machine *m, const struct i2c *c, enum i2c_line which)
{
    uint32_t pins = c->pins[which];
    return pins != 0 && (gpio_inputs(m) & pins) == pins;
}

static void phase(struct takt_machine *m, unsigned n, enum i2c_phase next, uint64_t until)
{
    i2c_of(m, n)->phase = next;
    event_set(m, EV_I2C0 + n, until);
}

static void pull_sda(struct takt_machine *m, unsigned n, bool low, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    c->sda_low = low;
    gpio_open_drain(m, c->pins[I2C_SDA], low, when);
}

static void pull_scl(struct takt_machine *m, unsigned n, bool low, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    c->scl_low = low;
    gpio_open_drain(m, c->pins[I2C_SCL], low, when);
}

/* Idle, from wherever the controller was; the bus is left as it is. */
void i2c_release(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    phase(m, n, I2C_IDLE, TAKT_NEVER);
    c->closing = c->abort = c->in_command = false;
    pull_sda(m, n, false, when);
    pull_scl(m, n, false, when);
}

void i2c_abort(struct takt_machine *m, unsigned n, uint32_t source)
{
    struct i2c *c = i2c_of(m, n);
    c->abort_source = source | c->tx_count << 23;
    i2c_flush(c);
    c->flushed = true;
    c->abort = c->in_command = false;
    c->enable &= 1;
    c->raw |= I2C_TX_ABRT;
    i2c_update_irq(m, n);
}

static void lost(struct takt_machine *m, unsigned n, uint64_t when)
{
    if (!i2c_of(m, n)->flushed)
        i2c_abort(m, n, I2C_LOST);
    i2c_release(m, n, when);
    i2c_update_irq(m, n);
}

/* A pulse: SCL has just gone low (or the program goes on). */
static void pulse(struct takt_machine *m, unsigned n, bool sda_low, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    uint32_t low = low_time(c), hold = (c->hold & 0xffff) < low ? c->hold & 0xffff : low - 1;
    c->fell = when;
    c->next_sda_low = sda_low;
    if (sda_low == c->sda_low)
        phase(m, n, I2C_LOW, when + low);
    else
        phase(m, n, I2C_SETUP, when + hold);
}

static void pulse_bit(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    pulse(m, n, (c->shift >> (8 - c->bit) & 1) == 0, when);
}

/* A byte and its ninth bit, as the master sends them; 1 lets SDA go. */
static void byte_begin(struct takt_machine *m, unsigned n, enum i2c_element element, uint32_t bits,
                       uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    c->element = element;
    c->bit = 0;
    c->shift = bits;
    pulse_bit(m, n, when);
}

static void stop(struct takt_machine *m, unsigned n, uint64_t when)
{
    i2c_of(m, n)->element = I2C_STOP;
    pulse(m, n, true, when);
}

static void wait_for(struct takt_machine *m, unsigned n, enum i2c_wait what)
{
    i2c_of(m, n)->wait = what;
    phase(m, n, I2C_WAITING, TAKT_NEVER);
    i2c_update_irq(m, n);
}

static void take_command(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    c->command = c->tx[c->tx_head];
    c->tx_head = (c->tx_head + 1) % I2C_FIFO;
    c->tx_count--;
    c->first = false;
    c->in_command = true;
    i2c_update_irq(m, n);
    if (c->reading)
        byte_begin(m, n, I2C_READ, 0x1ff, when);
    else
        byte_begin(m, n, I2C_WRITE, (c->command & 0xff) << 1 | 1, when);
}

/* Between bytes, SCL low: what comes next? */
static void next_command(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    if (c->abort)
        i2c_abort(m, n, I2C_USER);
    if (c->flushed || c->closing) {
        stop(m, n, when);
    } else if (c->tx_count == 0) {
        wait_for(m, n, I2C_WAIT_COMMAND);
    } else {
        uint32_t command = c->tx[c->tx_head];
        bool turn = ((command & I2C_CMD_READ) != 0) != c->reading;
        if (c->first || (!turn && (command & I2C_CMD_RESTART) == 0)) {
            take_command(m, n, when);
        } else if ((c->con & I2C_CON_RESTART) != 0) {
            c->element = I2C_RESTART;
            pulse(m, n, false, when);
        } else {
            stop(m, n, when);
        }
    }
}

static void command_end(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    c->in_command = false;
    i2c_update_irq(m, n);
    if ((c->command & I2C_CMD_STOP) != 0)
        stop(m, n, when);
    else
        next_command(m, n, when);
}

static void byte_end(struct takt_machine *m, unsigned n, bool refused, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    if (c->element == I2C_READ || (c->element == I2C_WRITE && !refused)) {
        command_end(m, n, when);
    } else {
        c->first = true;
        if (refused && !c->closing)
            i2c_abort(m, n, c->element == I2C_WRITE ? I2C_DATA_NACK : I2C_ADDRESS_NACK);
        next_command(m, n, when);
    }
}

/* The ninth bit of a byte read: another byte is wanted, or not, or nobody knows. */
static void acknowledge(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    bool last = (c->command & I2C_CMD_STOP) != 0 || c->closing || c->abort;
    if (!last && c->tx_count == 0) {
        wait_for(m, n, I2C_WAIT_ACK);
        return;
    }
    bool more = (c->tx[c->tx_head] & (I2C_CMD_READ | I2C_CMD_RESTART)) == I2C_CMD_READ;
    pulse(m, n, !last && more, when);
}

static void received(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    bool full = c->rx_count == I2C_FIFO, open = (c->enable & 1) != 0;
    if (open && full && (c->con & I2C_CON_HOLD) != 0) {
        wait_for(m, n, I2C_WAIT_ROOM);
        return;
    }
    if (open && full)
        c->raw |= I2C_RX_OVER;
    else if (open)
        c->rx[(c->rx_head + c->rx_count++) % I2C_FIFO] = (uint8_t)(c->shift >> 1);
    i2c_update_irq(m, n);
    acknowledge(m, n, when);
}

/* The end of a bit's high time. SCL goes low, which the other side hears at once. */
static void bit_end(struct takt_machine *m, unsigned n, bool sda, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    uint32_t bit = c->bit++, sent = c->shift >> (8 - bit) & 1;
    if (c->element != I2C_READ && bit < 8 && sent != 0 && !sda) {
        lost(m, n, when);
        return;
    }
    if (c->element == I2C_READ && bit < 8 && !sda)
        c->shift &= ~(1u << (8 - bit));
    phase(m, n, I2C_SETUP, TAKT_NEVER);
    pull_scl(m, n, true, when);
    if (bit == 8)
        byte_end(m, n, sda, when);
    else if (bit == 7 && c->element == I2C_READ)
        received(m, n, when);
    else
        pulse_bit(m, n, when);
}

/* SDA rises: the bus is free, unless somebody holds it. */
static void stop_end(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    phase(m, n, I2C_FREE, when + low_time(c));
    pull_sda(m, n, false, when);
    if (!line(m, c, I2C_SDA)) {
        lost(m, n, when);
        return;
    }
    if (c->abort)
        i2c_abort(m, n, I2C_USER);
    c->closing = false;
    i2c_update_irq(m, n);
}

static void pulse_end(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    bool sda = line(m, c, I2C_SDA);
    if (c->element == I2C_STOP) {
        stop_end(m, n, when);
    } else if (c->element != I2C_RESTART) {
        bit_end(m, n, sda, when);
    } else if (!sda) {
        lost(m, n, when);
    } else {
        phase(m, n, I2C_START, when + high_time(c));
        pull_sda(m, n, true, when);
    }
}

static void high(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    bool standard = (c->con >> 1 & 3) == 1;
    bool low = c->element == I2C_RESTART && standard;
    phase(m, n, I2C_HIGH, when + (low ? low_time(c) : high_time(c)));
}

static void start(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    if ((c->con & I2C_CON_MASTER) == 0) {
        i2c_abort(m, n, I2C_MASTER_DISABLED);
        return;
    }
    if (c->pins[I2C_SDA] == 0 || c->pins[I2C_SCL] == 0)
        report_note(m, n == 0 ? "I2C0 starts, but no pin has its SDA or SCL function"
                              : "I2C1 starts, but no pin has its SDA or SCL function");
    c->raw |= I2C_ACTIVITY;
    phase(m, n, I2C_START, when + high_time(c));
    pull_sda(m, n, true, when);
}

static void address(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    phase(m, n, I2C_SETUP, TAKT_NEVER);
    pull_scl(m, n, true, when);
    if (c->tx_count != 0)
        c->reading = (c->tx[c->tx_head] & I2C_CMD_READ) != 0;
    byte_begin(m, n, I2C_ADDRESS, (c->tar & 0x7f) << 2 | (uint32_t)c->reading << 1 | 1, when);
}

static bool may_start(const struct i2c *c)
{
    return c->phase == I2C_IDLE && (c->enable & 5) == 1 && c->tx_count != 0 && !c->busy &&
           !c->flushed;
}

void i2c_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    unsigned n = id - EV_I2C0;
    struct i2c *c = i2c_of(m, n);
    switch (c->phase) {
    case I2C_START:
        address(m, n, when);
        break;
    case I2C_SETUP:
        phase(m, n, I2C_LOW, c->fell + low_time(c));
        pull_sda(m, n, c->next_sda_low, when);
        break;
    case I2C_LOW:
        phase(m, n, I2C_RISING, TAKT_NEVER);
        pull_scl(m, n, false, when);
        break;
    case I2C_HIGH:
        pulse_end(m, n, when);
        break;
    case I2C_FREE:
        phase(m, n, I2C_IDLE, TAKT_NEVER);
        if (may_start(c))
            start(m, n, when);
        break;
    case I2C_IDLE:
    case I2C_RISING:
    case I2C_WAITING:
        break;
    }
}

/* SCL low for want of a command, of a decision, of room: perhaps no longer. */
static void go_on(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    if (c->wait == I2C_WAIT_ROOM)
        received(m, n, when);
    else if (c->wait == I2C_WAIT_ACK)
        acknowledge(m, n, when);
    else
        next_command(m, n, when);
}

void i2c_kick(struct takt_machine *m, unsigned n)
{
    struct i2c *c = i2c_of(m, n);
    if (c->phase == I2C_WAITING)
        go_on(m, n, m->now);
    else if (may_start(c))
        start(m, n, m->now);
}

static void condition_seen(struct takt_machine *m, unsigned n, bool free, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    c->busy = !free;
    c->raw |= free ? I2C_STOP_DET : I2C_START_DET;
    c->raw |= I2C_ACTIVITY;
    i2c_update_irq(m, n);
    if (free && c->phase == I2C_IDLE)
        phase(m, n, I2C_FREE, when + low_time(c));
}

/* A wire has moved, by whomever. */
void i2c_lines(struct takt_machine *m, unsigned n, bool sda_moved, bool scl_moved, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    bool scl = line(m, c, I2C_SCL), on = (c->enable & 1) != 0 || c->closing;
    if (c->pins[I2C_SDA] == 0 || c->pins[I2C_SCL] == 0)
        return;
    if (scl_moved && scl && c->phase == I2C_RISING)
        high(m, n, when);
    else if (scl_moved && !scl && c->phase == I2C_HIGH && c->element >= I2C_RESTART)
        phase(m, n, I2C_RISING, TAKT_NEVER);
    else if (scl_moved && !scl && c->phase == I2C_HIGH)
        pulse_end(m, n, when);
    else if (sda_moved && !scl_moved && scl && on)
        condition_seen(m, n, line(m, c, I2C_SDA), when);
}

/* As the next read begins: is it known that its byte will be refused? */
bool i2c_last(const struct takt_machine *m, unsigned n)
{
    const struct i2c *c = &m->soc->i2c[n];
    if (c->tx_count == 0)
        return c->closing || c->abort;
    uint32_t next = c->tx[(c->tx_head + 1) % I2C_FIFO];
    bool ends = (next & (I2C_CMD_READ | I2C_CMD_RESTART)) != I2C_CMD_READ;
    return (c->tx[c->tx_head] & I2C_CMD_STOP) != 0 || (c->tx_count > 1 && ends);
}

/* After a change of functions. */
void i2c_wire(struct takt_machine *m)
{
    for (unsigned n = 0; n < 2; n++) {
        for (unsigned which = 0; which < 2; which++) {
            uint32_t pins = gpio_with_function(m, FUNC_I2C, 0x11111111u << (2 * n + which));
            m->soc->i2c[n].pins[which] = pins;
            i2c_bus_wire(m, n, (enum i2c_line)which, (struct wire){0, pins});
        }
    }
}
