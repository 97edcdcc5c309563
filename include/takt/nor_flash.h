/*
 * The pico's flash chip, beside the program: bytes that stay when the power is off. A sector is
 * erased, all its bits 1, some 100 000 times; what is written turns bits to 0. The program runs
 * from RAM and goes on meanwhile; where --flash leaves some of it in flash, this is not to be had.
 *
 * Thread or main, callers one at a time. TAKT_EINVAL: not in the chip, or where the program is;
 * TAKT_ECONTEXT: in an interrupt; TAKT_ETIMEOUT: the chip has taken ten times its longest.
 */
#ifndef TAKT_NOR_FLASH_H
#define TAKT_NOR_FLASH_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAKT_NOR_BYTES  0x200000u /* of the chip */
#define TAKT_NOR_SECTOR 4096u
#define TAKT_NOR_PAGE   256u

/* Copies `count` bytes from `at`, 0 where the chip begins: 0.3 us each. */
int takt_nor_read(uint32_t at, void *to, uint32_t count);

/* Writes `count` bytes, within a page; they become what is there AND what is written: 40 us for up
 * to 16, which does not block, 0.5 ms for a page, for most of which the thread sleeps where it may
 * (typical; the longest are six times that). */
int takt_nor_program(uint32_t at, const void *from, uint32_t count);

/* Erases the sector with `at`: 45 ms, at most 400, for which the thread sleeps; where it may not,
 * in main or with interrupts off, it waits busily. */
int takt_nor_erase(uint32_t at);

#ifdef __cplusplus
}
#endif

#endif
