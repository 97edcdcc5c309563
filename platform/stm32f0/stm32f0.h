/* STM32F051: the devices around the core (registers: RM0091; pins and times: its datasheet). */
#ifndef TAKT_STM32F0_H
#define TAKT_STM32F0_H

#include "../core/machine.h"

enum { PORT_A, PORT_B, PORT_C, PORT_D, PORT_E, PORT_F, PORT_COUNT };

enum stm32f0_irq {
    IRQ_EXTI0_1 = 5,
    IRQ_EXTI2_3 = 6,
    IRQ_EXTI4_15 = 7,
    IRQ_ADC = 12,
    IRQ_TIM1_UP = 13,
    IRQ_TIM1_CC = 14,
    IRQ_TIM2 = 15,
    IRQ_TIM3 = 16,
    IRQ_TIM6 = 17,
    IRQ_TIM14 = 19,
    IRQ_TIM15 = 20,
    IRQ_TIM16 = 21,
    IRQ_TIM17 = 22,
    IRQ_I2C1 = 23,
    IRQ_SPI1 = 25,
    IRQ_USART1 = 27,
};

#define TIMS 8u

enum stm32f0_event {
    EV_RCC = EV_CHIP,
    EV_TIM,
    EV_USART_TX = EV_TIM + TIMS,
    EV_USART_RX = EV_USART_TX + 2,
    EV_SPI = EV_USART_RX + 2,
    EV_I2C = EV_SPI + 2,
    EV_I2C_TIMEOUT = EV_I2C + 2,
    EV_ADC = EV_I2C_TIMEOUT + 2,
    EV_IWDG,
};

/* Clock and reset bits of a device: register 0 AHB, 1 APB2, 2 APB1. */
enum { ON_AHB, ON_APB2, ON_APB1, ON_ALWAYS };

struct device {
    const char *name;
    uint32_t base;
    uint8_t bus, bit;
    uint32_t (*read)(struct takt_machine *m, uint32_t offset);
    void (*write)(struct takt_machine *m, uint32_t offset, uint32_t value);
    void (*reset)(struct takt_machine *m);
};

struct rcc {
    uint32_t cr, cfgr, cir, enable[3], reset[3]; /* by ON_... */
    uint32_t bdcr, csr, cfgr2, cfgr3, cr2;
    uint64_t pll_at, lsi_at; /* when ready */
    uint32_t used;           /* source of SYSCLK now, as in SWS */
    uint32_t sysclk_hz, hclk_hz, pclk_hz, pclk_div;
};

struct port {
    uint32_t moder, otyper, ospeedr, pupdr, odr, lckr, afr[2];
    uint32_t lock_step;
};

/* What the configuration registers say about the pins of a bank. */
struct bank {
    uint32_t outputs, open_drain, alternate, analog, odr;
};

/* What a pin does in its alternate function. */
enum function_kind { FN_NONE, FN_TIM, FN_TIM_N, FN_USART, FN_SPI, FN_I2C };
enum { USART_TX, USART_RX };
enum { SPI_NSS, SPI_SCK, SPI_MISO, SPI_MOSI };

struct function {
    uint8_t kind, unit, role; /* role of FN_I2C: enum i2c_line; of FN_TIM: channel, from 0 */
};

struct exti {
    uint32_t imr, emr, rtsr, ftsr, swier, pr;
};

struct syscfg {
    uint32_t cfgr1, exticr[4], cfgr2;
};

struct tim {
    uint32_t cr1, cr2, smcr, dier, sr, ccmr[2], ccer, rcr, bdtr, dcr, dmar;
    uint32_t psc, arr, ccr[4];                /* as written */
    uint32_t psc_used, arr_used, ccr_used[4]; /* in force */
    uint32_t count, turns;                    /* at `epoch`, where a tick began */
    uint64_t epoch;
};

struct usart {
    uint32_t cr1, cr2, cr3, brr, gtpr, rtor, isr, rdr, tdr;
    bool shifting;
    uint8_t shift;
};

/*
 * I2C. The master's clock: everything after START is made of pulses, nine a byte, one for a
 * repeated START, one for STOP.
 *
 *   SDA  --.   <setup> bit ...
 *   SCL  ----.________________/--------.____
 *        START  SETUP  LOW   RISING HIGH
 */
enum i2c_phase {
    I2C_IDLE,
    I2C_PENDING, /* START wanted, the bus is not free */
    I2C_START,   /* SDA low, SCL still high */
    I2C_SETUP,   /* SCL low, SDA not yet changed */
    I2C_LOW,     /* SCL low, SDA valid */
    I2C_RISING,  /* SCL let go, but not high yet */
    I2C_HIGH,    /* SCL high */
    I2C_WAITING, /* SCL low until the program goes on */
    I2C_FREE,    /* after STOP, before another START */
};
enum i2c_element { I2C_ADDRESS, I2C_WRITE, I2C_READ, I2C_RESTART, I2C_STOP };

struct i2c {
    uint32_t cr1, cr2, oar[2], timingr, timeoutr, isr, rxdr, txdr;
    enum i2c_phase phase;
    enum i2c_element element;
    uint32_t bit, shift, left; /* left: bytes of NBYTES to come */
    uint64_t fell;             /* when SCL went low */
    bool sda_low, scl_low;     /* what the controller pulls */
    bool next_sda_low;         /* after SETUP */
    bool reading, busy;        /* busy: START seen, STOP not yet */
    struct wire pins[2];
};

struct spi {
    uint32_t cr1, cr2, sr;
    uint8_t tx[4], rx[4]; /* FIFOs, in bytes */
    uint32_t tx_count, rx_count;
    bool shifting;
    uint32_t word;
};

