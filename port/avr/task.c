/*
 * Tasks alone, preemptive, in C. OCR1B is 0 throughout: B comes one count after A.
 */
#pragma GCC optimize("no-move-loop-invariants") /* constants would be kept in registers to save */

#include "port_task_places.h"

#include "task_passes.h"
#include "task_timer.h"

PORT_TASK_LOOK_ALONE; /* task_look.c, rather than what tasks beside threads have */

static __attribute__((noinline)) void passes(void)
{
    port_task_passes(timer_wait);
}

ISR(TIMER1_COMPA_vect)
{
    passes();
}

PORT_TASK_VECTOR(TIMER1_COMPB_vect, "reti");

void port_tasks_run(uint16_t top, uint8_t clock)
{
    cli();
    timer_start(top, clock);
    passes();
    __builtin_unreachable();
}
