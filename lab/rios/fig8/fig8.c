/* The program of Figure 8: three tasks of 1, 5 and 25 ms, every 25, 50 and 100 ms, at 8 MHz. */
#ifndef TAKT_TICK_US
#define TAKT_TICK_US 25000
#endif
#ifndef TAKT_TASK_BITS
#define TAKT_TASK_BITS 8
#endif
#include <takt/task.h>
#include <util/delay.h>

TAKT_TASK(one, 1, 25000) { _delay_ms(1); }
TAKT_TASK(two, 2, 50000) { _delay_ms(5); }
TAKT_TASK(three, 3, 100000) { _delay_ms(25); }

#ifndef RUN
#define RUN takt_tasks_run
#endif

int main(void)
{
    RUN();
}