struct adc {
    uint32_t isr, ier, cr, cfgr1, cfgr2, smpr, tr, chselr, dr, ccr;
    uint32_t left; /* channels of the sequence still to come */
    int64_t microvolts[19];
    bool calibrating, ready, converting;
};

struct watchdog {
    uint32_t prescaler, reload, window, key;
    uint32_t next_prescaler, next_reload; /* as written, at `written` */
    uint64_t written;
    bool on;
};

struct stm32f0 {
    /* By blocks of addresses: which device, from 1; is it clocked and out of reset? */
    uint8_t map[176];
    bool alive[176];
    struct rcc rcc;
    uint32_t flash_acr;
    struct port port[PORT_COUNT];
    struct bank bank[PIN_BANKS];
    struct function function[PIN_MAX];
    uint32_t tim_pins[PIN_BANKS];
    struct exti exti;
    struct syscfg syscfg;
    struct tim tim[TIMS];
    struct usart usart[2];
    struct i2c i2c[2];
    struct spi spi[2];
    struct adc adc;
    struct watchdog iwdg;
    uint32_t pwr_cr, dbgmcu[3];
};

/* chip.c */
void report_device(struct takt_machine *m, const char *what, uint32_t base, uint32_t offset,
                   bool write, uint32_t value);
void devices_gate(struct takt_machine *m); /* clock enables or resets have changed */
void devices_reset(struct takt_machine *m, uint32_t bus, uint32_t bits);
/* rcc.c */
extern const struct device rcc_device;
void rcc_event(struct takt_machine *m, unsigned id, uint64_t when);
bool rcc_clocked(const struct takt_machine *m, const struct device *d);
bool rcc_held(const struct takt_machine *m, const struct device *d); /* in reset */
uint32_t rcc_hsi14(const struct takt_machine *m);                    /* 0: off */
bool rcc_lsi(const struct takt_machine *m);
void rcc_lsi_start(struct takt_machine *m);
/* flash.c */
extern const struct device flash_device;
void flash_check(struct takt_machine *m);
/* port.c, function.c */
extern const struct device gpioa_device, gpiob_device, gpioc_device, gpiod_device, gpiof_device;
void functions_wired(struct takt_machine *m); /* functions of pins have changed */
void port_outputs(struct takt_machine *m, uint64_t when);
void port_refresh(struct takt_machine *m);
struct function function_of(uint32_t pin, uint32_t number);
uint32_t function_output(const struct takt_machine *m, uint32_t pin, uint64_t when);
/* The pins that have the function now. */
struct wire function_pins(const struct takt_machine *m, struct function f);
bool function_level(struct takt_machine *m, struct function f);
/* exti.c */
extern const struct device exti_device, f0_syscfg_device;
void exti_changed(struct takt_machine *m, uint32_t bank, uint32_t changed, uint64_t when);
void exti_edges_passed(struct takt_machine *m, uint32_t pin);
bool exti_edges_matter(const struct takt_machine *m, uint32_t pin);
/* tim.c, tim_output.c */
extern const struct device tim_devices[TIMS];
uint32_t tim_channels(unsigned n);
void tim_event(struct takt_machine *m, unsigned id, uint64_t when);
void tim_refresh(struct takt_machine *m);
void tim_clock_changed(struct takt_machine *m, uint32_t tick_before);
uint32_t tim_clock_div(const struct takt_machine *m); /* HCLK cycles per timer clock */
void tim_advance(struct takt_machine *m, unsigned n, uint64_t when);
uint32_t tim_output(const struct takt_machine *m, struct function f);
bool tim_advanced(unsigned n); /* has MOE */
uint64_t tim_tick(const struct takt_machine *m, const struct tim *t);
bool tim_drives(const struct takt_machine *m); /* is any pin an output of a timer? */
bool tim_observed(const struct takt_machine *m, unsigned n);
double tim_us(const struct takt_machine *m);
int32_t tim_pin_pwm(struct takt_machine *m, uint32_t pin, double *frequency, double *duty);
/* usart.c */
extern const struct device usart_devices[2];
void usart_tx_event(struct takt_machine *m, unsigned id, uint64_t when);
void usart_rx_event(struct takt_machine *m, unsigned id, uint64_t when);
void usart_waits(struct takt_machine *m, uint32_t port, uint64_t when);
/* i2c.c, i2c_master.c */
extern const struct device f0_i2c_devices[2];
void f0_i2c_update_irq(struct takt_machine *m, unsigned n);
void f0_i2c_event(struct takt_machine *m, unsigned id, uint64_t when);
void f0_i2c_timeout_event(struct takt_machine *m, unsigned id, uint64_t when);
uint32_t f0_i2c_output(const struct takt_machine *m, struct function f);
void f0_i2c_wired(struct takt_machine *m);
void f0_i2c_lines(struct takt_machine *m, unsigned n, bool sda_moved, bool scl_moved,
                  uint64_t when);
bool f0_i2c_last(const struct takt_machine *m, unsigned n);
/* spi.c */
extern const struct device f0_spi_devices[2];
void f0_spi_event(struct takt_machine *m, unsigned id, uint64_t when);
uint32_t f0_spi_output(const struct takt_machine *m, struct function f);
uint32_t f0_spi_settings(struct takt_machine *m, uint32_t bus, uint32_t *mode, uint32_t *bits);
/* adc.c */
extern const struct device f0_adc_device;
void f0_adc_event(struct takt_machine *m, unsigned id, uint64_t when);
void f0_adc_set(struct takt_machine *m, uint32_t channel, int64_t microvolts);
void f0_adc_power_on(struct takt_machine *m);
/* small.c */
extern const struct device iwdg_device, wwdg_device, pwr_device, dbgmcu_device;
void iwdg_event(struct takt_machine *m, unsigned id, uint64_t when);

#endif
