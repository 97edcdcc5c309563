/* The chip's address map, resets, and the calls the machine makes into it. */
#include <stdlib.h>
#include <string.h>

#include "rp2040.h"

static const struct device rtc = {"RTC", 0x4005c000, 15, NULL, NULL, NULL};
static const struct device tbman = {"TBMAN", 0x4006c000, -1, NULL, NULL, NULL};

#define DEVICES      28u
#define FAST_DEVICES 3u

/* Indexed by (address - 0x40000000) / 0x4000. */
static const struct device *const devices[DEVICES] = {
    &sysinfo_device, &syscfg_device,     &clocks_device,
    &resets_device,  &psm_device,        &io_bank0_device,
    &io_qspi_device, &pads_bank0_device, &pads_qspi_device,
    &xosc_device,    &pll_sys_device,    &pll_usb_device,
    &busctrl_device, &uart0_device,      &uart1_device,
    &spi0_device,    &spi1_device,       &i2c0_device,
    &i2c1_device,    &adc_device,        &pwm_device,
    &timer_device,   &watchdog_device,   &rtc,
    &rosc_device,    &vreg_device,       NULL,
    &tbman,
};

/* On the AHB-Lite bus: no bridge, no extra cycles. */
static const struct device *const fast_devices[FAST_DEVICES] = {&dma_device, &pio0_device,
                                                             &pio1_device};

static int create(struct takt_machine *m)
{
    m->soc = calloc(1, sizeof *m->soc);
    for (unsigned k = 0; k < 4; k++)
        m->event_do[EV_TIMER0 + k] = timer_event;
    for (unsigned k = 0; k < 8; k++)
        m->event_do[EV_PWM0 + k] = pwm_event;
    for (unsigned k = 0; k < 2; k++) {
        m->event_do[EV_UART0_TX + k] = uart_tx_event;
        m->event_do[EV_UART0_RX + k] = uart_rx_event;
        m->event_do[EV_UART0_TIMEOUT + k] = uart_timeout_event;
        m->event_do[EV_SPI0 + k] = spi_event;
        m->event_do[EV_SPI0_TIMEOUT + k] = spi_timeout_event;
        m->event_do[EV_I2C0 + k] = i2c_event;
    }
    for (unsigned k = 0; k < PIO_BLOCKS; k++)
        m->event_do[EV_PIO0 + k] = pio_event;
    m->event_do[EV_DMA] = dma_event;
    m->event_do[EV_DMA_TIMER] = dma_timer_event;
    m->event_do[EV_ADC] = adc_event;
    m->event_do[EV_WATCHDOG] = watchdog_event;
    return m->soc != NULL ? 0 : -1;
}

static void destroy(struct takt_machine *m)
{
    free(m->soc);
}

static const struct device *device(unsigned k)
{
    return k < DEVICES ? devices[k] : fast_devices[k - DEVICES];
}

static void reset(struct takt_machine *m)
{
    memset(&m->soc->pio_inputs, 0, sizeof m->soc->pio_inputs);
    for (unsigned k = 0; k < DEVICES + FAST_DEVICES; k++) {
        if (device(k) != NULL && device(k)->reset != NULL)
            device(k)->reset(m);
    }
    memset(m->soc->xip_ctrl, 0, sizeof m->soc->xip_ctrl);
    sio_reset(m);
    cache_flush(m);
    ssi_reset(m);
    adc_power_on(m);
    clocks_update(m);
    gpio_outputs(m, m->now);
}

/* Brings the devices of newly asserted reset bits to their power-on state. */
void chip_reset_devices(struct takt_machine *m, uint32_t bits)
{
    for (unsigned k = 0; k < DEVICES + FAST_DEVICES; k++) {
        const struct device *d = device(k);
        if (d != NULL && d->reset != NULL && d->reset_bit >= 0 && (bits >> d->reset_bit & 1) != 0)
            d->reset(m);
    }
}

static bool apb(uint32_t address)
{
    return address >> 28 == 4;
}

static const struct device *device_at(uint32_t address)
{
    uint32_t index = (address - 0x40000000u) / 0x4000;
    if (index < DEVICES)
        return devices[index];
    for (unsigned k = 0; k < FAST_DEVICES; k++) {
        if (address - fast_devices[k]->base < 0x4000)
            return fast_devices[k];
    }
    return NULL;
}

static bool in_reset(struct takt_machine *m, const struct device *d, uint32_t address, bool write,
                     uint32_t value)
{
    if (d->reset_bit < 0 || (m->soc->reset >> d->reset_bit & 1) == 0)
        return false;
    char name[32] = "in reset: ";
    strncat(name, d->name, 16);
    report_access(m, name, address, address & 0xfff, write, value);
    return true;
}

static bool known(struct takt_machine *m, uint32_t address, bool write, uint32_t value)
{
    static const struct {
        uint32_t from, to;
        const char *name;
    } others[] = {
        {0x00000000, 0x00004000, "ROM"},  {0x15000000, 0x15004000, "XIP_SRAM"},
        {0x50100000, 0x50101000, "USB_DPRAM"},
        {0x50110000, 0x50111000, "USB"},  {0x50400000, 0x50404000, "XIP_AUX"},
    };
    for (unsigned k = 0; k < sizeof others / sizeof others[0]; k++) {
        if (address >= others[k].from && address < others[k].to) {
            report_access(m, others[k].name, address, address - others[k].from, write, value);
            return true;
        }
    }
    return false;
}

