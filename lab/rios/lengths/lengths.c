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

#ifndef RUN
#define RUN takt_tasks_run
#endif

int main(void)
{
    RUN();
}
