/*
 * Tasks alone, one at a time: the handler just counts ticks. When a task has returned the ticks gone by
 * are looked at, and the most urgent task that waits is next.
 */
#include "port_task_places.h"

#include "task.h"
#include "task_timer.h"

#define ticks GPIOR2 /* gone by and not yet looked at; 0x2B below */

PORT_TASK_VECTOR(TIMER1_COMPA_vect, "push r24\n\tin r24, __SREG__\n\tpush r24\n\t"
                                    "in r24, 0x2B\n\tinc r24\n\tout 0x2B, r24\n\t" /* ticks++ */
                                    "pop r24\n\tout __SREG__, r24\n\tpop r24\n\treti");

void port_tasks_run_in_turn(uint16_t top, uint8_t clock)
{
    cli();
    timer_start(top, clock);
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

void takt_task_look(void) {}

void takt_task_look_isr(void) {}
