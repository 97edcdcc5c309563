/* I2C: what its registers and its master share. */
#ifndef TAKT_STM32F0_I2C_H
#define TAKT_STM32F0_I2C_H

#include "stm32f0.h"

enum {
    CR1_PE = 1,
    CR1_TXIE = 2,
    CR1_RXIE = 4,
    CR1_NACKIE = 0x10,
    CR1_STOPIE = 0x20,
    CR1_TCIE = 0x40,
    CR1_ERRIE = 0x80,
    CR1_MODELLED = 0x1ff7,
};
enum {
    CR2_READ = 0x400,
    CR2_ODD = 0x04001800, /* 10-bit addresses, PEC */
    CR2_START = 0x2000,
    CR2_STOP = 0x4000,
    CR2_NACK = 0x8000,
    CR2_RELOAD = 0x01000000,
    CR2_AUTOEND = 0x02000000,
};
enum {
    ISR_TXE = 1,
    ISR_TXIS = 2,
    ISR_RXNE = 4,
    ISR_NACKF = 0x10,
    ISR_STOPF = 0x20,
    ISR_TC = 0x40,
    ISR_TCR = 0x80,
    ISR_BERR = 0x100,
    ISR_ARLO = 0x200,
    ISR_TIMEOUT = 0x1000,
    ISR_BUSY = 0x8000,
    ISR_ERRORS = ISR_BERR | ISR_ARLO | ISR_TIMEOUT,
    ISR_CLEARABLE = ISR_NACKF | ISR_STOPF | ISR_ERRORS,
};

void f0_i2c_kick(struct takt_machine *m, unsigned n); /* the program has done something */
void f0_i2c_release(struct takt_machine *m, unsigned n, uint64_t when);
/* i2c_times.c */
uint64_t f0_i2c_low_time(const struct takt_machine *m, unsigned n);
uint64_t f0_i2c_high_time(const struct takt_machine *m, unsigned n);
uint64_t f0_i2c_hold_time(const struct takt_machine *m, unsigned n);
uint64_t f0_i2c_setup_time(const struct takt_machine *m, unsigned n);
void f0_i2c_watch(struct takt_machine *m, unsigned n, bool scl, uint64_t when);
/* i2c_pins.c */
bool f0_i2c_line(struct takt_machine *m, const struct i2c *c, enum i2c_line which);
void f0_i2c_check_drains(struct takt_machine *m, unsigned n);

#endif
