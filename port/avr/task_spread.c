/*
 * Tasks alone: how far apart passes may be for these periods. Before the start: not in a hurry.
 */
#include "task_passes.h"

/* The greatest common divisor of all periods (Euclid's, by subtraction). What is triggered has
 * none: only that has ticks left at the start, or waits. */
static takt_task_span_t common(void)
{
    takt_task_span_t divisor = 0;
    for (uint8_t i = 0; i < TAKT_TASK_COUNT; i++) {
        takt_task_span_t rest = takt_tasks[i].period;
        if (takt_tasks[i].left != 0)
            continue;
        if (divisor == 0)
            divisor = rest;
        while (rest != divisor) {
            if (rest > divisor)
                rest = (takt_task_span_t)(rest - divisor);
            else
                divisor = (takt_task_span_t)(divisor - rest);
        }
    }
    return divisor > 0 ? divisor : 1;
}

takt_task_span_t port_tasks_spread(uint32_t most)
{
    takt_task_span_t all = common(), part = all;
    while (all % part || (uint32_t)part > most)
        part--;
    for (uint8_t i = 0; i < TAKT_TASK_COUNT; i++)
        if (takt_tasks[i].left == 0)
            takt_tasks[i].period = (takt_task_span_t)(takt_tasks[i].period / part);
    return part;
}
