/*
 * The I2C controller of the STM32F0 (RM0091 chapter 26). It has no FIFO: every byte is an
 * interrupt, and the controller holds the clock until it is served, so late is never wrong.
 *
 *   START address, out_len bytes [, START address, in_len bytes] STOP
 *
 * It counts bytes itself, up to 255 at a time (`reload` for more), and ends by itself after the
 * last or after a refusal. `commanded` are bytes given to it, of both directions.
 */
#include <takt/i2c.h>

#include "../clock/stm32f0_clock.h"
#include "../stm32f0/start.h"
#include "bus.h"

enum {
    CR1_ENABLE = 1u << 0,
    CR1_TELL = 0xF6u, /* tx, rx, refused, stop, complete, errors */
    CR2_READ = 1u << 10,
    CR2_START = 1u << 13,
    CR2_COUNT_SHIFT = 16,
    CR2_RELOAD = 1u << 24,
    CR2_AUTO_END = 1u << 25,
    ISR_EMPTY = 1u << 0, /* written: drops what waits to be sent */
    ISR_SEND = 1u << 1,
    ISR_RECEIVED = 1u << 2,
    ISR_REFUSED = 1u << 4,
    ISR_STOP = 1u << 5,
    ISR_COMPLETE = 1u << 6,
    ISR_RELOAD = 1u << 7,
    ISR_LOST = 3u << 8, /* bus error, arbitration */
    COUNT_MOST = 255,
    FUNCTION = 1, /* of all pins */
    MHZ = STM32F0_SYS_HZ / 1000000u,
};

STM32F0_START_ADD(clocks, 20, STM32F0_RCC->apb1enr, STM32F0_APB1_I2C1 | STM32F0_APB1_I2C2);
STM32F0_START_ADD(source, 20, STM32F0_RCC->cfgr3, STM32F0_CFGR3_I2C1_SYSCLK);

static uint8_t rang; /* bit n: the alarm of bus n; written with interrupts off */

