/*
 * Passes of tasks that run alone: on top of a task one, of none one after the other, each after
 * `wait`. Interrupts off before and after.
 */
#ifndef TAKT_PORT_TASK_PASSES_H
#define TAKT_PORT_TASK_PASSES_H

#include "port_task_places.h"

#include "job/task.h"

/* Passes as far apart as the periods allow, so many ticks at most: returns how many, and counts
 * periods in these (task_spread.c). Before the start. */
takt_task_span_t port_tasks_spread(uint32_t most) TAKT_TASK_NAME_(port_tasks_spread);

static inline __attribute__((always_inline)) void port_task_passes(void (*wait)(void))
{
    uint8_t rank = takt_task_rank;
    do {
        if (rank == 0)
            wait();
        takt_task_pass_locked(rank, 1);
    } while (rank == 0);
}

#endif
