/*
 * The SPI controller of the STM32F0 (RM0091 chapter 28): FIFOs of 32 bits either way, four frames
 * of up to 8 bits or two longer ones. It receives a frame for each it sends, and no more are sent
 * than there is room for.
 */
#include "../stm32f0/start.h"
#include "bus.h"

STM32F0_START_ADD(spi1, 20, STM32F0_RCC->apb2enr, STM32F0_APB2_SPI1);
STM32F0_START_ADD(spi2, 20, STM32F0_RCC->apb1enr, STM32F0_APB1_SPI2);

enum {
    CR1_CONTROLLER = 1u << 2,
    CR1_RATE_SHIFT = 3,
    CR1_ENABLE = 1u << 6,
    CR1_LSB_FIRST = 1u << 7,
    CR1_SELECTED = 3u << 8, /* as far as it is concerned: no other controller */
    CR2_BITS_SHIFT = 8,
    CR2_RECEIVED_8 = 1u << 12, /* one byte counts as received, else two */
    SR_RECEIVED = 1u << 0,
    SR_BUSY = 1u << 7,
    BURST = 4, /* frames taken per call, for interrupts are off meanwhile */
};

void spi_fifo_reset(struct spi_bus *bus)
{
    spi_chip_stop(&bus->chip);
}

bool spi_fifo_possible(const struct takt_spi_settings *s)
{
    bool order = !s->lsb_first || s->bits == 8 || s->bits == 16;
    return s->hz >= TAKT_SPI_HZ_MIN && s->mode < 4 && s->bits >= 4 && s->bits <= 16 && order;
}

/* The clock is divided by 2 << rate, 2 to 256. */
uint32_t spi_fifo_plan(struct spi_transfer *t)
{
    const struct takt_spi_settings *s = &t->settings;
    uint32_t rate = 0;
    while (rate < 7 && STM32F0_SYS_HZ >> (rate + 1u) > s->hz)
        rate++;
    t->cr1 = (uint16_t)(CR1_SELECTED | CR1_CONTROLLER | rate << CR1_RATE_SHIFT | s->mode |
                        (s->lsb_first ? (unsigned)CR1_LSB_FIRST : 0u));
    t->cr0 = (uint16_t)((s->bits - 1u) << CR2_BITS_SHIFT |
                        (s->bits <= 8 ? (unsigned)CR2_RECEIVED_8 : 0u));
    return (s->bits * (1000u << (rate + 1u))) / (STM32F0_SYS_HZ / 1000000u);
}

void spi_fifo_set(struct spi_bus *bus)
{
    struct stm32f0_spi *hw = spi_chip_hw(&bus->chip);
    const struct spi_transfer *t = spi_current(bus);
    hw->cr1 = 0;
    hw->cr2 = t->cr0;
    hw->cr1 = t->cr1;
    hw->cr1 = t->cr1 | (uint32_t)CR1_ENABLE;
}

static void put(struct stm32f0_spi *hw, const struct spi_transfer *t)
{
    if (t->settings.bits <= 8)
        hw->dr8 = t->out != NULL ? ((const uint8_t *)t->out)[t->sent] : 0;
    else
        hw->dr16 = t->out != NULL ? ((const uint16_t *)t->out)[t->sent] : 0;
}

static void take(struct stm32f0_spi *hw, const struct spi_transfer *t)
{
    if (t->settings.bits <= 8) {
        uint8_t byte = hw->dr8;
        if (t->in != NULL)
            ((uint8_t *)t->in)[t->received] = byte;
    } else {
        uint16_t word = hw->dr16;
        if (t->in != NULL)
            ((uint16_t *)t->in)[t->received] = word;
    }
}

bool spi_fifo_move(struct spi_bus *bus)
{
    struct stm32f0_spi *hw = spi_chip_hw(&bus->chip);
    struct spi_transfer *t = spi_current(bus);
    uint32_t depth = t->settings.bits <= 8 ? 4 : 2;
    for (unsigned most = BURST; most > 0 && (hw->sr & SR_RECEIVED); most--) {
        take(hw, t);
        t->received++;
    }
    while (t->sent < t->n && t->sent - t->received < depth) {
        put(hw, t);
        t->sent++;
    }
    if (t->received < t->n)
        return false;
    while (hw->sr & SR_BUSY) { /* the second half of the last bit: 3 us at most */
    }
    return true;
}

void spi_fifo_tell(struct spi_bus *bus, bool tell)
{
    (void)bus, (void)tell; /* served by threads */
}

void isr_spi1(void)
{
    spi_serve(0, STM32F0_IRQ_SPI1);
}

void isr_spi2(void)
{
    spi_serve(1, STM32F0_IRQ_SPI2);
}