bool i2c_chip_pins_fit(uint8_t n, uint8_t sda, uint8_t scl)
{
    static const uint8_t pairs[][3] = {{0, STM32F0_PIN('B', 7), STM32F0_PIN('B', 6)},
                                       {0, STM32F0_PIN('B', 9), STM32F0_PIN('B', 8)},
                                       {1, STM32F0_PIN('B', 11), STM32F0_PIN('B', 10)}};
    if (sda >= stm32f0_pin_count || scl >= stm32f0_pin_count)
        return false;
    for (unsigned i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (pairs[i][0] == n && pairs[i][1] == stm32f0_pins[sda] &&
            pairs[i][2] == stm32f0_pins[scl])
            return true;
    return false;
}

void i2c_chip_pin_start(uint8_t pin)
{
    stm32f0_pin_set(stm32f0_pins[pin], STM32F0_ALTERNATE | STM32F0_OPEN_DRAIN, STM32F0_PULL_UP,
                    FUNCTION);
}

void i2c_chip_pin_by_hand(uint8_t pin)
{
    i2c_chip_let_go(pin);
    stm32f0_pin_set(stm32f0_pins[pin], STM32F0_OUTPUT | STM32F0_OPEN_DRAIN, STM32F0_PULL_UP, 0);
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t rounded_up(uint32_t a, uint32_t b)
{
    return (a + b - 1u) / b;
}

/* 3/5 of a period low, as the fast mode wants, in units of so many cycles that all fits its field;
 * the controller itself adds a few cycles to each half. Data holds for 200 ns and is there 1.25 us
 * before the clock rises, above 100 kHz 400 ns (26.4.9). */
uint32_t i2c_fifo_clock(uint32_t hz)
{
    uint32_t period = rounded_up(STM32F0_SYS_HZ, hz), low = period * 3u / 5u, high = period - low;
    uint32_t ahead = hz <= 100000u ? MHZ * 5u / 4u : MHZ * 2u / 5u;
    uint32_t unit = least(16u, rounded_up(low, 256u) > 4u ? rounded_up(low, 256u) : 4u);
    if (hz > 400000u)
        unit = 2;
    return (unit - 1u) << 28 | (rounded_up(ahead, unit) - 1u) << 20 |
           rounded_up(MHZ / 5u, unit) << 16 | (high / unit - 1u) << 8 | (low / unit - 1u);
}

void i2c_fifo_reset(struct i2c_bus *bus)
{
    struct stm32f0_i2c *hw = i2c_chip_hw(&bus->chip);
    uint32_t clock = bus->clock;
    hw->cr1 = 0;
    hw->timingr = clock;
    hw->cr1 = CR1_ENABLE;
    bus->set_clock = clock;
}

static bool reading(const struct i2c_transfer *t)
{
    return t->in_len > 0 && t->commanded >= t->out_len;
}

/* Says how many bytes come next, and what after them. start: 0, or CR2_START. */
static void announce(struct stm32f0_i2c *hw, const struct i2c_transfer *t, uint32_t start)
{
    bool read = reading(t);
    uint32_t left = read ? t->in_len - t->received : t->out_len - t->commanded;
    uint32_t after = left > COUNT_MOST ? CR2_RELOAD : read || t->in_len == 0 ? CR2_AUTO_END : 0;
    hw->cr2 = (uint32_t)t->address << 1 | (read ? (uint32_t)CR2_READ : 0) | start |
              least(left, COUNT_MOST) << CR2_COUNT_SHIFT | after;
}

void i2c_fifo_start(struct i2c_bus *bus)
{
    struct stm32f0_i2c *hw = i2c_chip_hw(&bus->chip);
    if (bus->set_clock != bus->clock)
        i2c_fifo_reset(bus);
    bus->refusal = TAKT_OK;
    hw->icr = ISR_REFUSED | ISR_STOP | ISR_LOST;
    hw->cr1 = CR1_ENABLE | CR1_TELL;
    announce(hw, i2c_current(bus), CR2_START);
}

/* It ends by itself now. Only a byte already given to it can be what was refused. */
static void refused(struct i2c_bus *bus, struct stm32f0_i2c *hw, const struct i2c_transfer *t)
{
    hw->icr = ISR_REFUSED;
    hw->isr = ISR_EMPTY;
    bus->refusal = (hw->cr2 & CR2_READ) || t->commanded == 0 ? TAKT_ENACK : TAKT_EREFUSED;
}

static void feed(struct stm32f0_i2c *hw, struct i2c_transfer *t)
{
    uint32_t is = hw->isr;
    if ((is & ISR_SEND) && t->commanded < t->out_len)
        hw->txdr = t->out[t->commanded++];
    if (is & ISR_RECEIVED) {
        uint8_t byte = (uint8_t)hw->rxdr;
        if (t->received < t->in_len)
            t->in[t->received++] = byte;
    }
    if (is & ISR_RELOAD)
        announce(hw, t, 0);
    else if (is & ISR_COMPLETE)
        announce(hw, t, CR2_START);
}

enum i2c_progress i2c_fifo_serve(struct i2c_bus *bus)
{
    struct stm32f0_i2c *hw = i2c_chip_hw(&bus->chip);
    struct i2c_transfer *t = i2c_current(bus);
    if (hw->isr & ISR_LOST)
        return I2C_LOST;
    if (hw->isr & ISR_REFUSED)
        refused(bus, hw, t);
    feed(hw, t);
    if (!(hw->isr & ISR_STOP))
        return I2C_GOES_ON;
    hw->icr = ISR_STOP;
    hw->cr1 = CR1_ENABLE;
    bool whole = t->received == t->in_len && t->commanded == t->out_len;
    return bus->refusal != TAKT_OK || whole ? I2C_OVER : I2C_LOST;
}

void stm32f0_clock_alarms_isr(uint32_t channels)
{
    for (uint8_t n = 0; n < TAKT_I2C_BUSES; n++) {
        const struct i2c_chip *chip = &i2c_buses[n].chip;
        if (!(channels & i2c_chip_alarm_bit(chip)))
            continue;
        i2c_chip_alarm_seen(chip);
        rang |= (uint8_t)(1u << n);
        i2c_chip_pend(chip);
    }
}

static void serve(uint8_t n, enum stm32f0_irq irq)
{
    uint8_t bit = (uint8_t)(1u << n);
    if (rang & bit) {
        port_irq_t off = port_irq_save();
        rang &= (uint8_t)~bit;
        port_irq_restore(off);
        i2c_serve_alarm(n, (uint8_t)irq);
    }
    i2c_serve_controller(n, (uint8_t)irq);
}

void isr_i2c1(void)
{
    serve(0, STM32F0_IRQ_I2C1);
}

void isr_i2c2(void)
{
    serve(1, STM32F0_IRQ_I2C2);
}
