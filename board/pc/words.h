/*
 * Words of tables that the firmware and the loader leave in memory, at any address.
 */
#ifndef TAKT_PC_WORDS_H
#define TAKT_PC_WORDS_H

#include <stdint.h>
#include <string.h>

static inline uint32_t word(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static inline uint64_t two_words(const uint8_t *at)
{
    return (uint64_t)word(at + 4) << 32 | word(at);
}

#endif
