/*
 * Bytes kept in flash (takt/nor_flash.h), each written by itself: a log of which byte became what.
 *
 *   half:  header page | image, 4 KB | records of 4 bytes, up to 3008
 *
 * A full log goes on in the other half, which is erased and begins with an image of all bytes. Its
 * header is written last, so that there is always a half that is whole: of two, the one begun
 * later. Power may fail at any time; a byte is then what it was or what it was to become, at each
 * start anew until the next write has ended.
 */
#ifndef TAKT_BYTE_LOG_H
#define TAKT_BYTE_LOG_H

#include <takt/nor_flash.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAKT_BYTE_LOG_BYTES 4096u                  /* kept */
#define TAKT_BYTE_LOG_HALF  (4u * TAKT_NOR_SECTOR) /* of flash; both are at the chip's end */

struct takt_byte_log {
    uint8_t bytes[TAKT_BYTE_LOG_BYTES]; /* what is kept; may be read at any time */
    uint32_t generation;                /* counts halves begun; 0: none */
    uint32_t next;                      /* place in the half for a record; its end: full */
    bool settled;                       /* of the last write before the start nothing is open */
};

/* Reads what is kept; all bytes are 255 where nothing is. Thread or main, 5 ms. */
void takt_byte_log_read(struct takt_byte_log *log);

/* Writes a byte, if it is another; the first call after a start takes three writes more. Callers
 * one at a time; context, time and errors as takt_nor_program(), each 3009th byte as four
 * takt_nor_erase() and 17 pages, too; TAKT_EREFUSED: worn out. With an error the byte is as
 * before. */
int takt_byte_log_write(struct takt_byte_log *log, uint32_t at, uint8_t value);

#ifdef __cplusplus
}
#endif

#endif
