/*
 * Tasks alone, with a tick as long as their periods allow.
 */
#include "task_passes.h"

void port_tasks_run_sparse(uint16_t top, uint8_t clock)
{
    uint32_t counts = top + 1ul;
    takt_task_span_t part = port_tasks_spread(65536 / counts);
    port_tasks_run((uint16_t)((uint32_t)part * counts - 1), clock);
}
