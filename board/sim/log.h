/*
 * A growing list of records of one size, for what the world has not taken yet.
 */
#ifndef TAKT_SIM_LOG_H
#define TAKT_SIM_LOG_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct sim_log {
    char *data;
    size_t used, room; /* bytes */
};

static inline void sim_log_add(struct sim_log *log, const void *record, size_t size)
{
    if (log->used + size > log->room) {
        size_t room = log->room ? 2 * log->room : 4096;
        char *data = realloc(log->data, room);
        if (data == NULL)
            abort();
        log->data = data;
        log->room = room;
    }
    memcpy(log->data + log->used, record, size);
    log->used += size;
}

/* Moves up to n whole records out, oldest first; returns how many. */
static inline uint32_t sim_log_take(struct sim_log *log, void *out, uint32_t n, size_t size)
{
    size_t held = log->used / size, taken = n < held ? n : held;
    memcpy(out, log->data, taken * size);
    log->used -= taken * size;
    memmove(log->data, log->data + taken * size, log->used);
    return (uint32_t)taken;
}

#endif
