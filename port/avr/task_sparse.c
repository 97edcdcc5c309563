/*
 * Tasks alone, with a tick as long as their periods allow. Before the start: not in a hurry.
 */
#include "task.h"

/* The greatest common divisor of all periods (Euclid's, by subtraction). */
static takt_task_span_t common(void)
{
    takt_task_span_t divisor = takt_tasks[0].period;
    for (uint8_t i = 1; i < TAKT_TASK_COUNT; i++) {
        takt_task_span_t rest = takt_tasks[i].period;
        while (rest != divisor) {
            if (rest > divisor)
                rest = (takt_task_span_t)(rest - divisor);
            else
                divisor = (takt_task_span_t)(divisor - rest);
        }
    }
    return divisor;
}

/* The longest part of it, in ticks, that the timer can count. */
static takt_task_span_t stretched(uint32_t counts)
{
    takt_task_span_t all = common(), part = all;
    while (all % part || (uint32_t)part * counts > 65536)
        part--;
    return part;
}

void port_tasks_run_sparse(uint16_t top, uint8_t clock)
{
    uint32_t counts = top + 1ul;
    takt_task_span_t part = stretched(counts);
    for (uint8_t i = 0; i < TAKT_TASK_COUNT; i++)
        takt_tasks[i].period = (takt_task_span_t)(takt_tasks[i].period / part);
    port_tasks_run((uint16_t)((uint32_t)part * counts - 1), clock);
}
