/*
 * What power that fails leaves of a write are bits that are still 1. So a record and a header say
 * how many of their bits are 0: fewer are found then, or more are said (a Berger code).
 *
 * Such cells may be weak, and read otherwise at another start. So the first write after a start
 * settles what the last one before it may have left: a whole header and a whole last record are
 * written again, a torn one and the place behind it lose a bit that all records have. If the half
 * is full, another is begun instead, for that may have been cut short.
 */
#include "byte_log.h"

#include <string.h>

enum {
    IMAGE = TAKT_NOR_PAGE,
    RECORDS = IMAGE + TAKT_BYTE_LOG_BYTES,
    MAGIC = 0x544b4c48,
    PLACE_BITS = 12,
    KEPT_BITS = 20, /* of a record: place and value */
};
#define VALID  0x80000000u
#define ERASED 0xFFFFFFFFu

struct header {
    uint32_t magic, generation, zeros;
};

/* Half 0 or 1, by turns. */
static uint32_t start_of(uint32_t generation)
{
    return TAKT_NOR_BYTES - TAKT_BYTE_LOG_HALF * (1 + generation % 2);
}

/* How many of the lower bits are 0. */
static uint32_t zeros(uint32_t word, uint32_t bits)
{
    uint32_t count = 0;
    for (uint32_t bit = 0; bit < bits; bit++)
        count += (word >> bit & 1) ^ 1;
    return count;
}

static uint32_t record_of(uint32_t at, uint8_t value)
{
    uint32_t kept = at | (uint32_t)value << PLACE_BITS;
    return kept | zeros(kept, KEPT_BITS) << KEPT_BITS | VALID;
}

static bool is_whole(uint32_t record)
{
    return (zeros(record, KEPT_BITS) << KEPT_BITS | VALID) == record >> KEPT_BITS << KEPT_BITS;
}

static struct header header_of(uint32_t generation)
{
    return (struct header){MAGIC, generation, zeros(generation, 32)};
}

/* The generation that begins in a half with an even or odd one; 0: none. */
static uint32_t found_in(uint32_t parity)
{
    struct header found, whole;
    (void)takt_nor_read(start_of(parity), &found, sizeof found);
    whole = header_of(found.generation);
    bool is_one = memcmp(&found, &whole, sizeof found) == 0 && found.generation % 2 == parity;
    return is_one ? found.generation : 0;
}

/* Applies records of a page; false: there are no more. */
static bool page_read(struct takt_byte_log *log, const uint32_t *records)
{
    for (uint32_t n = 0; n < TAKT_NOR_PAGE / 4; n++) {
        uint32_t record = records[n];
        if (record == ERASED)
            return false;
        if (is_whole(record))
            log->bytes[record % TAKT_BYTE_LOG_BYTES] = (uint8_t)(record >> PLACE_BITS);
        log->next += 4;
    }
    return true;
}

void takt_byte_log_read(struct takt_byte_log *log)
{
    uint32_t even = found_in(0), odd = found_in(1);
    uint32_t page[TAKT_NOR_PAGE / 4];
    log->generation = even > odd ? even : odd;
    log->next = TAKT_BYTE_LOG_HALF;
    log->settled = false;
    memset(log->bytes, 0xFF, sizeof log->bytes);
    if (log->generation == 0)
        return;
    uint32_t start = start_of(log->generation);
    (void)takt_nor_read(start + IMAGE, log->bytes, sizeof log->bytes);
    log->next = RECORDS;
    do {
        (void)takt_nor_read(start + log->next, page, sizeof page);
    } while (page_read(log, page) && log->next < TAKT_BYTE_LOG_HALF);
}

/* Writes within a page, and looks whether it is there: cells wear out. */
static int put(uint32_t at, const void *from, uint32_t count)
{
    uint8_t found[TAKT_NOR_PAGE];
    int result = takt_nor_program(at, from, count);
    if (result == TAKT_OK)
        result = takt_nor_read(at, found, count);
    if (result == TAKT_OK && memcmp(found, from, count) != 0)
        result = TAKT_EREFUSED;
    return result;
}

static int image_write(uint32_t start, const uint8_t *bytes)
{
    int result = TAKT_OK;
    for (uint32_t at = 0; at < TAKT_BYTE_LOG_BYTES && result == TAKT_OK; at += TAKT_NOR_PAGE)
        result = put(start + IMAGE + at, bytes + at, TAKT_NOR_PAGE);
    return result;
}

/* Goes on in the other half. */
static int begin_anew(struct takt_byte_log *log)
{
    struct header header = header_of(log->generation + 1);
    uint32_t start = start_of(header.generation);
    int result = TAKT_OK;
    for (uint32_t at = 0; at < TAKT_BYTE_LOG_HALF && result == TAKT_OK; at += TAKT_NOR_SECTOR)
        result = takt_nor_erase(start + at);
    if (result == TAKT_OK)
        result = image_write(start, log->bytes);
    if (result == TAKT_OK)
        result = put(start, &header, sizeof header);
    if (result != TAKT_OK)
        return result;
    log->generation = header.generation;
    log->next = RECORDS;
    log->settled = true;
    return TAKT_OK;
}

/* A place is used as soon as it is no longer erased, for records are read up to one that is. */
static int append(struct takt_byte_log *log, uint32_t record)
{
    uint32_t at = start_of(log->generation) + log->next, found;
    int result = put(at, &record, sizeof record);
    if (takt_nor_read(at, &found, sizeof found) == TAKT_OK && found != ERASED)
        log->next += 4;
    return result;
}

/* Whole for good, or never again. */
static bool settle_place(uint32_t at)
{
    uint32_t word;
    if (takt_nor_read(at, &word, sizeof word) != TAKT_OK)
        return false;
    if (!is_whole(word))
        word &= ~VALID;
    return put(at, &word, sizeof word) == TAKT_OK;
}

/* Goes on behind the place behind the last record. */
static void settle(struct takt_byte_log *log)
{
    struct header header = header_of(log->generation);
    uint32_t start = start_of(log->generation);
    bool is_done = put(start, &header, sizeof header) == TAKT_OK;
    if (log->next > RECORDS)
        is_done = is_done && settle_place(start + log->next - 4);
    is_done = is_done && settle_place(start + log->next);
    log->next = is_done ? log->next + 4 : TAKT_BYTE_LOG_HALF;
    log->settled = is_done;
}

int takt_byte_log_write(struct takt_byte_log *log, uint32_t at, uint8_t value)
{
    at %= TAKT_BYTE_LOG_BYTES;
    uint8_t before = log->bytes[at];
    if (before == value && log->settled)
        return TAKT_OK;
    if (!log->settled && log->next < TAKT_BYTE_LOG_HALF)
        settle(log);
    int result = TAKT_OK;
    if (log->next == TAKT_BYTE_LOG_HALF && (before != value || !log->settled)) {
        log->bytes[at] = value; /* for the image */
        result = begin_anew(log);
    } else if (before != value) {
        result = append(log, record_of(at, value));
    }
    log->bytes[at] = result == TAKT_OK ? value : before;
    return result;
}
