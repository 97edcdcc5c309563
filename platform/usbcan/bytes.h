/* Little-endian numbers in bytes. */
#ifndef TAKT_USBCAN_BYTES_H
#define TAKT_USBCAN_BYTES_H

#include <stdint.h>

static inline uint32_t get16(const uint8_t *p)
{
    return (uint32_t)(p[0] | p[1] << 8);
}

static inline uint32_t get32(const uint8_t *p)
{
    return get16(p) | get16(p + 2) << 16;
}

static inline void put16(uint8_t *p, uint32_t value)
{
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
}

static inline void put32(uint8_t *p, uint32_t value)
{
    put16(p, value);
    put16(p + 2, value >> 16);
}

#endif
