/* The chip's address map, clock gates, and the calls the machine makes into it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stm32f0.h"

/* What is there, but not modelled; and what has no clock gate. */
static const struct device others[] = {
    {"RTC", 0x40002800, ON_ALWAYS, 0, NULL, NULL, NULL},
    {"DAC", 0x40007400, ON_APB1, 29, NULL, NULL, NULL},
    {"CEC", 0x40007800, ON_APB1, 30, NULL, NULL, NULL},
    {"DMA", 0x40020000, ON_AHB, 0, NULL, NULL, NULL},
    {"CRC", 0x40023000, ON_AHB, 6, NULL, NULL, NULL},
    {"TSC", 0x40024000, ON_AHB, 24, NULL, NULL, NULL},
};

static const struct device *const devices[] = {
    &rcc_device,        &flash_device,      &f0_syscfg_device,  &exti_device,
    &gpioa_device,      &gpiob_device,      &gpioc_device,      &gpiod_device,
    &gpiof_device,      &tim_devices[0],    &tim_devices[1],    &tim_devices[2],
    &tim_devices[3],    &tim_devices[4],    &tim_devices[5],    &tim_devices[6],
    &tim_devices[7],    &usart_devices[0],  &usart_devices[1],  &f0_spi_devices[0],
    &f0_spi_devices[1], &f0_i2c_devices[0], &f0_i2c_devices[1], &f0_adc_device,
    &iwdg_device,       &wwdg_device,       &pwr_device,        &dbgmcu_device,
    &others[0],         &others[1],         &others[2],         &others[3],
    &others[4],         &others[5],
};
#define DEVICES (sizeof devices / sizeof devices[0])

/* Blocks are 1 KB; index of the block: APB 0-95, AHB1 from 128, AHB2 from 160. */
#define BLOCKS 176u

static uint32_t block_of(uint32_t address)
{
    uint32_t apb = (address - 0x40000000u) >> 10, ahb1 = (address - 0x40020000u) >> 10,
             ahb2 = (address - 0x48000000u) >> 10;
    return apb < 96 ? apb : ahb1 < 32 ? 128 + ahb1 : ahb2 < 16 ? 160 + ahb2 : BLOCKS;
}

static int create(struct takt_machine *m)
{
    m->f0 = calloc(1, sizeof *m->f0);
    if (m->f0 == NULL)
        return -1;
    for (unsigned k = 0; k < DEVICES; k++)
        m->f0->map[block_of(devices[k]->base)] = (uint8_t)(k + 1);
    m->event_do[EV_RCC] = rcc_event;
    for (unsigned n = 0; n < TIMS; n++)
        m->event_do[EV_TIM + n] = tim_event;
    for (unsigned n = 0; n < 2; n++) {
        m->event_do[EV_USART_TX + n] = usart_tx_event;
        m->event_do[EV_USART_RX + n] = usart_rx_event;
        m->event_do[EV_SPI + n] = f0_spi_event;
        m->event_do[EV_I2C + n] = f0_i2c_event;
        m->event_do[EV_I2C_TIMEOUT + n] = f0_i2c_timeout_event;
    }
    m->event_do[EV_ADC] = f0_adc_event;
    m->event_do[EV_IWDG] = iwdg_event;
    return 0;
}

static void destroy(struct takt_machine *m)
{
    free(m->f0);
}

static void reset(struct takt_machine *m)
{
    for (unsigned k = 0; k < DEVICES; k++) {
        if (devices[k]->reset != NULL)
            devices[k]->reset(m);
    }
    f0_adc_power_on(m);
}

/* BOOT0 is low: flash at address 0. */
static int boot(struct takt_machine *m)
{
    uint32_t words[2];
    takt_read(m, m->flash_base, words, 8);
    if (words[0] == 0xffffffffu && words[1] == 0xffffffffu) {
        machine_fail(m, TAKT_STOP_FAULT, "boot: flash is empty");
        return -1;
    }
    m->exc.vtor = 0;
    m->r[13] = words[0] & ~3u;
    code_jump(m, words[1] & ~1u);
    return 0;
}

/* Address 0 shows flash, or RAM, by SYSCFG (system memory: not there). */
static uint8_t *memory(struct takt_machine *m, uint32_t address, uint32_t size)
{
    uint32_t mode = m->f0->syscfg.cfgr1 & 3;
    if ((mode & 1) == 0 && address < m->flash_size && size <= m->flash_size - address)
        return mode == 0 ? m->flash + address : NULL;
    if (mode == 3 && address < m->ram_size && size <= m->ram_size - address)
        return m->ram + address;
    return NULL;
}

void report_device(struct takt_machine *m, const char *what, uint32_t base, uint32_t offset,
                   bool write, uint32_t value)
{
    report_access(m, what, base + offset, offset, write, value);
}

/* Brings the devices whose bits are set to their power-on state. */
void devices_reset(struct takt_machine *m, uint32_t bus, uint32_t bits)
{
    for (unsigned k = 0; k < DEVICES; k++) {
        const struct device *d = devices[k];
        if (d->bus == bus && (bits >> d->bit & 1) != 0 && d->reset != NULL)
            d->reset(m);
    }
}

void devices_gate(struct takt_machine *m)
{
    for (unsigned k = 0; k < DEVICES; k++) {
        const struct device *d = devices[k];
        m->f0->alive[block_of(d->base)] = rcc_clocked(m, d) && !rcc_held(m, d) && d->read != NULL;
    }
}

