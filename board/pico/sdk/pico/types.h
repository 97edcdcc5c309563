/* Types of the pico's SDK (what is here of it: docs/boards/pico.md). */
#ifndef TAKT_PICO_TYPES_H
#define TAKT_PICO_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef unsigned int uint;

typedef volatile uint32_t io_rw_32, io_wo_32;
typedef const volatile uint32_t io_ro_32;
typedef volatile uint16_t io_rw_16, io_wo_16;
typedef const volatile uint16_t io_ro_16;
typedef volatile uint8_t io_rw_8, io_wo_8;
typedef const volatile uint8_t io_ro_8;

enum pico_error_codes {
    PICO_OK = 0,
    PICO_ERROR_NONE = 0,
    PICO_ERROR_GENERIC = -1,
    PICO_ERROR_TIMEOUT = -2,
    PICO_ERROR_INVALID_ARG = -5,
    PICO_ERROR_INSUFFICIENT_RESOURCES = -9,
};

#endif
