/* RP2040: the devices around core 0 (register addresses and behaviour: RP2040 datasheet). */
#ifndef TAKT_RP2040_H
#define TAKT_RP2040_H

#include "../core/machine.h"
#include "dma.h"
#include "i2c.h"
#include "pio.h"

#define PIN_COUNT 30u

enum rp2040_event {
    EV_TIMER0 = EV_CHIP,
    EV_UART0_TX = EV_TIMER0 + 4,
    EV_UART0_RX = EV_UART0_TX + 2,
    EV_UART0_TIMEOUT = EV_UART0_RX + 2,
    EV_PWM0 = EV_UART0_TIMEOUT + 2,
    EV_SPI0 = EV_PWM0 + 8,
    EV_SPI0_TIMEOUT = EV_SPI0 + 2,
    EV_I2C0 = EV_SPI0_TIMEOUT + 2,
    EV_ADC = EV_I2C0 + 2,
    EV_WATCHDOG,
    EV_PIO0,
    EV_DMA = EV_PIO0 + PIO_BLOCKS, /* behind them: what it brings is there for their next cycle */
    EV_DMA_TIMER,
};

enum irq {
    IRQ_TIMER0 = 0,
    IRQ_PWM_WRAP = 4,
    IRQ_PIO0_0 = 7, /* then PIO0_1, PIO1_0, PIO1_1 */
    IRQ_DMA0 = 11, /* then DMA1 */
    IRQ_IO_BANK0 = 13,
    IRQ_SPI0 = 18,
    IRQ_SPI1 = 19,
    IRQ_UART0 = 20,
    IRQ_UART1 = 21,
    IRQ_ADC = 22,
    IRQ_I2C0 = 23,
    IRQ_I2C1 = 24,
};

/* GPIO functions (datasheet 2.19.2). */
enum {
    FUNC_SPI = 1,
    FUNC_UART = 2,
    FUNC_I2C = 3,
    FUNC_PWM = 4,
    FUNC_SIO = 5,
    FUNC_PIO0 = 6,
    FUNC_PIO1 = 7,
    FUNC_NULL = 31
};

/* A block of registers at a multiple of 0x4000. `reset_bit` < 0: not in RESETS. */
struct device {
    const char *name;
    uint32_t base;
    int reset_bit;
    uint32_t (*read)(struct takt_machine *m, uint32_t offset);
    void (*write)(struct takt_machine *m, uint32_t offset, uint32_t value);
    void (*reset)(struct takt_machine *m);
};

struct clocks {
    uint32_t ctrl[10], div[10]; /* gpout0-3 ref sys peri usb adc rtc */
    uint32_t resus, wake_en[2], sleep_en[2], fc[8];
    uint32_t ref_hz, sys_hz, peri_hz, adc_hz;
};

struct pll {
    uint32_t cs, pwr, fbdiv, prim;
    uint64_t lock_at;
};

struct xosc {
    uint32_t ctrl, startup, dormant;
    uint64_t stable_at, count_end;
};

struct gpio {
    uint32_t ctrl[PIN_COUNT], pad[PIN_COUNT];
    uint32_t voltage, swd[2];
    uint32_t out, oe;                    /* SIO */
    uint32_t edges[4], inte[4], intf[4]; /* 4 bits per pin: low, high, fall, rise */
    uint32_t dormant[8], other_core[8];
    uint32_t qspi_out, qspi_oe;
    uint32_t inputs;                       /* pads with input enabled */
    uint32_t in_inverted, in_low, in_high; /* pins with that input override */
    uint32_t plain;                        /* pins that do exactly what SIO says */
    uint32_t pwm;                          /* pins whose function is PWM */
    uint32_t open_drain;                   /* pins that do exactly what I2C says */
    uint32_t pio[PIO_BLOCKS];              /* pins that do exactly what a PIO says */
    uint32_t pio_else;                     /* pins of a PIO with an override */
};

struct timer {
    uint64_t epoch, count; /* `count` us at cycle `epoch` */
    uint32_t rate, hz;     /* ticks per second, cycles per second */
    uint32_t period;       /* cycles per tick when that is a whole number, else 0 */
    uint32_t latch_high, write_low;
    uint32_t alarm[4], armed, intr, inte, intf, pause, dbgpause;
};

#define UART_FIFO 32u

