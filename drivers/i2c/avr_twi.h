/*
 * The two-wire interface of an ATmega (ATmega328P data sheet 22): its statuses and its clock.
 */
#ifndef TAKT_I2C_AVR_TWI_H
#define TAKT_I2C_AVR_TWI_H

#include <avr/io.h>
#include <stdint.h>

enum avr_twi_status {
    TWI_STARTED = 0x08,
    TWI_STARTED_AGAIN = 0x10,
    TWI_ADDRESSED_TO_WRITE = 0x18,
    TWI_UNANSWERED_WRITE = 0x20,
    TWI_WRITTEN = 0x28,
    TWI_REFUSED = 0x30,
    TWI_ADDRESSED_TO_READ = 0x40,
    TWI_UNANSWERED_READ = 0x48,
    TWI_READ = 0x50,
    TWI_READ_LAST = 0x58,
    TWI_STATUS = 0xF8, /* the bits that say it; none of its values */
    TWI_TIMED_OUT = TWI_STATUS,
};

/* A period is 16 + 2 * rate * 4 ^ prescaler clocks: the prescaler, and in the lower byte the
 * rate. */
static inline uint16_t avr_twi_clock(uint32_t hz)
{
    uint32_t clocks = ((uint32_t)F_CPU + hz - 1u) / hz;
    uint16_t rate = clocks > 16u ? (uint16_t)((clocks - 15u) / 2u) : 0;
    uint16_t prescaler = 0;
    for (; rate > 255u; prescaler++)
        rate = (uint16_t)((rate + 3u) / 4u);
    return (uint16_t)(prescaler << 8 | rate);
}

/* Sets the controller up; it has the pins from now on. */
static inline void avr_twi_start(uint16_t clock)
{
    TWCR = 0;
    TWBR = (uint8_t)clock;
    TWSR = (uint8_t)(clock >> 8 & 3u);
    TWCR = 1u << TWEN;
}

#endif
