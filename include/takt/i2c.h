/*
 * I2C as the one controller of a bus, interrupt driven: a transaction costs its thread two switches
 * and about one interrupt for every 12 bytes, and holds up no other thread.
 *
 * Several threads may use a bus. Which is next is decided by the interrupt that ends a
 * transaction: the most urgent thread that waits, whatever other threads' budgets. So a thread
 * waits for one transaction of less urgent threads at most.
 *
 * stm32f051: bus 0 has SDA on pin 20 and SCL on 21, bus 1 on 22 and 23; an interrupt for every
 * byte, clocks from 8 kHz, and asking whether a device is there takes no longer than its address.
 * uno: bus 0 has SDA on 18 (A4) and SCL on 19 (A5), and there is no other; as the stm32f051
 * otherwise. In a program of one thread, as it is flashed, that thread waits by polling, under a
 * mutex as well.
 * pico: bus 0 has SDA on GP0, 4, 8, ..., 28 and SCL on the pin after it; bus 1 on GP2, 6, ..., 26.
 */
#ifndef TAKT_I2C_H
#define TAKT_I2C_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The board may have one only. */
#ifndef TAKT_I2C_BUSES
#define TAKT_I2C_BUSES 2u
#endif

/* Clocks there are. */
#define TAKT_I2C_HZ_MIN 8000u
#define TAKT_I2C_HZ_MAX 1000000u

/* Transactions get at least this long, us. */
#define TAKT_I2C_TIMEOUT_MIN 1000u

/*
 * Opens a bus on two pins, with their pull-ups (good for short wires at 100 kHz), or changes the
 * pins or the clock of an open one. hz: TAKT_I2C_HZ_MIN..TAKT_I2C_HZ_MAX. A new clock holds from
 * the next transaction on. Thread or main. TAKT_EINVAL: no such bus, pins or clock. TAKT_EAGAIN:
 * other pins while a transaction is under way. TAKT_ECONTEXT: in an interrupt.
 */
int takt_i2c_open(uint8_t bus, uint8_t sda, uint8_t scl, uint32_t hz);

/* Gives the pins back as inputs. TAKT_EAGAIN while a thread uses the bus; else as open. */
int takt_i2c_close(uint8_t bus);

/*
 * One transaction with the device at the 7-bit address: writes out_len bytes, then reads in_len,
 * with a repeated start between them; either may be 0. Both 0: only asks whether the device is
 * there, bit by bit in 2.3 ms, for the controller cannot. Blocks the calling thread only.
 *
 * timeout_us, TAKT_I2C_TIMEOUT_MIN..TAKT_DURATION_MAX, counts from when the bus is the caller's;
 * after it the bus is freed, which takes up to 5 ms more: a line held low gets up to nine clocks
 * and a stop. The same is tried before a transaction when a line is found low.
 *
 * Returns the bytes read, or written if none are to be read.
 * TAKT_ENACK: no device answers to the address. TAKT_EREFUSED: the device did not take a byte.
 * TAKT_ETIMEOUT: not over in time; a device may hold SCL low. TAKT_EBUS: a line is held low and
 * could not be freed, or another master drove the bus. TAKT_EINVAL: argument, or bus not open.
 * TAKT_ECONTEXT: in an interrupt, with interrupts off, before takt_start() or holding a mutex.
 */
int takt_i2c_transfer(uint8_t bus, uint8_t address, const uint8_t *out, size_t out_len, uint8_t *in,
                      size_t in_len, uint32_t timeout_us);

#ifdef __cplusplus
}
#endif

#endif
