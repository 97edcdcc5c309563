/*
 * Tasks alone: one that was triggered starts at once, if it is more urgent than what runs. Weak: it
 * is not so where they run one at a time (task_turn.c).
 */
#include "port_task_places.h"

#include "job/task.h"

/* Where nothing ran until now ticks shall come on top of what does (task_timer.h). */
__attribute__((weak)) void takt_task_look(void)
{
    uint8_t status = SREG;
    cli();
    uint8_t wanted = TIMSK1;
    if (takt_task_rank == 0)
        TIMSK1 = 1 << OCIE1A;
    takt_task_pass_locked(takt_task_rank, 0);
    TIMSK1 = wanted;
    SREG = status;
}

__attribute__((weak)) void takt_task_look_isr(void)
{
    takt_task_look();
}