/* APB accesses take 2 extra cycles to read, 3 to write (datasheet 2.1.3). */
static uint32_t read_register(struct takt_machine *m, uint32_t address)
{
    const struct device *d = device_at(address);
    if (address >> 28 == 0xd) {
        m->bus_extra = -(int32_t)m->cost.port;
        return sio_read(m, address & 0xfffffff);
    }
    m->bus_extra = apb(address) ? 2 : 0;
    if (d != NULL) {
        if (in_reset(m, d, address, false, 0))
            return 0;
        if (d->read != NULL)
            return d->read(m, address & 0xfff);
        report_access(m, d->name, address, address & 0x3fff, false, 0);
        return 0;
    }
    m->bus_extra = 0;
    if (address >> 14 == 0x18000000u >> 14)
        return ssi_read(m, address & 0xfff);
    if (address >> 14 == 0x14000000u >> 14)
        return xip_read(m, address & 0xfff);
    m->bus_fault = !known(m, address, false, 0);
    return 0;
}

static void device_write(struct takt_machine *m, const struct device *d, uint32_t address,
                         uint32_t value)
{
    uint32_t offset = address & 0xfff, alias = address >> 12 & 3;
    if (d->write == NULL) {
        report_access(m, d->name, address, address & 0x3fff, true, value);
        return;
    }
    if (alias != 0) {
        uint32_t old = d->read(m, offset);
        value = alias == 1 ? old ^ value : alias == 2 ? old | value : old & ~value;
    }
    d->write(m, offset, value);
}

static void write_register(struct takt_machine *m, uint32_t address, uint32_t value)
{
    const struct device *d = device_at(address);
    if (address >> 28 == 0xd) {
        m->bus_extra = -(int32_t)m->cost.port;
        sio_write(m, address & 0xfffffff, value);
        return;
    }
    if (d != NULL) {
        m->bus_extra = apb(address) ? 3 : 0;
        if (!in_reset(m, d, address, true, value))
            device_write(m, d, address, value);
    } else if (address >> 14 == 0x18000000u >> 14) {
        ssi_write(m, address & 0xfff, value);
    } else if (address >> 14 == 0x14000000u >> 14) {
        xip_write(m, address & 0xfff, value);
    } else {
        m->bus_fault = !known(m, address, true, value);
    }
}

/* Could anything still interrupt? Either an event is due, or the outside may act. */
static bool can_wake(const struct takt_machine *m)
{
    const struct exceptions *e = &m->exc;
    uint32_t irqs = (uint32_t)(e->enabled >> EXC_IRQ0);
    if (irqs == 0 && !systick_interrupts(m) && m->event_at[EV_WATCHDOG] == TAKT_NEVER)
        return false; /* whatever timers do */
    bool outside = (irqs >> IRQ_IO_BANK0 & 1 && gpio_can_interrupt(m)) ||
                   (irqs >> IRQ_UART0 & 1 && m->soc->uart[0].imsc != 0) ||
                   (irqs >> IRQ_UART1 & 1 && m->soc->uart[1].imsc != 0) ||
                   (irqs >> IRQ_I2C0 & 1 && m->soc->i2c[0].phase == I2C_RISING) ||
                   (irqs >> IRQ_I2C1 & 1 && m->soc->i2c[1].phase == I2C_RISING) ||
                   ((irqs >> IRQ_PIO0_0 & 15) != 0 && pio_can_interrupt(m)) ||
                   ((irqs >> IRQ_DMA0 & 3) != 0 && dma_can_interrupt(m)) ||
                   systick_interrupts(m);
    for (unsigned id = EV_EXTERNAL + 1; id < EV_RTT && !outside; id++)
        outside = id != EV_SYSTICK && m->event_at[id] != TAKT_NEVER;
    return outside;
}

static uint32_t hz(const struct takt_machine *m)
{
    return m->soc->clocks.sys_hz;
}

static uint32_t systick_cycles(const struct takt_machine *m)
{
    uint32_t cycles = hz(m) / 1000000; /* the reference is the 1 us tick */
    return cycles != 0 ? cycles : 1;
}

/* 0x21000000: the four 64 KB banks one after the other, at 0x20000000 interleaved by words. */
static uint32_t unstripe(uint32_t off)
{
    return (off & 0xffffu & ~3u) << 2 | (off >> 16) << 2 | (off & 3);
}

static uint8_t *memory(struct takt_machine *m, uint32_t address, uint32_t size)
{
    uint32_t banks = address - 0x21000000u, flash = address & 0x00ffffffu;
    if (banks < 0x40000u && size <= 4)
        return m->ram + unstripe(banks);
    if (address >= m->flash_base && address < 0x14000000u && flash < m->flash_size &&
        size <= m->flash_size - flash)
        return m->flash + flash;
    return NULL;
}

const struct chip rp2040_chip = {
    .name = "rp2040",
    .core = TAKT_CORE_M0P,
    .flash_base = 0x10000000,
    .flash_size = 0x00200000,
    .ram_size = 0x00042000,
    .vectors = 0x10000100,
    .vtor = true,
    .mpu_regions = 8,
    .pin_mask = {(1u << PIN_COUNT) - 1},
    .adc_channels = 5,
    .systick_calibration = 0xc0000000u,
    .create = create,
    .destroy = destroy,
    .reset = reset,
    .boot = rp2040_boot,
    .memory = memory,
    .flash_wait = cache_wait,
    .fetch_wait = cache_fetch_wait,
    .read = read_register,
    .write = write_register,
    .pins_changed = gpio_changed,
    .edges_passed = gpio_edges_passed,
    .edges_matter = gpio_edges_matter,
    .outputs_refresh = gpio_refresh,
    .pin_pwm = pwm_of_pin,
    .uart_waits = uart_waits,
    .i2c_lines = i2c_lines,
    .i2c_last = i2c_last,
    .spi_settings = spi_settings,
    .adc_set = adc_set,
    .can_wake = can_wake,
    .hz = hz,
    .systick_cycles = systick_cycles,
    .clock_us = timer_us,
};
