/* Functions of the boot ROM (RP2040 data sheet 2.8.3). The virtual board has no ROM. */
#ifndef TAKT_PICO_BOOTROM_H
#define TAKT_PICO_BOOTROM_H

#include <pico/platform.h>

/* Of a function or table: its two letters. */
static inline uint32_t rom_table_code(uint8_t first, uint8_t second)
{
    return (uint32_t)second << 8 | first;
}

static inline void *takt_rom_pointer_(uintptr_t at)
{
    return (void *)(uintptr_t)*(const volatile uint16_t *)at;
}

/* NULL: there is none. */
static inline void *rom_func_lookup(uint32_t code)
{
    typedef void *(*lookup_t)(const uint16_t *table, uint32_t code);
    return ((lookup_t)takt_rom_pointer_(0x18))((const uint16_t *)takt_rom_pointer_(0x14), code);
}

/* The chip is a disk on USB. A pin, by its bit, shows that it is in use; 1, 2 of `without`: neither
 * a disk nor picoboot. */
static inline __attribute__((noreturn)) void reset_usb_boot(uint32_t activity_pin, uint32_t without)
{
    typedef void (*boot_t)(uint32_t pin, uint32_t interfaces);
    ((boot_t)rom_func_lookup(rom_table_code('U', 'B')))(activity_pin, without);
    __builtin_unreachable();
}

#endif