struct uart {
    uint8_t tx[UART_FIFO];
    uint16_t rx[UART_FIFO];
    uint32_t tx_head, tx_count, rx_head, rx_count;
    bool shifting;
    uint8_t shift;
    uint64_t quiet; /* when what was on its way is over, since the UART was turned off */
    uint32_t ibrd, fbrd, lcr, cr, ifls, imsc, ris, rsr, ilpr, dmacr;
    uint32_t divider; /* 64 * IBRD + FBRD as last latched by a write to LCR_H */
};

#define SPI_FIFO 8u

/* GAP: the chip select is high between words. */
enum spi_phase { SPI_IDLE, SPI_SHIFT, SPI_END, SPI_GAP };

struct spi {
    uint32_t cr0, cr1, cpsr, imsc, latched, dmacr;
    uint16_t tx[SPI_FIFO], rx[SPI_FIFO];
    uint32_t tx_head, tx_count, rx_head, rx_count;
    enum spi_phase phase;
    uint32_t word;  /* being sent */
    uint64_t began; /* since when */
};

struct pwm_slice {
    uint32_t csr, div, cc, top;
    uint32_t next_cc, next_top; /* double-buffered, taken over at the wrap */
    uint64_t epoch;             /* when the period now running began, 1/16 cycles */
    uint64_t frozen;            /* position in the period while stopped, ticks */
};

struct pwm {
    struct pwm_slice slice[8];
    uint32_t intr, inte, intf;
};

struct adc {
    uint32_t cs, result, fcs, div, inte, intf;
    uint32_t fifo[4], fifo_count;
    int64_t microvolts[5];
    bool busy, failed;
};

struct divider {
    uint32_t dividend, divisor, quotient, remainder;
    bool dirty;
    uint64_t ready_at;
};

struct watchdog {
    uint32_t ctrl, load, tick, scratch[8], reason;
};

#define SSI_FIFO 16u

struct ssi {
    uint32_t reg[64];
    uint8_t rx[SSI_FIFO];
    uint64_t rx_at[SSI_FIFO]; /* when each is there */
    uint32_t rx_count;
    uint64_t sent_at; /* when all is sent */
    uint32_t select_override;
};

/* The flash chip. */
struct flash {
    uint8_t command, status2; /* bit 1 of that: four lines are on */
    uint32_t position;        /* bytes since it was selected */
    uint32_t address;
    uint8_t page[256];  /* to be written */
    bool write_enabled; /* for one command */
    bool volatile_on;   /* it takes a status that lasts until power goes */
    bool continuous;    /* it wants an address, no command */
    uint64_t busy_until;
};

#define CACHE_SETS 1024u

struct cache_way {
    uint32_t tag;
    uint8_t valid; /* a bit for each half; 0: nothing here */
};

struct cache_set {
    struct cache_way way[2];
    uint32_t older; /* the one to replace */
};

struct cache {
    struct cache_set set[CACHE_SETS];
    uint32_t word_cycles; /* what reading a word takes; 0: nothing waits; or this: */
#define CACHE_UNREADABLE UINT32_MAX
    uint32_t last;        /* the word fetched last */
};

struct rp2040 {
    struct clocks clocks;
    struct pll pll[2];
    struct xosc xosc;
    uint32_t rosc[8];
    uint32_t reset, reset_wdsel;
    uint32_t psm[3];
    uint32_t vreg[3];
    uint32_t pads_qspi[7];
    struct gpio gpio;
    struct timer timer;
    struct uart uart[2];
    struct spi spi[2];
    struct i2c i2c[2];
    struct pwm pwm;
    struct adc adc;
    struct pio pio[PIO_BLOCKS];
    struct pio_inputs pio_inputs;
    struct dma dma;
    struct divider divider;
    uint32_t spinlocks;
    struct watchdog watchdog;
    struct ssi ssi;
    struct flash flash;
    struct cache cache;
    bool two_lines; /* the flash on the board has no more */
    uint32_t xip_ctrl[8];
};

/* cache.c */
void cache_flush(struct takt_machine *m);
uint32_t cache_look(struct takt_machine *m, uint32_t address);
uint32_t cache_wait(struct takt_machine *m, uint32_t address);
uint32_t cache_fetch_wait(struct takt_machine *m, uint32_t address, uint32_t size);
void cache_set_up(struct takt_machine *m, uint32_t word_cycles);

/* chip.c, boot.c */
int rp2040_boot(struct takt_machine *m);
void chip_reset_devices(struct takt_machine *m, uint32_t bits);
/* clocks.c */
extern const struct device clocks_device, xosc_device, rosc_device, pll_sys_device, pll_usb_device;
void clocks_update(struct takt_machine *m);
/* small.c */
extern const struct device sysinfo_device, syscfg_device, resets_device, psm_device, vreg_device,
    pads_qspi_device, io_qspi_device, busctrl_device;