/* Nobody hears it: no such device, one that is not modelled, without clock, or in reset. */
static void report_dead(struct takt_machine *m, uint32_t address, bool write, uint32_t value)
{
    uint32_t k = m->f0->map[block_of(address)];
    const struct device *d = k != 0 ? devices[k - 1] : NULL;
    char name[48];
    snprintf(name, sizeof name, "%s%s",
             d == NULL || d->read == NULL ? ""
             : rcc_held(m, d)             ? "in reset: "
                                          : "no clock: ",
             d == NULL ? "reserved" : d->name);
    report_access(m, name, address, address & (d == NULL ? 0x0fffffff : 0x3ff), write, value);
}

/* The bridge to the APB: a cycle at full speed, or what its slower clock takes (assumed). */
static int32_t bus_cycles(const struct takt_machine *m, uint32_t address)
{
    return address < 0x40020000u ? (int32_t)(2 * m->f0->rcc.pclk_div) - 1 : 0;
}

static bool information(struct takt_machine *m, uint32_t address, uint32_t *value)
{
    static const uint32_t id[3] = {0x00340031, 0x4b345012, 0x20313237};
    if (address >= 0x1ffff7ac && address < 0x1ffff7b8)
        *value = id[(address - 0x1ffff7ac) / 4];
    else if (address == 0x1ffff7cc) /* kilobytes of flash */
        *value = m->flash_size / 1024;
    else if (address == 0x1ffff7b8) /* readings: internal reference, 30 degrees */
        *value = 1526u << 16 | 1775;
    else if (address == 0x1ffff7c0) /* 110 degrees */
        *value = 1347u << 16;
    else if (address >= 0x1fffec00 && address < 0x1ffff810)
        report_device(m, "system memory, option bytes", 0x1fffec00, address - 0x1fffec00, false, 0);
    else
        return false;
    return true;
}

static uint32_t read_register(struct takt_machine *m, uint32_t address)
{
    uint32_t block = block_of(address), value = 0;
    if (block == BLOCKS) {
        m->bus_extra = 0;
        m->bus_fault = !information(m, address, &value);
        return value;
    }
    m->bus_extra = bus_cycles(m, address);
    if (m->f0->alive[block])
        return devices[m->f0->map[block] - 1]->read(m, address & 0x3ff);
    report_dead(m, address, false, 0);
    return 0;
}

static void write_register(struct takt_machine *m, uint32_t address, uint32_t value)
{
    uint32_t block = block_of(address);
    m->bus_extra = bus_cycles(m, address);
    if (block == BLOCKS)
        m->bus_fault = true;
    else if (m->f0->alive[block])
        devices[m->f0->map[block] - 1]->write(m, address & 0x3ff, value);
    else
        report_dead(m, address, true, value);
}

/* Could anything still interrupt? Either an event is due, or the outside may act. */
static bool can_wake(const struct takt_machine *m)
{
    const struct exti *e = &m->f0->exti;
    uint32_t irqs = (uint32_t)(m->exc.enabled >> EXC_IRQ0), pins = e->imr & (e->rtsr | e->ftsr);
    bool outside = ((irqs & 7u << IRQ_EXTI0_1) != 0 && pins != 0) || e->emr != 0;
    bool ends = systick_interrupts(m) || m->event_at[EV_IWDG] != TAKT_NEVER;
    if (irqs == 0 && !outside && !ends)
        return false; /* whatever timers do */
    for (unsigned n = 0; n < 2 && !outside; n++) {
        outside = (irqs >> (IRQ_USART1 + n) & 1 && (m->f0->usart[n].cr1 & 0x20) != 0) ||
                  (irqs >> (IRQ_I2C1 + n) & 1 && m->f0->i2c[n].phase == I2C_RISING);
    }
    outside = outside || systick_interrupts(m);
    for (unsigned id = EV_EXTERNAL + 1; id < EV_RTT && !outside; id++)
        outside = id != EV_SYSTICK && m->event_at[id] != TAKT_NEVER;
    return outside;
}

static uint32_t hz(const struct takt_machine *m)
{
    return m->f0->rcc.hclk_hz;
}

static uint32_t systick_cycles(const struct takt_machine *m)
{
    (void)m;
    return 8; /* HCLK / 8 */
}

const struct chip stm32f051_chip = {
    .name = "stm32f051",
    .core = TAKT_CORE_M0,
    .flash_base = 0x08000000,
    .flash_size = 0x00010000,
    .ram_size = 0x00002000,
    .vectors = 0x08000000,
    .vtor = false,
    .pin_mask = {0xffffffff, 0x0004ffff, 0x00f30000}, /* PA, PB; PC, PD2; PF0-1, PF4-7 */
    .adc_channels = 19,
    .systick_calibration = 0x40001770,
    .create = create,
    .destroy = destroy,
    .reset = reset,
    .boot = boot,
    .memory = memory,
    .read = read_register,
    .write = write_register,
    .pins_changed = exti_changed,
    .edges_passed = exti_edges_passed,
    .edges_matter = exti_edges_matter,
    .outputs_refresh = port_refresh,
    .pin_pwm = tim_pin_pwm,
    .uart_waits = usart_waits,
    .i2c_lines = f0_i2c_lines,
    .i2c_last = f0_i2c_last,
    .spi_settings = f0_spi_settings,
    .adc_set = f0_adc_set,
    .can_wake = can_wake,
    .hz = hz,
    .systick_cycles = systick_cycles,
    .clock_us = tim_us,
};
