/*
 * Tasks alone, one at a time: the handler just counts ticks. When a task has returned the ticks gone by
 * are looked at, and the most urgent task that waits is next.
 */
#include "port_task_places.h"

#include "task.h"
#include "task_timer.h"

const uint8_t takt_tasks_linked = 1;

#define ticks GPIOR2 /* gone by and not yet looked at */

ISR(TIMER1_COMPA_vect, ISR_NAKED) /* ticks++ */
{
    __asm__ volatile("push r24\n\tin r24, __SREG__\n\tpush r24\n\t"
                     "in r24, %0\n\tinc r24\n\tout %0, r24\n\t"
                     "pop r24\n\tout __SREG__, r24\n\tpop r24\n\treti"
                     :
                     : "I"(_SFR_IO_ADDR(ticks)));
}

void port_tasks_run_in_turn(uint16_t top)
{
    cli();
    timer_start(top);
    TIMSK1 = 1 << OCIE1A;
    for (;;) {
        for (; ticks; ticks--)
            takt_task_pass_locked(TAKT_TASK_TOP, 1);
        if (takt_task_turn_locked())
            continue;
        sei();
        sleep_cpu();
        cli();
    }
}

void takt_task_look_locked(void) {}

void takt_task_look_isr_locked(void) {}
