/*
 * Tasks alone, one at a time: the handler counts a tick for all of them, whatever runs, and starts
 * nothing. When a task has returned the most urgent one that waits is next.
 */
#include "port_task_places.h"

#include "job/task.h"
#include "task_timer.h"

ISR(TIMER1_COMPA_vect)
{
    takt_task_pass_locked(TAKT_TASK_TOP, 1);
}

void port_tasks_run_in_turn(uint16_t top, uint8_t clock)
{
    TAKT_FACT("entry tasks in turn");
    cli();
    timer_start(top, clock);
    TIMSK1 = 1 << OCIE1A;
    for (;;) {
        while (takt_task_turn_locked()) {
        }
        sei();
        sleep_cpu();
        cli();
    }
}

void takt_task_look(void) {}

void takt_task_look_isr(void) {}
