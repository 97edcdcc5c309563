/*
 * Program memory. For sketches and libraries written for AVR: on AVR it is what its C library says;
 * elsewhere constants are read like any other data. For those written for the pico: functions that
 * stay in RAM when a program is built with --flash; elsewhere that changes nothing.
 */
#ifndef TAKT_PGMSPACE_H
#define TAKT_PGMSPACE_H

#include <stdint.h>
#include <string.h>

#ifdef __AVR__

#include <avr/pgmspace.h>

#define TAKT_FLASH_APART 1 /* a pointer does not say whether it points into flash */

#else

#define TAKT_FLASH_APART 0

#define PROGMEM
#define PGM_P      const char *
#define PGM_VOID_P const void *
#define PSTR(s)    (s)

#define pgm_read_byte(address)  (*(const uint8_t *)(address))
#define pgm_read_word(address)  (*(const uint16_t *)(address))
#define pgm_read_dword(address) (*(const uint32_t *)(address))
#define pgm_read_float(address) (*(const float *)(address))
#define pgm_read_ptr(address)   (*(const void *const *)(address))

#define pgm_read_byte_near(address)  pgm_read_byte(address)
#define pgm_read_word_near(address)  pgm_read_word(address)
#define pgm_read_dword_near(address) pgm_read_dword(address)
#define pgm_read_float_near(address) pgm_read_float(address)
#define pgm_read_ptr_near(address)   pgm_read_ptr(address)
#define pgm_read_byte_far(address)   pgm_read_byte(address)
#define pgm_read_word_far(address)   pgm_read_word(address)
#define pgm_read_dword_far(address)  pgm_read_dword(address)

#define memcmp_P      memcmp
#define memcpy_P      memcpy
#define strcat_P      strcat
#define strchr_P      strchr
#define strcmp_P      strcmp
#define strcpy_P      strcpy
#define strcasecmp_P  strcasecmp
#define strlen_P      strlen
#define strncat_P     strncat
#define strncmp_P     strncmp
#define strncasecmp_P strncasecmp
#define strncpy_P     strncpy
#define strrchr_P     strrchr
#define strstr_P      strstr
#define sprintf_P     sprintf
#define snprintf_P    snprintf
#define vsnprintf_P   vsnprintf

#endif

#ifdef __arm__
#define __not_in_flash_func(name) __attribute__((section(".time_critical." #name))) name
#else
#define __not_in_flash_func(name) name
#endif
#define __time_critical_func(name) __not_in_flash_func(name)

#endif
