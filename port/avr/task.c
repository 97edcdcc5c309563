/*
 * Tasks alone, preemptive, in C. OCR1B is 0 throughout: B comes one count after A.
 */
#pragma GCC optimize("no-move-loop-invariants") /* constants would be kept in registers to save */

#include "port_task_places.h"

#include "task.h"
#include "task_timer.h"

__asm__(".globl takt_task_look"); /* task_look.c, rather than what tasks beside threads have */

/* On top of a task: one pass. Of nobody: for ever. */
static __attribute__((noinline)) void passes(void)
{
    uint8_t rank = takt_task_rank;
    do {
        if (rank == 0)
            timer_wait();
        takt_task_pass_locked(rank, 1);
    } while (rank == 0);
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