/* watchdog.c */
extern const struct device watchdog_device;
uint32_t watchdog_tick_hz(const struct takt_machine *m);
void watchdog_event(struct takt_machine *m, unsigned id, uint64_t when);
/* gpio.c */
extern const struct device io_bank0_device, pads_bank0_device;
void gpio_outputs(struct takt_machine *m, uint64_t when);
void gpio_refresh(struct takt_machine *m);
void gpio_changed(struct takt_machine *m, uint32_t bank, uint32_t changed, uint64_t when);
void gpio_edges_passed(struct takt_machine *m, uint32_t pin);
bool gpio_edges_matter(const struct takt_machine *m, uint32_t pin);
void gpio_plain_outputs(struct takt_machine *m);
uint32_t gpio_inputs(struct takt_machine *m);
bool gpio_routed(const struct takt_machine *m, uint32_t pins, uint32_t function);
uint32_t gpio_with_function(const struct takt_machine *m, uint32_t function, uint32_t among);
void gpio_pio_outputs(struct takt_machine *m, unsigned n, uint64_t when);
void gpio_open_drain(struct takt_machine *m, uint32_t pins, bool low, uint64_t when);
bool gpio_can_interrupt(const struct takt_machine *m);
/* sio.c */
uint32_t sio_read(struct takt_machine *m, uint32_t offset);
void sio_write(struct takt_machine *m, uint32_t offset, uint32_t value);
void sio_reset(struct takt_machine *m);
/* timer.c */
extern const struct device timer_device;
void timer_event(struct takt_machine *m, unsigned id, uint64_t when);
double timer_us(const struct takt_machine *m);
void timer_clock_changed(struct takt_machine *m);
/* uart.c */
extern const struct device uart0_device, uart1_device;
bool uart_requests(const struct takt_machine *m, unsigned port, bool rx); /* of DMA */
void uart_waits(struct takt_machine *m, uint32_t port, uint64_t when);
void uart_tx_event(struct takt_machine *m, unsigned id, uint64_t when);
void uart_rx_event(struct takt_machine *m, unsigned id, uint64_t when);
void uart_timeout_event(struct takt_machine *m, unsigned id, uint64_t when);
/* spi.c */
extern const struct device spi0_device, spi1_device;
uint32_t spi_output(const struct takt_machine *m, uint32_t pin);
void spi_event(struct takt_machine *m, unsigned id, uint64_t when);
void spi_timeout_event(struct takt_machine *m, unsigned id, uint64_t when);
uint32_t spi_settings(struct takt_machine *m, uint32_t bus, uint32_t *mode, uint32_t *bits);
/* i2c.c; the rest of I2C is in i2c.h */
extern const struct device i2c0_device, i2c1_device;
/* pwm.c */
extern const struct device pwm_device;
void pwm_event(struct takt_machine *m, unsigned id, uint64_t when);
bool pwm_level(const struct takt_machine *m, uint32_t pin, uint64_t when);
int32_t pwm_of_pin(struct takt_machine *m, uint32_t pin, double *frequency, double *duty);
void pwm_refresh(struct takt_machine *m);
/* adc.c */
extern const struct device adc_device;
void adc_event(struct takt_machine *m, unsigned id, uint64_t when);
void adc_set(struct takt_machine *m, uint32_t channel, int64_t microvolts);
bool adc_requests(const struct takt_machine *m); /* of DMA */
void adc_power_on(struct takt_machine *m);
/* ssi.c */
uint32_t ssi_read(struct takt_machine *m, uint32_t offset);
void ssi_write(struct takt_machine *m, uint32_t offset, uint32_t value);
void ssi_reset(struct takt_machine *m);
void ssi_select(struct takt_machine *m, uint32_t override);
uint64_t ssi_hz(const struct takt_machine *m); /* of the flash's clock; data are being sent */
uint32_t xip_read(struct takt_machine *m, uint32_t offset);
void xip_write(struct takt_machine *m, uint32_t offset, uint32_t value);
/* flash.c */
bool flash_busy(const struct takt_machine *m);
uint8_t flash_exchange(struct takt_machine *m, uint8_t sent);
void flash_read_by_lines(struct takt_machine *m, uint32_t value);
void flash_deselect(struct takt_machine *m);

#endif
