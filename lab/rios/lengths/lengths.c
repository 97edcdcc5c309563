/* Tasks of any length, for releases.py. */
#include <avr/interrupt.h>
#include <avr/io.h>

#ifndef TAKT_TICK_US
#define TAKT_TICK_US 25000
#endif
#ifndef TAKT_TASK_BITS
#define TAKT_TASK_BITS 8
#endif
#include <takt/task.h>

#include "body.h"

#ifndef PERIOD_US
#define PERIOD_US TAKT_TICK_US
#endif

TAKT_TASK(one, 1, PERIOD_US) { body(0); }
TAKT_TASK(two, 2, 2l * PERIOD_US) { body(1); }
TAKT_TASK(three, 3, 4l * PERIOD_US) { body(2); }

#ifdef EVENT /* the priority of one more, which a handler triggers every 6.4 ms */
TAKT_EVENT_TASK(event, EVENT) { body(3); }

ISR(TIMER0_COMPA_vect)
{
    takt_task_trigger_isr(&takt_task_event_event);
}

static inline void events(void)
{
    OCR0A = 200;
    TCCR0A = 1 << WGM01;
    TCCR0B = 1 << CS02; /* by 256 */
    TIMSK0 = 1 << OCIE0A;
}
#else
static inline void events(void) {}
#endif

#ifndef RUN
#define RUN takt_tasks_run
#endif

int main(void)
{
    events();
    RUN();
}
