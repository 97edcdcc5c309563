/*
 * Constants that are to take no RAM. On most cores none does; AVR reads flash by an instruction of
 * its own, so what is there must be read by the names below.
 */
#ifndef TAKT_FLASH_H
#define TAKT_FLASH_H

#ifdef __AVR__

#include <avr/pgmspace.h>

#define TAKT_FLASH              PROGMEM
#define TAKT_FLASH_STRING(text) PSTR(text)
#define TAKT_FLASH_BYTE(at)     pgm_read_byte(at)
/* The pointer at `at`, which points to where in flash it is. */
#define TAKT_FLASH_POINTER(at) ((__typeof__(*(at)))pgm_read_word(at))
#define TAKT_FLASH_COPY(to, at) memcpy_P((to), (at), sizeof *(to))
/* The string, cut to less than `room` bytes, as long as the block lasts. C only. */
#define TAKT_FLASH_TEXT(room, string) strncpy_P((char[room]){0}, (string), (room) - 1)

#else

#define TAKT_FLASH
#define TAKT_FLASH_STRING(text)       (text)
#define TAKT_FLASH_BYTE(at)           (*(at))
#define TAKT_FLASH_POINTER(at)        (*(at))
#define TAKT_FLASH_COPY(to, at)       (*(to) = *(at))
#define TAKT_FLASH_TEXT(room, string) (string)

#endif

#endif
